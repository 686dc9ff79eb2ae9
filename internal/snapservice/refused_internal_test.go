package snapservice

import (
	"net/http"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRefusedOperations checks that the client has no methods or API paths for failovers, restores or labels, and that
// it cannot delete individual snapshots or modify sites or pairs.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	refused := regexp.MustCompile(
		`(?i)promote|demote|activate|ransomware|revert|restore|clone|label|protection-configuration`,
	)
	readOnly := regexp.MustCompile(`sites|pairs|virtual-machines`)
	for method := range reflect.TypeFor[*Client]().Methods() {
		assert.NotRegexp(t, refused, method.Name)
	}
	for o, e := range endpoints {
		assert.NotEmpty(t, e.template, o)
		assert.NotRegexp(t, refused, e.template+e.action)
		if e.method != http.MethodGet {
			assert.NotRegexp(t, readOnly, e.template)
		}
		if e.method == http.MethodDelete {
			assert.NotContains(t, e.template, "snapshots")
		}
	}
}
