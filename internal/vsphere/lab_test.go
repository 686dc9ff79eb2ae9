package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// naps records what a client waits for, and waits for nothing: its clock moves on instead.
type naps struct {
	mu    sync.Mutex
	taken []time.Duration
	clock time.Time
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = append(n.taken, d)
	n.clock = n.clock.Add(d)
	return ctx.Err()
}

func (n *naps) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clock
}

// start returns a lab and a client for it, which is closed at the end and must leave no session. Requests and answers
// of tagging are checked against the vendor's contract.
func start(t *testing.T, lab vcsim.Config, change ...func(*vsphere.Config)) (*vcsim.VCenter, *vsphere.Client, *naps) {
	t.Helper()
	if !lab.Plain {
		contract, wrap := tagcontract.Load(t), lab.Wrap
		lab.Wrap = func(next http.Handler) http.Handler {
			if next = contract.Strict(t, next); wrap != nil {
				next = wrap(next)
			}
			return next
		}
	}
	v, err := vcsim.Start(t.Context(), lab)
	require.NoError(t, err)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, v.CAPEM(), 0o600))
	n := &naps{clock: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	config := vsphere.Config{
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
		Settings: transport.Settings{CAFile: ca, Sleep: n.sleep, Now: n.now},
	}
	for _, c := range change {
		c(&config)
	}
	client, err := vsphere.New(config)
	require.NoError(t, err)
	t.Cleanup(func() {
		v.Traffic().Mend()
		ctx := context.WithoutCancel(t.Context())
		assert.NoError(t, errors.Join(client.Close(ctx), client.Close(ctx)))
		rest, soap := v.Sessions()
		assert.LessOrEqual(t, rest+soap, 0)
		assert.NoError(t, v.Close())
	})
	return v, client, n
}

func newTag(t *testing.T, c *vsphere.Client) string {
	t.Helper()
	category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Single})
	require.NoError(t, err)
	tag, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	return tag
}

func allVMs(v *vcsim.VCenter) []vsphere.Object {
	var objects []vsphere.Object
	for _, vm := range v.VMs() {
		objects = append(objects, vsphere.Object{Type: "VirtualMachine", ID: vm.ID})
	}
	return objects
}

// TestLogin_answers: a refusal has its reason in a word and none of vCenter's text, an overloaded service is asked
// again with waits between, and a login that is refused for its form is tried once in the other.
func TestLogin_answers(t *testing.T) {
	t.Parallel()
	unauthenticated := func(text string) string {
		return `{"error_type":"UNAUTHENTICATED","messages":[{"id":"x","default_message":"` + text + `"}]}`
	}
	for name, test := range map[string]struct {
		rule   fault.Rule
		want   error
		says   string
		logins int
		waits  bool
	}{
		"locked": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("The user account is locked.")},
			want: vsphere.ErrLogin, says: "the account is locked", logins: 1,
		},
		"expired": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("User password expired.")},
			want: vsphere.ErrPasswordExpired, logins: 1,
		},
		"wrong": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("no such user/secret")},
			want: vsphere.ErrLogin, logins: 1,
		},
		"overloaded": {rule: fault.Rule{Status: http.StatusTooManyRequests, Times: 2}, logins: 3, waits: true},
		"form":       {rule: fault.Rule{Status: http.StatusUnsupportedMediaType, Times: 1}, logins: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, naps := start(t, vcsim.Config{})
			began := naps.now()
			test.rule.Kind = "POST session"
			v.Traffic().Break(test.rule)
			_, err := c.CategoryIDs(t.Context())
			if !errors.Is(err, test.want) || (err != nil && !strings.Contains(err.Error(), test.says)) ||
				strings.Contains(errorText(err), "secret") {
				t.Errorf("got %v, want %v with %q", err, test.want, test.says)
			}
			assert.Equal(t, test.logins, v.Traffic().Count("POST session"))
			assert.Equal(t, test.waits, !naps.now().Equal(began))
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestLongAnswer: an answer of either protocol above the limit is an error that names the limit, and is not asked for
// again.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	for kind, read := range map[string]func(context.Context, *vsphere.Client) error{
		"GET category": func(ctx context.Context, c *vsphere.Client) error {
			_, err := c.CategoryIDs(ctx)
			return err
		},
		"soap:CurrentTime": func(ctx context.Context, c *vsphere.Client) error {
			_, err := c.Time(ctx)
			return err
		},
	} {
		var long atomic.Bool
		v, c, _ := start(t, vcsim.Config{VMs: 1}, func(c *vsphere.Config) {
			c.Wrap = func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					long.Store(false)
					answer, err := next.RoundTrip(r)
					if err == nil && long.Load() {
						answer.ContentLength = transport.MaxAnswer + 1
					}
					return answer, err
				})
			}
		})
		v.Traffic().Break(fault.Rule{Kind: kind, Before: func(*http.Request) { long.Store(true) }})
		err := read(t.Context(), c)
		n := v.Traffic().Count(kind)
		assert.True(t, errors.Is(err, transport.ErrTooLarge) && n == 1 && strings.Contains(err.Error(), "larger than 64 MiB"),
			"%s: got %v after %d requests, want an error that names the limit after 1", kind, err, n)
	}
}
