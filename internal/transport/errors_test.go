package transport_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// TestKinds_areDistinct verifies that sentinels of two services share their kinds but are not equal.
func TestKinds_areDistinct(t *testing.T) {
	t.Parallel()
	one, other := transport.NewKinds(), transport.NewKinds()
	if !errors.Is(one.NotFound, transport.ErrNotFound) || errors.Is(one.NotFound, other.NotFound) ||
		errors.Is(one.NotFound, transport.ErrPermission) {
		t.Error("NotFound is not its own sentinel of its kind")
	}
	for status, want := range map[int]error{
		400: one.Invalid, 401: one.Session, 403: one.Permission, 404: one.NotFound, 409: one.Conflict, 422: one.Invalid,
		429: one.Limited, 500: one.Unavailable, 503: one.Unavailable,
	} {
		assert.ErrorIs(t, one.OfStatus(status), want, status)
	}
}

func TestKinds_noAnswer(t *testing.T) {
	t.Parallel()
	k := transport.NewKinds()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		cancelled, timedOut bool
		err, want           error
	}{
		"cancelled":       {true, true, broken, context.Canceled},
		"time limit":      {false, true, broken, k.Uncertain},
		"certificate":     {false, false, x509.UnknownAuthorityError{}, k.Certificate},
		"unknown host":    {false, false, &net.DNSError{IsNotFound: true}, k.UnknownHost},
		"DNS is down":     {false, false, &net.DNSError{IsTimeout: true}, k.Unavailable},
		"connection lost": {false, false, broken, k.Unavailable},
	} {
		caller, bounded := t.Context(), t.Context()
		if test.cancelled {
			caller = ended
		}
		if test.timedOut {
			bounded = ended
		}
		assert.ErrorIs(t, k.NoAnswer(caller, bounded, "GET tag", time.Minute, test.err), test.want, name)
	}
}

// TestAgain verifies that unusable responses are retried after a delay, throttled requests immediately (the pace
// delays them) and other errors never, with at most five attempts.
func TestAgain(t *testing.T) {
	t.Parallel()
	k := transport.NewKinds()
	var slept []time.Duration
	sleep := func(ctx context.Context, d time.Duration) error { slept = append(slept, d); return ctx.Err() }
	for _, err := range []error{
		k.NotFound, k.Permission, k.Conflict, k.Invalid, k.Session, k.Login, k.Uncertain, k.Certificate, k.UnknownHost,
		k.Ambiguous,
	} {
		assert.False(t, transport.Again(t.Context(), sleep, err, 0, 1), "%v is repeated", err)
	}
	require.True(t, transport.Again(t.Context(), sleep, k.Limited, time.Minute, 4),
		"refused for load: not repeated, or slept %v", slept)
	assert.Empty(t, slept)
	if !transport.Again(t.Context(), sleep, k.Unavailable, time.Minute, 4) || len(slept) != 1 || slept[0] != time.Minute {
		t.Errorf("unavailable: not repeated, or slept %v", slept)
	}
	for _, err := range []error{k.Limited, k.Unavailable} {
		assert.False(t, transport.Again(t.Context(), sleep, err, 0, 5), "%v is repeated after five attempts", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, transport.Again(ended, sleep, k.Limited, 0, 1), "repeated after the end of the context")
	assert.False(t, transport.Again(ended, sleep, k.Unavailable, 0, 1), "repeated after the end of the context")
}
