package acctest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/snapcontract"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// Protection is a vCenter with an appliance of vSAN Data Protection. Time is virtual and advances while the provider
// waits.
type Protection struct {
	*snapservice.Appliance
	VCenter  *vcsim.VCenter
	caFile   string
	sessions *connection.Sessions
	options  provider.Options

	mu     sync.Mutex
	warned []string
}

// StartProtection starts both for the test and checks at its end that all sessions are closed. Requests are checked
// against the contract of vSAN Data Protection unless loose is set, which tests of later releases need.
func StartProtection(t *testing.T, vcenter vcsim.Config, config snapservice.Config, loose bool) *Protection {
	t.Helper()
	v, err := vcsim.Start(t.Context(), vcenter)
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	config.VCenter = v
	if contract := snapcontract.Load(t); !loose {
		config.Wrap = func(next http.Handler) http.Handler { return contract.Strict(t, next) }
	}
	a, err := snapservice.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(a.Close)
	p := &Protection{
		Appliance: a, VCenter: v, caFile: filepath.Join(t.TempDir(), "ca.pem"), sessions: &connection.Sessions{},
	}
	require.NoError(t, os.WriteFile(p.caFile, slices.Concat(v.CAPEM(), a.CAPEM()), 0o600))
	p.options = provider.Options{
		Sessions: p.sessions, Now: a.Now,
		Sleep: func(ctx context.Context, d time.Duration) error {
			a.Advance(d)
			return ctx.Err()
		},
	}
	t.Cleanup(func() {
		a.Traffic().Mend()
		v.Traffic().Mend()
		assert.NoError(t, p.sessions.Close(context.WithoutCancel(t.Context())))
		open, _ := a.Sessions()
		assert.Equal(t, 0, open)
		rest, soap := v.Sessions()
		require.Equal(t, 0, rest)
		assert.Equal(t, 0, soap)
	})
	return p
}

// Provider returns the provider block with additional lines.
func (p *Protection) Provider(extra ...string) string {
	lines := append([]string{
		`provider "vsla" {`,
		fmt.Sprintf("  vsphere_server = %q", p.VCenter.URL()),
		fmt.Sprintf("  user = %q", p.VCenter.User()),
		fmt.Sprintf("  password = %q", p.VCenter.Password()),
		fmt.Sprintf("  ca_file = %q", p.caFile),
		fmt.Sprintf("  data_protection = { server = %q }", p.URL()),
	}, extra...)
	return strings.Join(append(lines, "}", ""), "\n")
}

// Cluster returns the ID of the nth cluster.
func (p *Protection) Cluster(n int) string { return p.VCenter.Clusters()[n].ID }

// VM returns the ID of the nth VM.
func (p *Protection) VM(n int) string { return p.VCenter.VMs()[n].ID }

// Tag creates a tag in a category and attaches it to VMs by index.
func (p *Protection) Tag(t *testing.T, category, cardinality, name string, vms ...int) string {
	t.Helper()
	at := slices.IndexFunc(p.VCenter.Tags().Categories(), func(c tagging.Category) bool { return c.Name == category })
	var id string
	if at >= 0 {
		id = p.VCenter.Tags().Categories()[at].ID
	} else {
		var err error
		id, err = p.VCenter.Tags().AddCategory(tagging.Category{Name: category, Cardinality: cardinality})
		require.NoError(t, err)
	}
	tag, err := p.VCenter.Tags().AddTag(tagging.Tag{Name: name, CategoryID: id})
	require.NoError(t, err)
	for _, n := range vms {
		p.Attach(t, tag, n)
	}
	return tag
}

// Attach attaches a tag to the nth VM outside Terraform.
func (p *Protection) Attach(t *testing.T, tag string, n int) {
	t.Helper()
	require.NoError(t, p.VCenter.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: p.VM(n)}))
}

// Server returns a provider factory with the appliance's clock.
func (p *Protection) Server() func() (tfprotov6.ProviderServer, error) { return server(p.options) }

// Configured returns a configured provider without a CLI.
func (p *Protection) Configured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	return configured(t, p.Server(), map[string]any{
		"vsphere_server": p.VCenter.URL(), "user": p.VCenter.User(), "password": p.VCenter.Password(),
		"ca_file": p.caFile, "data_protection": map[string]any{"server": p.URL()},
	})
}

// Run runs a test case and records the provider's warnings.
func (p *Protection) Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, func() (tfprotov6.ProviderServer, error) {
		server, err := p.Server()()
		return recorded{server, p}, err
	}, resource.TestCase{Steps: steps})
}

// Warnings returns summaries and details of the warnings since the last call.
func (p *Protection) Warnings() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	warned := p.warned
	p.warned = nil
	return warned
}

// recorded is a provider that records warnings, because the testing library drops them.
type recorded struct {
	tfprotov6.ProviderServer
	in *Protection
}

func (r recorded) record(diags []*tfprotov6.Diagnostic) {
	r.in.mu.Lock()
	defer r.in.mu.Unlock()
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			r.in.warned = append(r.in.warned, d.Summary+": "+d.Detail)
		}
	}
}

func (r recorded) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := r.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil {
		r.record(resp.Diagnostics)
	}
	return resp, err
}

func (r recorded) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := r.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil {
		r.record(resp.Diagnostics)
	}
	return resp, err
}

// Protect adds an appliance of vSAN Data Protection to the lab's vCenter and its connection to the lab's Environment.
// Without a Wrap of the config its tasks complete before the first poll.
func (l *Lab) Protect(t *testing.T, config snapservice.Config) *snapservice.Appliance {
	t.Helper()
	var a *snapservice.Appliance
	if config.Wrap == nil {
		config.Wrap = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/tasks") {
					a.Advance(time.Minute)
				}
				next.ServeHTTP(w, r)
			})
		}
	}
	config.VCenter = l.VCenter
	a, err := snapservice.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(a.Close)
	l.trust(t, a.CAPEM())
	l.appliances = append(l.appliances, "VSLA_DATA_PROTECTION_SERVER="+a.URL())
	return a
}

// trust adds a certificate to the lab's CA file.
func (l *Lab) trust(t *testing.T, ca []byte) {
	t.Helper()
	known, err := os.ReadFile(l.caFile)
	if err == nil {
		err = os.WriteFile(l.caFile, append(known, ca...), 0o600) //nolint:gosec // a file of the test
	}
	require.NoError(t, err)
}
