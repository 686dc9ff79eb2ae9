package acctest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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

// StartProtection starts the vCenter and the appliance. When the test ends, all sessions must be closed. Requests are
// validated against the vSAN Data Protection 9.1 API specification, unless loose is set. Tests of later releases must
// set loose.
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

// Run runs a test case and records the provider's warnings.
func (p *Protection) Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, func() (tfprotov6.ProviderServer, error) {
		server, err := p.Server()()
		return warningRecorder{server, p}, err
	}, resource.TestCase{Steps: steps})
}

// Warnings returns the summary and detail of each warning since the last call.
func (p *Protection) Warnings() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	warned := p.warnings
	p.warnings = nil
	return warned
}

// warningRecorder is a provider that records warnings, because the testing library drops them.
type warningRecorder struct {
	tfprotov6.ProviderServer
	protection *Protection
}

func (r warningRecorder) recordWarnings(diags []*tfprotov6.Diagnostic) {
	r.protection.mu.Lock()
	defer r.protection.mu.Unlock()
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			r.protection.warnings = append(r.protection.warnings, d.Summary+": "+d.Detail)
		}
	}
}

func (r warningRecorder) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := r.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil {
		r.recordWarnings(resp.Diagnostics)
	}
	return resp, err
}

func (r warningRecorder) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := r.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil {
		r.recordWarnings(resp.Diagnostics)
	}
	return resp, err
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

func (l *Lab) addCACertificate(t *testing.T, ca []byte) {
	t.Helper()
	known, err := os.ReadFile(l.caFile)
	if err == nil {
		err = os.WriteFile(l.caFile, append(known, ca...), 0o600) //nolint:gosec // the test created the file
	}
	require.NoError(t, err)
}

func configuredServer(
	t *testing.T, start func() (tfprotov6.ProviderServer, error), arguments map[string]any,
) tfprotov6.ProviderServer {
	t.Helper()
	provider, err := start()
	require.NoError(t, err)
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	config := Object(t, schema.Provider, arguments)
	resp, err := provider.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
	require.NoError(t, err)
	require.Empty(t, resp.Diagnostics)
	return provider
}

func newObject(t *testing.T, typ tftypes.Type, attributes map[string]any) tftypes.Value {
	t.Helper()
	shape, ok := typ.(tftypes.Object)
	require.True(t, ok, "%s is not an object", typ)
	all := make(map[string]tftypes.Value, len(shape.AttributeTypes))
	for name, kind := range shape.AttributeTypes {
		all[name] = newValue(t, kind, attributes[name])
	}
	return tftypes.NewValue(typ, all)
}

// newValue converts a Go value. A map[string]any becomes an object or a map, depending on the type.
func newValue(t *testing.T, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	members, nested := v.(map[string]any)
	if !nested {
		return tftypes.NewValue(typ, v)
	}
	m, ok := typ.(tftypes.Map)
	if !ok {
		return newObject(t, typ, members)
	}
	all := make(map[string]tftypes.Value, len(members))
	for key, member := range members {
		all[key] = newValue(t, m.ElementType, member)
	}
	return tftypes.NewValue(typ, all)
}

// RunInBubble runs f in a testing/synctest bubble, without a network and with the gateway on the bubble's clock. Time
// advances only while all goroutines are blocked, so the number of requests is deterministic. Create providers with
// Configured, because no CLI is available.
func (s *Sites) RunInBubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	handler, options := s.Handler(), s.options
	defer func() { s.options = options }()
	synctest.Test(t, func(t *testing.T) {
		passes := time.Now //nolint:forbidigo // the bubble's clock
		s.realClock.Store(&passes)
		defer func() {
			now := time.Now() //nolint:forbidigo // the bubble's clock
			stopped := func() time.Time { return now }
			s.realClock.Store(&stopped)
		}()
		s.options.Sleep = nil
		s.options.WrapReplication = func(http.RoundTripper) http.RoundTripper { return handlerTransport{handler} }
		f(t)
		assert.NoError(t, s.sessions.Close(t.Context()))
	})
}

type handlerTransport struct{ handler http.Handler }

func (d handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RemoteAddr, in.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
	if r.Body == nil {
		in.Body = io.NopCloser(bytes.NewReader(nil))
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	return w.Result(), nil
}
