package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

type watched struct {
	*gateway.Gateway
	protected *vcsim.VCenter
	env       map[string]string
	gold      string
	config    string
	columns   int
}

const complianceText = `category: sla
tiers:
  - {name: gold, rpo_minutes: 15}
  - {name: silver, tag: second, rpo_minutes: 60}
`

// watch starts two sites. The protected site has ten VMs, all powered on. VMs 0 to 2 are gold, and VM 3 is silver. VMs
// 0, 1 and 3 are replicated and synced, but the replication of VM 1 is paused. VM 7 is replicated to an unknown site.
// VM 8 is replicated but has no tier.
func watch(t *testing.T) *watched {
	t.Helper()
	site := func(config vcsim.Config) *vcsim.VCenter {
		v, err := vcsim.Start(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		return v
	}
	w := &watched{protected: site(vcsim.Config{VMs: 10, Templates: 1})}
	recovery := site(vcsim.Config{Site: 1, VMs: 1})
	g, err := gateway.Start(t.Context(), gateway.Config{Protected: w.protected, Recovery: recovery})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	w.Gateway = g
	category, err := w.protected.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	for name, vms := range map[string][]int{"gold": {0, 1, 2}, "second": {3}} {
		tag, err := w.protected.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
		require.NoError(t, err)
		if name == "gold" {
			w.gold = tag
		}
		for _, n := range vms {
			w.tag(t, tag, n)
		}
	}
	for _, vm := range w.protected.VMs() {
		w.SetUsed(vm.ID, 1e6)
	}
	require.NoError(t, w.AddReplications(15, w.id(0), w.id(1), w.id(3), w.id(8)))
	w.Advance(time.Hour)
	w.PauseReplication(w.id(1), true)
	err = w.protected.Reconfigure(w.id(7), func(c *types.VirtualMachineConfigInfo) {
		c.RepConfig = &types.ReplicationConfigSpec{Destination: "10.0.0.7", Rpo: 15}
	})
	require.NoError(t, err)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, slices.Concat(g.CAPEM(), w.protected.CAPEM(), recovery.CAPEM()), 0o600))
	w.env = map[string]string{
		"VSPHERE_SERVER":                   w.protected.URL(),
		"VSPHERE_USER":                     w.protected.User(),
		"VSPHERE_PASSWORD":                 w.protected.Password(),
		"VSLA_CA_FILE":                     ca,
		"VSLA_REPLICATION_SERVER":          g.URL(),
		"VSLA_REPLICATION_USER":            g.User(),
		"VSLA_REPLICATION_PASSWORD":        g.Password(),
		"VSLA_REPLICATION_REMOTE_USER":     g.RemoteUser(),
		"VSLA_REPLICATION_REMOTE_PASSWORD": g.RemotePassword(),
	}
	w.config = write(t, complianceText)
	return w
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "compliance.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func (w *watched) id(n int) string { return w.protected.VMs()[n].ID }

func (w *watched) tag(t *testing.T, tag string, n int) {
	t.Helper()
	require.NoError(t, w.protected.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: w.id(n)}))
}

func (w *watched) program() cli.Program {
	return cli.Program{
		Now:     w.Now,
		Columns: w.columns,
		Getenv:  environment(w.env),
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.Advance(d)
			return ctx.Err()
		},
	}
}

func (w *watched) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return start(t, w.program(), append([]string{"compliance", "--config", w.config}, args...)...)
}

// oldest returns the last sync time of the VM that has gone longest without a sync, as a Unix time.
func (w *watched) oldest(numbers ...int) float64 {
	var oldest time.Time
	for _, r := range w.Replications() {
		for _, n := range numbers {
			if last := r.Syncs[len(r.Syncs)-1].End; strings.Contains(r.VM, ":"+w.id(n)+":") &&
				(oldest.IsZero() || last.Before(oldest)) {
				oldest = last
			}
		}
	}
	return float64(oldest.Unix())
}
