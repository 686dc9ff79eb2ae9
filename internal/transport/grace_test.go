package transport_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

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
		if err := graceful.Err(); err != nil {
			t.Errorf("got %v a second before the end, want no error", err)
		}
		time.Sleep(2 * time.Second)
		if err := graceful.Err(); err == nil {
			t.Error("got no error a second after the end, want one")
		}
	})
}
