package snapservice

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClient_locks calls everything that uses the client's lock at the same time. It asserts nothing: the race detector
// (go test -race) reports an access without the lock.
func TestClient_locks(t *testing.T) {
	t.Parallel()
	c, err := New(Config{
		Server:   "appliance",
		VCenter:  "vc",
		User:     "user",
		Password: "secret",
	})
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
