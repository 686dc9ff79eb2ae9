// Package acctest runs Terraform against the lab: each test gets a simulated vCenter and a provider in
// process, and is asked afterwards what it left behind. It is imported by tests only.
package acctest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// Lab is a simulated vCenter with the provider's configuration for it.
type Lab struct {
	*vcsim.VCenter
	caFile   string
	sessions *connection.Sessions
	clock    *clock
	keep     bool
	// replication is the environment of the appliances that protect the vCenter's VMs.
	replication []string
}

// epoch is when every test begins.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Now is the time of the lab's provider, which moves on when it waits.
func (l *Lab) Now() time.Time { return l.clock.time() }

// Start runs a vCenter for the test. When the test ends it must have left no session open and nothing in vCenter that
// was created through the provider; Keep relaxes the latter. Requests and answers of tagging are checked against the
// vendor's contract.
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
	if err != nil {
		t.Fatal(err)
	}
	lab := &Lab{
		VCenter:  v,
		caFile:   filepath.Join(t.TempDir(), "ca.pem"),
		sessions: &connection.Sessions{},
		clock:    &clock{now: epoch},
	}
	if err := os.WriteFile(lab.caFile, v.CAPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.Traffic().Mend()
		if err := lab.sessions.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("log out: %v", err)
		}
		if rest, soap := v.Sessions(); rest != 0 || soap != 0 {
			t.Errorf("%d REST and %d SOAP sessions are left open", rest, soap)
		}
		if left := v.Tags().Leftovers(); len(left) > 0 && !lab.keep {
			t.Errorf("left behind in vCenter: %v", left)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return lab
}

// Keep allows the test to leave things in vCenter, such as those that it made behind the provider's back.
func (l *Lab) Keep() { l.keep = true }

// Provider is the provider block for this vCenter; extra holds further arguments.
func (l *Lab) Provider(extra ...string) string {
	lines := append([]string{
		`provider "vsla" {`,
		fmt.Sprintf("  vsphere_server = %q", l.URL()), fmt.Sprintf("  user = %q", l.User()),
		fmt.Sprintf("  password = %q", l.Password()), fmt.Sprintf("  ca_file = %q", l.caFile),
	}, extra...)
	return strings.Join(append(lines, "}", ""), "\n")
}

// CAFile is the path of the certificate to trust.
func (l *Lab) CAFile() string { return l.caFile }

// Run runs a test case against the lab's provider.
func (l *Lab) Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, paced(l.sessions, l.clock), resource.TestCase{Steps: steps})
}

// Server makes providers on the lab's clock, for RunBeside of another lab.
func (l *Lab) Server() func() (tfprotov6.ProviderServer, error) { return paced(l.sessions, l.clock) }

// RunFrom is Run for CLIs that pass the checks; the test is skipped for others.
func (l *Lab) RunFrom(t *testing.T, checks []tfversion.TerraformVersionCheck, steps ...resource.TestStep) {
	t.Helper()
	run(t, paced(l.sessions, l.clock), resource.TestCase{TerraformVersionChecks: checks, Steps: steps})
}

// RunBeside is Run with further providers.
func (l *Lab) RunBeside(
	t *testing.T,
	providers map[string]func() (tfprotov6.ProviderServer, error),
	steps ...resource.TestStep,
) {
	t.Helper()
	run(t, paced(l.sessions, l.clock), resource.TestCase{ProtoV6ProviderFactories: providers, Steps: steps})
}

// Offline runs a test case with a provider that has no connection and an empty environment.
func Offline(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, Server(&connection.Sessions{}), resource.TestCase{Steps: steps})
}

// InEnvironment runs a test case with variables of the environment, which the provider alone sees.
func InEnvironment(t *testing.T, variables map[string]string, steps ...resource.TestStep) {
	t.Helper()
	getenv := func(name string) string { return variables[name] }
	run(t, server(provider.Options{Sessions: &connection.Sessions{}, Getenv: getenv}), resource.TestCase{Steps: steps})
}

func run(t *testing.T, factory func() (tfprotov6.ProviderServer, error), test resource.TestCase) {
	t.Helper()
	needCLI(t)
	factories := map[string]func() (tfprotov6.ProviderServer, error){"vsla": factory}
	maps.Copy(factories, test.ProtoV6ProviderFactories)
	test.ProtoV6ProviderFactories = factories
	resource.UnitTest(t, test)
}

// OnWait calls then with each wait of the provider, for example to move the time of the vCenter on.
func (l *Lab) OnWait(then func(time.Duration)) { l.clock.then = then }

// clock is the time of one provider: to wait moves it on.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	then func(time.Duration)
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	if c.then != nil {
		c.then(d)
	}
	return ctx.Err()
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Server returns providers that read no environment and share no clock.
func Server(sessions *connection.Sessions) func() (tfprotov6.ProviderServer, error) {
	return paced(sessions, &clock{now: epoch})
}

func paced(sessions *connection.Sessions, c *clock) func() (tfprotov6.ProviderServer, error) {
	return server(provider.Options{Sessions: sessions, Sleep: c.sleep, Now: c.time})
}

func server(options provider.Options) func() (tfprotov6.ProviderServer, error) {
	options.Version = "test"
	if options.Getenv == nil {
		options.Getenv = func(string) string { return "" }
	}
	return providerserver.NewProtocol6WithError(provider.New(options)())
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

// needCLI fails the test with advice when there is no Terraform: the testing library would try to download one and end
// the whole test binary.
func needCLI(t *testing.T) {
	t.Helper()
	if err := findCLI(); err != nil {
		t.Fatalf("this test runs Terraform: %v. `make test` builds one if none is installed.", err)
	}
}

// Root is the folder of the repository.
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
