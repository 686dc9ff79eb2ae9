package connection_test

import (
	"sync/atomic"
	"testing"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

type (
	counter struct{ atomic.Int64 }
	other   struct{ atomic.Int64 }
)

// TestState: one value for each type and provider configuration.
func TestState(t *testing.T) {
	t.Parallel()
	sessions := new(connection.Sessions)
	one, two := connection.NewSet(connection.Settings{}, sessions), connection.NewSet(connection.Settings{}, sessions)
	connection.State[counter](one).Add(1)
	connection.State[other](one).Add(5)
	connection.State[counter](two).Add(7)
	if got := connection.State[counter](one).Add(1); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}
