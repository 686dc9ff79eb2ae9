package doctor_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/doctor"
	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// clock is the virtual clock of a run. It advances by the length of each wait, and by a millisecond whenever it is
// read.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

type lab struct {
	*vcsim.VCenter
	settings connect.Settings
	options  doctor.Options
}

// start starts a vCenter. At the end of the test, it verifies that no session is open. Tagging requests and responses
// must match the vendor's contract, except for the operation that is expected not to exist.
func start(t *testing.T, config vcsim.Config) *lab {
	t.Helper()
	contract := tagcontract.Load(t)
	config.Wrap = func(next http.Handler) http.Handler {
		strict := contract.Strict(t, next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/vsla-doctor") {
				next.ServeHTTP(w, r)
				return
			}
			strict.ServeHTTP(w, r)
		})
	}
	v, err := vcsim.Start(t.Context(), config)
	require.NoError(t, err)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, v.CAPEM(), 0o600))
	t.Cleanup(func() {
		rest, soap := v.Sessions()
		require.Equal(t, 0, rest)
		assert.Equal(t, 0, soap)
		assert.NoError(t, v.Close())
	})
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	return &lab{
		VCenter:  v,
		settings: connect.Settings{Server: v.URL(), User: v.User(), Password: v.Password(), CAFile: ca},
		options:  doctor.Options{Version: "1.2.3", Full: true, Now: c.time, Sleep: c.sleep},
	}
}

func (l *lab) run(ctx context.Context, t *testing.T) (*doctor.Report, string) {
	t.Helper()
	report, err := doctor.Run(ctx, l.settings, l.options)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.WriteMarkdown(&text))
	n := len(text.String())
	assert.LessOrEqual(t, n, doctor.MaxReport, "the report has %d characters, want at most %d", n, doctor.MaxReport)
	return report, text.String()
}

func results(t *testing.T, r *doctor.Report) map[string]doctor.Result {
	t.Helper()
	all := make(map[string]doctor.Result)
	for _, c := range r.Checks {
		_, twice := all[c.ID]
		assert.False(t, twice, "check %s ran twice", c.ID)
		all[c.ID] = c.Result
		assert.True(t, strings.HasSuffix(c.Meaning, "."), "check %s: %q must be a sentence", c.ID, c.Meaning)
	}
	return all
}

func (l *lab) withAppliance(t *testing.T, switches gateway.Switches) *gateway.Gateway {
	t.Helper()
	other, err := vcsim.Start(t.Context(), vcsim.Config{Site: 1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	g, err := gateway.Start(t.Context(), gateway.Config{Protected: l.VCenter, Recovery: other, Switches: switches})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.Equal(t, 0, g.Sessions())
		g.Close()
	})
	l.trust(t, g.CAPEM())
	l.settings.Replication = connect.Replication{
		Server:         g.URL(),
		User:           g.User(),
		Password:       g.Password(),
		RemoteUser:     g.RemoteUser(),
		RemotePassword: g.RemotePassword(),
	}
	return g
}

func (l *lab) trust(t *testing.T, pem []byte) {
	t.Helper()
	known, err := os.ReadFile(l.settings.CAFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(l.settings.CAFile, append(known, pem...), 0o600))
}
