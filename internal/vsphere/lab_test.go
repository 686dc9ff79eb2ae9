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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type sleepRecorder struct {
	mu     sync.Mutex
	sleeps []time.Duration
	clock  time.Time
}

func (n *sleepRecorder) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sleeps = append(n.sleeps, d)
	n.clock = n.clock.Add(d)
	return ctx.Err()
}

func (n *sleepRecorder) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clock
}

// startLab starts a lab and returns it with a client. At the end of the test, it closes both and checks that no session
// is left. Unless lab.Plain is set, tagging requests and responses are validated against the vendor's contract.
func startLab(t *testing.T, lab vcsim.Config, change ...func(*vsphere.Config)) (*vcsim.VCenter, *vsphere.Client,
	*sleepRecorder,
) {
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
	sleeps := &sleepRecorder{clock: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	config := vsphere.Config{
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
		Settings: transport.Settings{CAFile: ca, Sleep: sleeps.sleep, Now: sleeps.now},
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
	return v, client, sleeps
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
