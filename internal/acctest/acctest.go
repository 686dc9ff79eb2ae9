// Package acctest runs Terraform against the lab: each test gets a simulated vCenter of its own and a provider in
// process, and is asked afterwards what it left behind. It is imported by tests only.
package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/lab/vcsim"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/client"
	"terraform-provider-vsla/internal/terraformcli"
)

// Lab is a simulated vCenter with the provider's configuration for it.
type Lab struct {
	*vcsim.VCenter
	caFile   string
	sessions *client.Sessions
	keep     bool
	// replication is the environment of a gateway beside the vCenter.
	replication []string
}

// Start runs a vCenter for the test. When the test ends it must have left no session open and nothing in vCenter that
// was made through the provider; Keep relaxes the latter.
func Start(t *testing.T, config vcsim.Config) *Lab {
	t.Helper()
	v, err := vcsim.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	lab := &Lab{VCenter: v, caFile: filepath.Join(t.TempDir(), "ca.pem"), sessions: &client.Sessions{}}
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
	run(t, l.sessions, steps)
}

// Offline runs a test case with a provider that has no connection and an empty environment.
func Offline(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, &client.Sessions{}, steps)
}

func run(t *testing.T, sessions *client.Sessions, steps []resource.TestStep) {
	t.Helper()
	runWith(t, Server(sessions), steps)
}

func runWith(t *testing.T, server func() (tfprotov6.ProviderServer, error), steps []resource.TestStep) {
	t.Helper()
	needCLI(t)
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){"vsla": server},
		Steps:                    steps,
	})
}

// Server makes providers that read no environment and wait for nothing between attempts.
func Server(sessions *client.Sessions) func() (tfprotov6.ProviderServer, error) {
	return server(provider.Options{
		Sessions: sessions,
		Sleep:    func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

func server(options provider.Options) func() (tfprotov6.ProviderServer, error) {
	options.Version, options.Getenv = "test", func(string) string { return "" }
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
		t.Fatalf("this test runs Terraform: %v. `make test` builds one where there is none.", err)
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
