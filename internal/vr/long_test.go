package vr_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// TestLongAnswer: an answer above the limit is an error that names the limit, and the read is not retried.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t, func(c *vr.Config) {
		wrap := c.Wrap
		c.Wrap = func(next http.RoundTripper) http.RoundTripper {
			return long{wrap(next)}
		}
	})
	_, err := c.Pairings(t.Context())
	n := l.Traffic().Count("getVrPairings")
	assert.True(t, errors.Is(err, transport.ErrTooLarge) && n == 1 && strings.Contains(err.Error(), "larger than 64 MiB"),
		"got %v after %d requests, want an error that names the limit after 1", err, n)
}

// long announces a long answer to everything but logins.
type long struct{ next http.RoundTripper }

func (l long) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.next.RoundTrip(r)
	if err == nil && !strings.HasSuffix(r.URL.Path, "session") {
		answer.ContentLength = transport.MaxAnswer + 1
	}
	return answer, err
}
