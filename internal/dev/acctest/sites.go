package acctest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// Sites is a vSphere Replication gateway with its two vCenters. Time is virtual and advances while the provider waits.
type Sites struct {
	*gateway.Gateway
	Protected        *vcsim.VCenter
	Recovery         *vcsim.VCenter
	caFile           string
	sessions         *connection.Sessions
	options          provider.Options
	keepReplications bool
	// realClock is the gateway's real clock. It advances only in RunInBubble.
	realClock atomic.Pointer[func() time.Time]
}

// StartSites starts two sites, with the given number of VMs at the protected site. When the test ends, all sessions
// must be closed, and all replications must be removed unless KeepReplications was called. Requests are validated
// against the API specification.
func StartSites(t *testing.T, vms int, switches gateway.Switches) *Sites {
	t.Helper()
	return StartSitesWith(t, vcsim.Config{VMs: vms}, switches)
}

// bubbleStart is the time at which every synctest bubble starts.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// StartSitesWith is like StartSites, but with the given configuration of the protected site.
func StartSitesWith(t *testing.T, protected vcsim.Config, switches gateway.Switches) *Sites {
	t.Helper()
	site := func(config vcsim.Config) *vcsim.VCenter {
		v, err := vcsim.Start(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		return v
	}
	s := &Sites{
		Protected: site(protected),
		Recovery:  site(vcsim.Config{Site: 1, VMs: 2, Datastores: 2}),
		caFile:    filepath.Join(t.TempDir(), "ca.pem"),
		sessions:  &connection.Sessions{},
	}
	stopped := func() time.Time { return bubbleStart }
	s.realClock.Store(&stopped)
	contract := vrcontract.Load(t)
	prism := os.Getenv("VSLA_PRISM") // it mocks only the document of release 8.8
	switch {
	case switches.Latest != gateway.Latest{}:
		contract = vrcontract.LoadLatest(t)
		prism = ""
	case switches.Enhanced:
		contract = vrcontract.LoadEnhanced(t)
		prism = ""
	}
	g, err := gateway.Start(t.Context(), gateway.Config{
		Protected: s.Protected,
		Recovery:  s.Recovery,
		Switches:  switches,
		Scale:     1,
		Real:      func() time.Time { return (*s.realClock.Load())() },
		Wrap:      func(next http.Handler) http.Handler { return checkedByPrism(t, prism, contract.Strict(t, next)) },
	})
	require.NoError(t, err)
	s.Gateway = g
	require.NoError(t, os.WriteFile(s.caFile, slices.Concat(g.CAPEM(), s.Protected.CAPEM(), s.Recovery.CAPEM()), 0o600))
	s.options = provider.Options{
		Sessions: s.sessions,
		Now:      g.Now,
		Sleep: func(ctx context.Context, d time.Duration) error {
			g.Advance(d)
			return ctx.Err()
		},
	}
	t.Cleanup(func() { s.checkLeftovers(t) })
	return s
}

// AddReplication adds a gateway and a recovery site to the lab's vCenter, which becomes the protected site. It also
// adds the gateway's connection to Environment.
func (l *Lab) AddReplication(t *testing.T, config gateway.Config) *gateway.Gateway {
	t.Helper()
	var err error
	l.Recovery, err = vcsim.Start(t.Context(), vcsim.Config{Site: 1, VMs: 2, Datastores: 2})
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Recovery.Close() })
	config.Protected = l.VCenter
	config.Recovery = l.Recovery
	g, err := gateway.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	l.addCACertificate(t, g.CAPEM())
	l.appliances = append(l.appliances, gatewayEnv(g)...)
	return g
}

// gatewayEnv returns the environment variables that connect the provider to a gateway.
func gatewayEnv(g *gateway.Gateway) []string {
	return []string{
		"VSLA_REPLICATION_SERVER=" + g.URL(),
		"VSLA_REPLICATION_USER=" + g.User(),
		"VSLA_REPLICATION_PASSWORD=" + g.Password(),
		"VSLA_REPLICATION_REMOTE_USER=" + g.RemoteUser(),
		"VSLA_REPLICATION_REMOTE_PASSWORD=" + g.RemotePassword(),
	}
}

// checkLeftovers checks that no session and no replication is left, and stops the gateway.
func (s *Sites) checkLeftovers(t *testing.T) {
	t.Helper()
	s.Traffic().Mend()
	s.Allow()
	require.NoError(t, s.sessions.Close(context.WithoutCancel(t.Context())))
	assert.Equal(t, 0, s.Sessions())
	for _, v := range []*vcsim.VCenter{s.Protected, s.Recovery} {
		v.Traffic().Mend()
		checkSessions(t, v)
	}
	if !s.keepReplications {
		assert.Empty(t, s.Replications(), "replications are left")
	}
	s.Close()
}

// KeepReplications disables the check for leftover replications.
func (s *Sites) KeepReplications() { s.keepReplications = true }

// Sleep replaces the provider's sleep function.
func (s *Sites) Sleep(sleep func(context.Context, time.Duration) error) { s.options.Sleep = sleep }

// Provider returns the provider block with additional lines in its replication argument.
func (s *Sites) Provider(extra ...string) string { return providerBlock(s.replicationLines(extra)...) }

// ProviderAt is like Provider, but also configures a connection to one of the vCenters.
func (s *Sites) ProviderAt(v *vcsim.VCenter, extra ...string) string {
	return providerBlock(append(connectionLines(v), s.replicationLines(extra)...)...)
}

// replicationLines returns the arguments of the provider for the gateway, with additional lines in the block.
func (s *Sites) replicationLines(extra []string) []string {
	lines := append([]string{
		fmt.Sprintf("  ca_file = %q", s.caFile),
		"  replication = {",
		fmt.Sprintf("    server = %q", s.URL()),
		fmt.Sprintf("    user = %q", s.User()),
		fmt.Sprintf("    password = %q", s.Password()),
		fmt.Sprintf("    remote_user = %q", s.RemoteUser()),
		fmt.Sprintf("    remote_password = %q", s.RemotePassword()),
	}, extra...)
	return append(lines, "  }")
}

// Environment returns the environment variables that connect the provider binary to the sites.
func (s *Sites) Environment() []string {
	return append(gatewayEnv(s.Gateway), "VSLA_CA_FILE="+s.caFile)
}

// VM returns the ID that vSphere Replication uses for the nth VM.
func (s *Sites) VM(n int) string {
	return "VirtualMachine:" + s.Protected.VMs()[n].ID + ":" + s.LocalVCenterID()
}

// Datastore returns the ID that vSphere Replication uses for the nth datastore of the recovery site.
func (s *Sites) Datastore(n int) string {
	return "Datastore:" + s.Recovery.Datastores()[n].ID + ":" + s.RemoteVCenterID()
}

// Server returns a provider factory with the sites' clock.
func (s *Sites) Server() func() (tfprotov6.ProviderServer, error) { return server(s.options) }

// Configured returns a provider configured for both sites, for use without a CLI.
func (s *Sites) Configured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	return configuredServer(t, s.Server(), map[string]any{
		"ca_file": s.caFile,
		"replication": map[string]any{
			"server":          s.URL(),
			"user":            s.User(),
			"password":        s.Password(),
			"remote_user":     s.RemoteUser(),
			"remote_password": s.RemotePassword(),
		},
	})
}

// Run runs a test case with the sites' provider.
func (s *Sites) Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, s.Server(), resource.TestCase{Steps: steps})
}
