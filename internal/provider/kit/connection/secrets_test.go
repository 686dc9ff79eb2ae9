package connection_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/transport"
)

// broken makes a call that fails because of the fault rule, and returns the error. It verifies that neither the error
// nor the TRACE log contains a secret and that all sessions are closed.
func (s service) broken(t *testing.T, c call, timeout time.Duration, rule fault.Rule) error {
	t.Helper()
	var (
		log      locked
		sent     recorded
		sessions connection.Sessions
	)
	ctx, cancel := context.WithCancel(tflogtest.RootLogger(t.Context(), &log))
	defer cancel()
	settings := connection.Settings{
		Settings: s.settings,
		Process: connect.Process{
			Sleep:      func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
			Background: func() context.Context { return context.WithoutCancel(ctx) },
		},
	}
	settings.Timeout = timeout
	rule.Kind = c.kind
	before := rule.Before
	after := rule.After
	rule.Before = func(r *http.Request) {
		sent.note(r)
		if before != nil {
			before(r)
		}
	}
	rule.After = func(r *http.Request) {
		if after != nil {
			after(r)
			cancel()
		}
	}
	c.traffic.Break(rule)
	err := c.run(ctx, connection.NewSet(settings, &sessions))
	c.traffic.Mend()
	require.NoError(t, sessions.Close(context.WithoutCancel(t.Context())))
	assert.LessOrEqual(t, s.sessions(), 0)
	require.Error(t, err, "got no error, want one")
	for where, text := range map[string]string{"error": err.Error(), "log": log.String()} {
		for _, secret := range append(sent.all(), s.secrets...) {
			assert.False(t, quotes(text, secret), "got the secret %q in the %s %q, want it removed", secret, where,
				text)
		}
	}
	if !c.soap {
		assert.Contains(t, log.String(), `"status":`)
	}
	return err
}

func each(t *testing.T, test func(t *testing.T, s service, c call)) {
	t.Helper()
	for name, start := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			for _, c := range s.calls {
				t.Run(c.kind, func(t *testing.T) { test(t, s, c) })
			}
		})
	}
}

// TestEcho verifies that no secrets leak into errors or logs if a server echoes requests.
func TestEcho(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service, c call) {
		t.Helper()
		status := http.StatusBadRequest
		if c.soap {
			status = http.StatusInternalServerError
		}
		err := s.broken(t, c, 0, fault.Rule{Status: status, Echo: true})
		assert.NotEqual(t, c.login, strings.Contains(err.Error(), "quoted: "),
			"got %v, want the answer quoted except to a login", err)
	})
}

func TestSlow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service, c call) {
		t.Helper()
		gate := fault.NewGate()
		defer gate.Open()
		// Cut the connection, because a late login would leave a session open.
		err := s.broken(t, c, time.Second, fault.Rule{CloseConnection: true, Before: gate.Hold})
		require.ErrorIs(t, err, transport.ErrUncertain)
		assert.Contains(t, err.Error(), "no response within 1s")
	})
}

// TestRedirect verifies that no client follows or retries a redirect, which would leak the password or session.
func TestRedirect(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(func() {
		other.Close()
		assert.EqualValues(t, 0, reached.Load())
	})
	each(t, func(t *testing.T, s service, c call) {
		t.Helper()
		var n atomic.Int64
		err := s.broken(t, c, 0, fault.Rule{
			Status: http.StatusTemporaryRedirect,
			Header: map[string]string{"Location": other.URL + "/x"},
			Before: func(*http.Request) { n.Add(1) },
		})
		redirect, ok := errors.AsType[*transport.RedirectError](err)
		require.True(t, ok, "got %v after %d requests, want a refusal from %s to %s after 1", err, n.Load(), c.url,
			other.URL)
		assert.Equal(t, c.url, redirect.From)
		assert.Equal(t, other.URL, redirect.To)
		assert.EqualValues(t, 1, n.Load())
	})
}

func TestLogin_cancelled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service, c call) {
		t.Helper()
		if !c.login {
			return
		}
		err := s.broken(t, c, 0, fault.Rule{After: func(*http.Request) {}})
		assert.ErrorIs(t, err, context.Canceled)
	})
}

type recorded struct {
	mu      sync.Mutex
	secrets []string
}

func (r *recorded) note(req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range []string{"Authorization", "Cookie", "Vmware-Api-Session-Id", "X-Dr-Session"} {
		value := req.Header.Get(name)
		if value == "" {
			continue
		}
		if _, after, found := strings.Cut(value, "="); found && !strings.HasPrefix(value, "Basic ") {
			value = after // keep only the value of the cookie or token
		}
		r.secrets = append(r.secrets, strings.Trim(strings.TrimPrefix(value, "Basic "), `"`))
	}
}

func (r *recorded) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.secrets)
}

type locked struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

var base64Text = regexp.MustCompile(`[A-Za-z0-9+/]{8,}`)

// quotes reports whether a text contains a secret, either in plain text or Base64-encoded at any offset.
func quotes(text, secret string) bool {
	if strings.Contains(text, secret) {
		return true
	}
	for _, found := range base64Text.FindAllString(text, -1) {
		for from := range 4 {
			part := found[from:]
			if len(part)%4 == 1 { // not a valid base64 length
				part = part[:len(part)-1]
			}
			decoded, err := base64.RawStdEncoding.DecodeString(part)
			if err == nil && bytes.Contains(decoded, []byte(secret)) {
				return true
			}
		}
	}
	return false
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	for before := range 4 {
		text := base64.StdEncoding.EncodeToString(fmt.Append(nil, strings.Repeat("x", before), "the-secret", "y"))
		assert.True(t, quotes("quoted: "+text, "the-secret"), "%q: got no secret, want one", text)
	}
	assert.False(t, quotes("quoted: "+base64.StdEncoding.EncodeToString([]byte("nothing of the kind")), "the-secret"),
		"got a secret, want none")
}
