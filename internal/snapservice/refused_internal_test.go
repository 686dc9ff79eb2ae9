package snapservice

import (
	"context"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusedOperations checks that the client has no methods or API paths for failovers, restores or labels, and that
// it cannot delete individual snapshots or modify sites or pairs.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	never := regexp.MustCompile(
		`(?i)promote|demote|activate|ransomware|revert|restore|clone|label|protection-configuration`,
	)
	for method := range reflect.TypeFor[*Client]().Methods() {
		assert.False(t, never.MatchString(method.Name), "Client has the method %s", method.Name)
	}
	source, err := os.ReadFile("request.go")
	require.NoError(t, err)
	form := regexp.MustCompile(`= operation\{http\.Method(\w+), ([^,]+), "([^"]*)"`)
	declared := form.FindAllStringSubmatch(string(source), -1)
	assert.Len(t, declared, 20)
	for _, o := range declared {
		assert.False(t, never.MatchString(o[2]+o[3]), "there is the operation %v", o[1:])
		if o[1] != "Get" {
			assert.False(t, regexp.MustCompile(`sites|pairs|virtual-machines|labels`).MatchString(o[2]),
				"the operation %v writes to what is only read", o[1:])
		}
		if o[1] == "Delete" {
			assert.False(t, regexp.MustCompile(`snapshots`).MatchString(o[2]), "the operation %v deletes snapshots",
				o[1:])
		}
	}
	assert.Equal(t, http.MethodDelete, deleteGroup.method)
}

func TestClient_locks(t *testing.T) {
	t.Parallel()
	c, err := New(Config{Server: "appliance", VCenter: "vc", User: "user", Password: "secret"})
	require.NoError(t, err)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.groups.Get(t.Context(), "cluster", func(context.Context) (*listing, error) {
		return &listing{readAt: c.config.Now()}, nil
	})
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 20 {
		id := strconv.Itoa(i)
		for _, call := range []func(){
			func() { c.markKnown("cluster", id) },
			func() { _, _ = c.knownGroupIDs(t.Context(), "cluster") },
			func() { c.countWaiter(id, 1) },
			func() { _, _ = c.pollTasks(canceled) },
			func() { _, _ = c.lockCluster(t.Context(), id) },
		} {
			all.Go(call)
		}
	}
	all.Wait()
}
