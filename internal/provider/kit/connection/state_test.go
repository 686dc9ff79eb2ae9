package connection_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

type (
	counter struct{ atomic.Int64 }
	other   struct{ atomic.Int64 }
)

// TestState verifies that there is one value per type and provider configuration.
func TestState(t *testing.T) {
	t.Parallel()
	sessions := new(connection.Sessions)
	one, two := connection.NewSet(connection.Settings{}, sessions), connection.NewSet(connection.Settings{}, sessions)
	connection.State[counter](one).Add(1)
	connection.State[other](one).Add(5)
	connection.State[counter](two).Add(7)
	assert.EqualValues(t, 2, connection.State[counter](one).Add(1))
}

// TestState_concurrent verifies that concurrent callers share one value.
func TestState_concurrent(t *testing.T) {
	t.Parallel()
	set := connection.NewSet(connection.Settings{}, new(connection.Sessions))
	const resources = 1000
	var all sync.WaitGroup
	for range resources {
		all.Go(func() { connection.State[counter](set).Add(1) })
	}
	all.Wait()
	assert.EqualValues(t, resources, connection.State[counter](set).Load())
}
