package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

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
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, v.CAPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.Traffic().Mend()
		ctx := context.WithoutCancel(t.Context())
		if err := errors.Join(client.Close(ctx), client.Close(ctx)); err != nil {
			t.Errorf("close, twice: %v", err)
		}
		if rest, soap := v.Sessions(); rest+soap > 0 {
			t.Errorf("%d REST and %d SOAP sessions are left", rest, soap)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v, client, n
}

// newTag makes the tag gold of the category sla.
func newTag(t *testing.T, c *vsphere.Client) string {
	t.Helper()
	category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Single})
	if err != nil {
		t.Fatal(err)
	}
	tag, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func allVMs(v *vcsim.VCenter) []vsphere.Object {
	var objects []vsphere.Object
	for _, vm := range v.VMs() {
		objects = append(objects, vsphere.Object{Type: "VirtualMachine", ID: vm.ID})
	}
	return objects
}
