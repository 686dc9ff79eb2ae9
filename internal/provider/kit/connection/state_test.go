package connection_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

type (
	counter struct{ atomic.Int64 }
	other   struct{ atomic.Int64 }
)

func TestState(t *testing.T) {
	t.Parallel()
	sessions := new(connection.Sessions)
	one := connection.NewSet(connection.Settings{}, sessions)
	two := connection.NewSet(connection.Settings{}, sessions)
	connection.State[counter](one).Add(1)
	connection.State[other](one).Add(5)
	connection.State[counter](two).Add(7)
	assert.EqualValues(t, 2, connection.State[counter](one).Add(1))
}
