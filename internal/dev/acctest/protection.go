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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/snapcontract"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// Protection is a vCenter with a vSAN Data Protection appliance. Time is virtual and advances while the provider waits.
type Protection struct {
	*snapservice.Appliance
	VCenter  *vcsim.VCenter
	caFile   string
	sessions *connection.Sessions
	options  provider.Options

	mu       sync.Mutex
	warnings []string
}

// ProtectionConfig describes a Protection.
type ProtectionConfig struct {
	VCenter   vcsim.Config
	Appliance snapservice.Config
	// Loose disables the validation of requests and responses. Tests of releases other than 9.1 must set it.
	Loose bool
}

// StartProtection starts the vCenter and the appliance. When the test ends, all sessions must be closed. Requests are
// validated against the vSAN Data Protection 9.1 API specification, unless config.Loose is set.
func StartProtection(t *testing.T, config ProtectionConfig) *Protection {
	t.Helper()
	v, err := vcsim.Start(t.Context(), config.VCenter)
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	appliance := config.Appliance
	appliance.VCenter = v
	if !config.Loose {
		contract := snapcontract.Load(t)
		appliance.Wrap = func(next http.Handler) http.Handler { return contract.Strict(t, next) }
	}
	a, err := snapservice.Start(t.Context(), appliance)
	require.NoError(t, err)
	t.Cleanup(a.Close)
	p := &Protection{
		Appliance: a,
		VCenter:   v,
		caFile:    filepath.Join(t.TempDir(), "ca.pem"),
		sessions:  &connection.Sessions{},
	}
	require.NoError(t, os.WriteFile(p.caFile, slices.Concat(v.CAPEM(), a.CAPEM()), 0o600))
	p.options = provider.Options{
		Sessions: p.sessions,
		Now:      a.Now,
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
		checkSessions(t, v)
	})
	return p
}

// Provider returns the provider block with additional lines.
func (p *Protection) Provider(extra ...string) string {
	lines := append(
		connectionLines(p.VCenter),
		fmt.Sprintf("  ca_file = %q", p.caFile),
		fmt.Sprintf("  data_protection = { server = %q }", p.URL()),
	)
	return providerBlock(append(lines, extra...)...)
}

// Cluster returns the ID of the nth cluster.
func (p *Protection) Cluster(n int) string { return p.VCenter.Clusters()[n].ID }

// VM returns the ID of the nth VM.
func (p *Protection) VM(n int) string { return p.VCenter.VMs()[n].ID }

// Tag creates a tag, and its category if that does not exist yet. It attaches the tag to the VMs with the given indexes
// and returns its ID.
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

// Attach attaches a tag to the nth VM outside of Terraform.
func (p *Protection) Attach(t *testing.T, tag string, n int) {
	t.Helper()
	require.NoError(t, p.VCenter.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: p.VM(n)}))
}

// Server returns a provider factory with the appliance's clock.
func (p *Protection) Server() func() (tfprotov6.ProviderServer, error) { return server(p.options) }

// Configured returns a configured provider for use without a CLI.
func (p *Protection) Configured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	return configuredServer(t, p.Server(), map[string]any{
		"vsphere_server":  p.VCenter.URL(),
		"user":            p.VCenter.User(),
		"password":        p.VCenter.Password(),
		"ca_file":         p.caFile,
		"data_protection": map[string]any{"server": p.URL()},
	})
}

// AddProtection adds a vSAN Data Protection appliance to the lab's vCenter. It also adds the appliance's URL to
// Environment. Unless config.Wrap is set, tasks complete before the first poll.
func (l *Lab) AddProtection(t *testing.T, config snapservice.Config) *snapservice.Appliance {
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
	l.addCACertificate(t, a.CAPEM())
	l.appliances = append(l.appliances, "VSLA_DATA_PROTECTION_SERVER="+a.URL())
	return a
}
