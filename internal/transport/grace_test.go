package transport_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/transport"
)

func TestGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		graceful, cancel := transport.Grace(ctx)
		defer cancel()
		time.Sleep(time.Hour)
		interrupt()
		time.Sleep(transport.GraceTime - time.Second)
		assert.NoError(t, graceful.Err())
		time.Sleep(2 * time.Second)
		assert.Error(t, graceful.Err(), "got no error a second after the end, want one")
	})
}
