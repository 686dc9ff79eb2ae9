// Package acctest runs acceptance tests against the lab. Each test gets its own simulated vCenter and an in-process
// provider, and must leave nothing behind. Only tests import this package.
package acctest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// Lab is a simulated vCenter and the provider configuration for it.
type Lab struct {
	*vcsim.VCenter
	caFile      string
	sessions    *connection.Sessions
	clock       *clock
	keepObjects bool
	appliances  []string // environment variables of the added appliances
	// Recovery is the recovery site started by AddReplication.
	Recovery *vcsim.VCenter
}

// Start starts a vCenter for the test. When the test ends, all sessions must be closed, and all objects created through
// the provider must be deleted unless KeepObjects was called. Tagging requests are validated against the vendor's API
// specification.
func Start(t *testing.T, config vcsim.Config) *Lab {
	t.Helper()
	if !config.Plain {
		contract := tagcontract.Load(t)
		wrap := config.Wrap
		config.Wrap = func(next http.Handler) http.Handler {
			next = contract.Strict(t, next)
			if wrap != nil {
				next = wrap(next)
			}
			return next
		}
	}
	v, err := vcsim.Start(t.Context(), config)
	require.NoError(t, err)
	lab := &Lab{
		VCenter:  v,
		caFile:   filepath.Join(t.TempDir(), "ca.pem"),
		sessions: &connection.Sessions{},
		clock:    &clock{now: epoch},
	}
	require.NoError(t, os.WriteFile(lab.caFile, v.CAPEM(), 0o600))
	t.Cleanup(func() {
		v.Traffic().Mend()
		assert.NoError(t, lab.sessions.Close(context.WithoutCancel(t.Context())))
		checkSessions(t, v)
		if !lab.keepObjects {
			assert.Empty(t, v.Tags().Leftovers(), "left behind in vCenter")
		}
		assert.NoError(t, v.Close())
	})
	return lab
}

// checkSessions checks that all sessions of a vCenter are closed.
func checkSessions(t *testing.T, v *vcsim.VCenter) {
	t.Helper()
	rest, soap := v.Sessions()
	assert.Equal(t, 0, rest)
	assert.Equal(t, 0, soap)
}

// KeepObjects disables the check for leftover objects.
func (l *Lab) KeepObjects() { l.keepObjects = true }

// Provider returns the provider block for this vCenter with additional arguments.
func (l *Lab) Provider(extra ...string) string {
	lines := append(connectionLines(l.VCenter), fmt.Sprintf("  ca_file = %q", l.caFile))
	return providerBlock(append(lines, extra...)...)
}

// connectionLines returns the arguments of the provider for a vCenter.
func connectionLines(v *vcsim.VCenter) []string {
	return []string{
		fmt.Sprintf("  vsphere_server = %q", v.URL()),
		fmt.Sprintf("  user = %q", v.User()),
		fmt.Sprintf("  password = %q", v.Password()),
	}
}

// providerBlock returns the provider block with these lines.
func providerBlock(lines ...string) string {
	return "provider \"vsla\" {\n" + strings.Join(lines, "\n") + "\n}\n"
}

// Environment returns the environment variables that connect the provider binary to the vCenter and its appliances.
func (l *Lab) Environment() []string {
	return append(slices.Clone(l.appliances), "VSPHERE_SERVER="+l.URL(), "VSPHERE_USER="+l.User(),
		"VSPHERE_PASSWORD="+l.Password(), "VSLA_CA_FILE="+l.caFile)
}

// CAFile returns the path of the CA certificate.
func (l *Lab) CAFile() string { return l.caFile }

// Run runs a test case with the lab's provider.
func (l *Lab) Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	l.RunCase(t, resource.TestCase{Steps: steps})
}

// RunCase is like Run, but for a test case with other fields, for example with additional providers.
func (l *Lab) RunCase(t *testing.T, test resource.TestCase) {
	t.Helper()
	run(t, l.Server(), test)
}

// Server returns a provider factory with the lab's clock, for another lab's RunCase.
func (l *Lab) Server() func() (tfprotov6.ProviderServer, error) {
	return serverWithClock(l.sessions, l.clock)
}

// Configured returns a configured provider for use without a CLI.
func (l *Lab) Configured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	return configuredServer(t, l.Server(), map[string]any{
		"vsphere_server": l.URL(),
		"user":           l.User(),
		"password":       l.Password(),
		"ca_file":        l.caFile,
	})
}

// RunOffline runs a test case without a connection and with an empty environment.
func RunOffline(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, Server(&connection.Sessions{}), resource.TestCase{Steps: steps})
}

// RunWithEnvironment runs a test case with environment variables that are visible only to the provider.
func RunWithEnvironment(t *testing.T, variables map[string]string, steps ...resource.TestStep) {
	t.Helper()
	options := provider.Options{
		Sessions: &connection.Sessions{},
		Getenv:   func(name string) string { return variables[name] },
	}
	run(t, server(options), resource.TestCase{Steps: steps})
}

// run runs a test case with the provider and its additional providers.
func run(t *testing.T, factory func() (tfprotov6.ProviderServer, error), test resource.TestCase) {
	t.Helper()
	requireCLI(t)
	factories := map[string]func() (tfprotov6.ProviderServer, error){"vsla": factory}
	maps.Copy(factories, test.ProtoV6ProviderFactories)
	test.ProtoV6ProviderFactories = factories
	resource.UnitTest(t, test)
}

// addCACertificate adds the CA certificate of another server to the file.
func (l *Lab) addCACertificate(t *testing.T, ca []byte) {
	t.Helper()
	known, err := os.ReadFile(l.caFile)
	if err == nil {
		err = os.WriteFile(l.caFile, append(known, ca...), 0o600) //nolint:gosec // the test created the file
	}
	require.NoError(t, err)
}
