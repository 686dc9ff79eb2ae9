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

func TestKinds_areDistinct(t *testing.T) {
	t.Parallel()
	one := transport.NewKinds()
	other := transport.NewKinds()
	require.ErrorIs(t, one.NotFound, transport.ErrNotFound, "NotFound is not its own sentinel of its kind")
	require.NotErrorIs(t, one.NotFound, other.NotFound, "NotFound is not its own sentinel of its kind")
	require.NotErrorIs(t, one.NotFound, transport.ErrPermission, "NotFound is not its own sentinel of its kind")
	for status, want := range map[int]error{
		400: one.Invalid,
		401: one.Session,
		403: one.Permission,
		404: one.NotFound,
		409: one.Conflict,
		422: one.Invalid,
		429: one.Limited,
		500: one.Unavailable,
		503: one.Unavailable,
	} {
		assert.ErrorIs(t, one.FromStatus(status), want, "%+v", status)
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
		caller := t.Context()
		bounded := t.Context()
		if test.cancelled {
			caller = ended
		}
		if test.timedOut {
			bounded = ended
		}
		assert.ErrorIs(t, k.NoResponse(caller, bounded, "GET tag", time.Minute, test.err), test.want, name)
	}
}
