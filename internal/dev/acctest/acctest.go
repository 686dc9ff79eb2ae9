// Package acctest runs acceptance tests against the lab. Each test gets its own simulated vCenter and an in-process
// provider, and must leave nothing behind. Only tests import this package.
package acctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
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
	// Recovery is the recovery site started by AddReplication.
	Recovery   *vcsim.VCenter
	appliances []string
}

var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Now returns the time of the provider's clock, which advances while the provider waits.
func (l *Lab) Now() time.Time { return l.clock.time() }

// Start starts a vCenter for the test. When the test ends, all sessions must be closed, and all objects created through
// the provider must be deleted unless KeepObjects was called. Tagging requests are validated against the vendor's API
// specification.
func Start(t *testing.T, config vcsim.Config) *Lab {
	t.Helper()
	if !config.Plain {
		contract, wrap := tagcontract.Load(t), config.Wrap
		config.Wrap = func(next http.Handler) http.Handler {
			if next = contract.Strict(t, next); wrap != nil {
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
		rest, soap := v.Sessions()
		require.Equal(t, 0, rest)
		assert.Equal(t, 0, soap)
		left := v.Tags().Leftovers()
		assert.False(t, len(left) > 0 && !lab.keepObjects, "left behind in vCenter: %v", left)
		assert.NoError(t, v.Close())
	})
	return lab
}

// KeepObjects disables the check for leftover objects.
func (l *Lab) KeepObjects() { l.keepObjects = true }

// Provider returns the provider block for this vCenter with additional arguments.
func (l *Lab) Provider(extra ...string) string {
	lines := append([]string{
		`provider "vsla" {`,
		fmt.Sprintf("  vsphere_server = %q", l.URL()), fmt.Sprintf("  user = %q", l.User()),
		fmt.Sprintf("  password = %q", l.Password()), fmt.Sprintf("  ca_file = %q", l.caFile),
	}, extra...)
	return strings.Join(append(lines, "}", ""), "\n")
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
	run(t, serverWithClock(l.sessions, l.clock), resource.TestCase{Steps: steps})
}

// Server returns a provider factory with the lab's clock, for another lab's RunWithProviders.
func (l *Lab) Server() func() (tfprotov6.ProviderServer, error) {
	return serverWithClock(l.sessions, l.clock)
}

// RunWithVersionChecks is like Run, but skips the test if the CLI does not pass the version checks.
func (l *Lab) RunWithVersionChecks(t *testing.T, checks []tfversion.TerraformVersionCheck, steps ...resource.TestStep) {
	t.Helper()
	run(t, serverWithClock(l.sessions, l.clock), resource.TestCase{TerraformVersionChecks: checks, Steps: steps})
}

// RunWithProviders is like Run, but with additional providers.
func (l *Lab) RunWithProviders(
	t *testing.T, providers map[string]func() (tfprotov6.ProviderServer, error), steps ...resource.TestStep,
) {
	t.Helper()
	run(t, serverWithClock(l.sessions, l.clock), resource.TestCase{ProtoV6ProviderFactories: providers, Steps: steps})
}

// RunOffline runs a test case without a connection and with an empty environment.
func RunOffline(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, Server(&connection.Sessions{}), resource.TestCase{Steps: steps})
}

// RunWithEnvironment runs a test case with environment variables that are visible only to the provider.
func RunWithEnvironment(t *testing.T, variables map[string]string, steps ...resource.TestStep) {
	t.Helper()
	getenv := func(name string) string { return variables[name] }
	run(t, server(provider.Options{Sessions: &connection.Sessions{}, Getenv: getenv}), resource.TestCase{Steps: steps})
}

func run(t *testing.T, factory func() (tfprotov6.ProviderServer, error), test resource.TestCase) {
	t.Helper()
	requireCLI(t)
	factories := map[string]func() (tfprotov6.ProviderServer, error){"vsla": factory}
	maps.Copy(factories, test.ProtoV6ProviderFactories)
	test.ProtoV6ProviderFactories = factories
	resource.UnitTest(t, test)
}

// OnWait sets a function that is called whenever the provider waits, for example to advance the vCenter clock.
func (l *Lab) OnWait(then func(time.Duration)) { l.clock.onSleep = then }

// clock is a provider's clock. It advances when the provider sleeps.
type clock struct {
	mu      sync.Mutex
	now     time.Time
	onSleep func(time.Duration)
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	if c.onSleep != nil {
		c.onSleep(d)
	}
	return ctx.Err()
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Server returns a provider factory with an empty environment and a separate clock.
func Server(sessions *connection.Sessions) func() (tfprotov6.ProviderServer, error) {
	return serverWithClock(sessions, &clock{now: epoch})
}

func serverWithClock(sessions *connection.Sessions, c *clock) func() (tfprotov6.ProviderServer, error) {
	return server(provider.Options{Sessions: sessions, Sleep: c.sleep, Now: c.time})
}

func server(options provider.Options) func() (tfprotov6.ProviderServer, error) {
	options.Version = "test"
	if options.Getenv == nil {
		options.Getenv = func(string) string { return "" }
	}
	p := provider.New(options)()
	return func() (tfprotov6.ProviderServer, error) { return provider.NewServer(p), nil }
}

var findCLI = sync.OnceValue(func() error {
	if os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		return nil
	}
	root, err := Root()
	if err != nil {
		return err
	}
	cli, err := terraformcli.Find(context.Background(), filepath.Join(root, "build"))
	if err != nil {
		return err
	}
	for name, value := range cli.TestEnvironment() {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
})

// requireCLI fails the test if no CLI is found. Otherwise, the testing library would download Terraform and exit.
func requireCLI(t *testing.T) {
	t.Helper()
	require.NoError(t, findCLI())
}

// Root returns the root folder of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}

// CheckNear checks that a numeric attribute differs from want by at most part * want.
func CheckNear(address, attribute string, want, part float64) resource.TestCheckFunc {
	return resource.TestCheckResourceAttrWith(address, attribute, func(text string) error {
		got, err := strconv.ParseFloat(text, 64)
		if err == nil && math.Abs(got-want) > part*math.Abs(want) {
			err = fmt.Errorf("%s is %v, want %v", attribute, got, want)
		}
		return err
	})
}

// FailingStep returns a step that must fail with an error matching a pattern (see ErrorPattern).
func FailingStep(config, pattern string) resource.TestStep {
	return resource.TestStep{Config: config, ExpectError: ErrorPattern(pattern)}
}

// After returns a step before which do runs, for example to change a server.
func After(do func(), step resource.TestStep) resource.TestStep {
	step.PreConfig = do
	return step
}

// ErrorPattern compiles a pattern that matches diagnostics printed by Terraform. Terraform wraps lines, so a space
// matches any white space. ".*" matches across lines, but only within one diagnostic.
func ErrorPattern(pattern string) *regexp.Regexp {
	re, err := syntax.Parse("(?s)"+strings.Join(strings.Fields(pattern), `[\s│╷╵]+`), syntax.Perl)
	if err != nil {
		panic(err)
	}
	limitToDiagnostic(re)
	return regexp.MustCompile(re.String())
}

// withinDiagnostic matches everything up to the next line that begins with "Er" or "Wa", as in "Error" and "Warning".
const withinDiagnostic = `(?:[^\n]|\n+(?:[^EW\n]|E[^r\n]|W[^a\n]))*\n*`

func limitToDiagnostic(re *syntax.Regexp) {
	for i, sub := range re.Sub {
		if (sub.Op == syntax.OpStar || sub.Op == syntax.OpPlus) && sub.Sub[0].Op == syntax.OpAnyChar {
			re.Sub[i], _ = syntax.Parse(withinDiagnostic, syntax.Perl)
			continue
		}
		limitToDiagnostic(sub)
	}
}

// Workspace copies the example at a path in the repository to a new folder. It returns a workspace for that folder, and
// the path of the folder. The workspace's environment contains env and, if lab is not nil, the connection to the lab.
func Workspace(t *testing.T, lab *Lab, example string, env ...string) (*terraformcli.Workspace, string) {
	t.Helper()
	cli, err := buildOnce()
	require.NoError(t, err)
	return WorkspaceWithCLI(t, cli, lab, example, env...)
}

// ForEachCLI runs a test in parallel with every installed CLI.
func ForEachCLI(t *testing.T, test func(*testing.T, terraformcli.CLI)) {
	t.Helper()
	root, err := Root()
	require.NoError(t, err)
	_, err = buildOnce()
	require.NoError(t, err)
	all, err := terraformcli.FindAll(t.Context(), filepath.Join(root, "build"))
	require.NoError(t, err)
	for _, cli := range all {
		t.Run(cli.String(), func(t *testing.T) {
			t.Parallel()
			test(t, cli)
		})
	}
}

// WorkspaceWithCLI is like Workspace, but with the given CLI.
func WorkspaceWithCLI(
	t *testing.T, cli terraformcli.CLI, lab *Lab, example string, env ...string,
) (*terraformcli.Workspace, string) {
	t.Helper()
	root, err := Root()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, terraformcli.CopyFiles(filepath.Join(root, example), dir))
	if lab != nil {
		env = append(lab.Environment(), env...)
	}
	w, err := terraformcli.NewWorkspace(cli, dir, filepath.Join(root, "build", "acctest"), env...)
	require.NoError(t, err)
	return w, dir
}

// RequireTerraform skips the test unless the CLI is Terraform at this version or later.
func RequireTerraform(t *testing.T, version string) {
	t.Helper()
	cli, err := buildOnce()
	require.NoError(t, err)
	if !cli.AtLeast(version) {
		t.Skipf("skipped: needs Terraform %s or later, and this is %s", version, cli)
	}
}

var buildOnce = sync.OnceValues(func() (terraformcli.CLI, error) {
	root, err := Root()
	if err != nil {
		return terraformcli.CLI{}, err
	}
	// Stat makes go test run the tests again if main.go changes.
	if _, err := os.Stat(filepath.Join(root, "main.go")); err != nil {
		return terraformcli.CLI{}, err
	}
	build := filepath.Join(root, "build")
	cli, err := terraformcli.Find(context.Background(), build)
	if err != nil {
		return cli, err
	}
	return cli, terraformcli.BuildProvider(context.Background(), root, filepath.Join(build, "acctest"), io.Discard)
})

// RunTerraform runs the CLI, checks its exit code and returns the output.
func RunTerraform(t *testing.T, w *terraformcli.Workspace, code int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	got, err := w.Run(t.Context(), &out, args...)
	require.NoError(t, err)
	require.Equal(t, code, got, "%v, %v", args, out.String())
	return out.String()
}
