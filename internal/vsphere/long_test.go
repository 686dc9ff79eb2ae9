package vsphere_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// operations are one of each way to send a request, by the kind of request that is broken.
func operations(v *vcsim.VCenter) map[string]func(context.Context, *vsphere.Client) error {
	categories := func(ctx context.Context, c *vsphere.Client) error { _, err := c.CategoryIDs(ctx); return err }
	about := func(ctx context.Context, c *vsphere.Client) error { _, err := c.About(ctx); return err }
	names := func(ctx context.Context, c *vsphere.Client) error {
		_, err := c.VMNames(ctx, []string{allVMs(v)[0].ID})
		return err
	}
	attach := func(ctx context.Context, c *vsphere.Client) error { return c.AttachTag(ctx, "tag", allVMs(v)[:1]) }
	return map[string]func(context.Context, *vsphere.Client) error{
		"POST session": categories, "GET category": categories, "soap:Login": about, "soap:RetrievePropertiesEx": names,
		"POST tag-association:attach-tag-to-multiple-objects": attach,
	}
}

// recorded are the secrets that a client has sent.
type recorded struct {
	mu      sync.Mutex
	secrets []string
}

func (r *recorded) note(req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range []string{"Authorization", "Cookie", "Vmware-Api-Session-Id"} {
		_, value, found := strings.Cut(req.Header.Get(name), " ")
		if !found {
			_, value, _ = strings.Cut(req.Header.Get(name), "=")
		}
		if value = strings.Trim(value, `"`); name == "Vmware-Api-Session-Id" {
			value = req.Header.Get(name)
		}
		if value != "" {
			r.secrets = append(r.secrets, value)
		}
	}
}

func (r *recorded) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.secrets)
}

// TestEcho: a server that quotes each request gets no secret into an error.
func TestEcho(t *testing.T) {
	t.Parallel()
	v, _, _ := start(t, vcsim.Config{VMs: 1})
	for kind, run := range operations(v) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			v, c, _ := start(t, vcsim.Config{VMs: 1})
			var sent recorded
			status := http.StatusBadRequest
			if strings.HasPrefix(kind, "soap:") {
				status = http.StatusInternalServerError
			}
			v.Traffic().Break(fault.Rule{Kind: kind, Status: status, Echo: true, Before: sent.note})
			err := run(t.Context(), c)
			v.Traffic().Mend()
			if err == nil || !strings.Contains(err.Error(), "quoted: ") {
				t.Fatalf("got %v, want an error that quotes the request", err)
			}
			for _, secret := range append(sent.all(), v.Password(), base64.StdEncoding.EncodeToString([]byte(v.Password()))) {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("got the secret %q in %v, want it removed", secret, err)
				}
			}
		})
	}
}

// TestSlow: a server that does not answer in time gets no secret into an error.
func TestSlow(t *testing.T) {
	t.Parallel()
	v, _, _ := start(t, vcsim.Config{VMs: 1})
	for kind, run := range operations(v) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			v, c, _ := start(t, vcsim.Config{VMs: 1}, func(c *vsphere.Config) { c.Timeout = time.Second })
			gate := fault.NewGate()
			var sent recorded
			// Cut, so that no login takes effect after the client has given up.
			v.Traffic().Break(fault.Rule{Kind: kind, Cut: true, Before: func(r *http.Request) { sent.note(r); gate.Hold(r) }})
			err := run(t.Context(), c)
			v.Traffic().Mend()
			gate.Open()
			if !errors.Is(err, vsphere.ErrUncertain) {
				t.Fatalf("got %v, want ErrUncertain", err)
			}
			for _, secret := range append(sent.all(), v.Password()) {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("got the secret %q in %v, want none", secret, err)
				}
			}
		})
	}
}

// TestRedirect: no protocol follows a redirect, so that no session id goes to another server, and none retries it.
func TestRedirect(t *testing.T) {
	t.Parallel()
	v, _, _ := start(t, vcsim.Config{VMs: 1})
	other, _, _ := start(t, vcsim.Config{VMs: 1})
	for kind, run := range operations(v) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			v, c, _ := start(t, vcsim.Config{VMs: 1})
			v.Traffic().Break(fault.Rule{
				Kind: kind, Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": other.URL() + "/x"},
			})
			err := run(t.Context(), c)
			n := v.Traffic().Count(kind)
			v.Traffic().Mend()
			var redirect *transport.RedirectError
			if !errors.As(err, &redirect) || redirect.From != v.URL() || redirect.To != other.URL() || n != 1 {
				t.Errorf("got %v after %d requests, want a refusal from %s to %s after 1", err, n, v.URL(), other.URL())
			}
		})
	}
	t.Cleanup(func() {
		if n := other.Traffic().Total(); n != 0 {
			t.Errorf("got %d requests at the other server, want none", n)
		}
	})
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
		if n := v.Traffic().Count(kind); !errors.Is(err, transport.ErrTooLarge) || n != 1 ||
			!strings.Contains(err.Error(), "larger than 64 MiB") {
			t.Errorf("%s: got %v after %d requests, want an error that names the limit after 1", kind, err, n)
		}
	}
}
