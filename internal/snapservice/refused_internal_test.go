package snapservice

import (
	"net/http"
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusedOperations checks that the client has no method and no path for failover, restore, labels or the deletion
// of single snapshots, and none that modifies sites or pairs.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	never := regexp.MustCompile(
		`(?i)promote|demote|activate|ransomware|revert|restore|clone|label|protection-configuration`,
	)
	client := reflect.TypeFor[*Client]()
	for method := range client.Methods() {
		assert.False(t, never.MatchString(method.Name), "Client has the method %s", method.Name)
	}
	source, err := os.ReadFile("request.go")
	require.NoError(t, err)
	form := regexp.MustCompile(`= operation\{http\.Method(\w+), ([^,]+), "([^"]*)"`)
	declared := form.FindAllStringSubmatch(string(source), -1)
	assert.Len(t, declared, 20)
	for _, o := range declared {
		assert.False(t, never.MatchString(o[2]+o[3]), "there is the operation %v", o[1:])
		assert.False(t, (o[1] != "Get") && regexp.MustCompile(`sites|pairs|virtual-machines|labels`).MatchString(o[2]),
			"the operation %v writes to what is only read", o[1:])
		assert.False(t, o[1] == "Delete" && regexp.MustCompile(`snapshots`).MatchString(o[2]),
			"the operation %v deletes snapshots", o[1:])
	}
	assert.Equal(t, http.MethodDelete, deleteGroup.method)
}
