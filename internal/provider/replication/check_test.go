package replication_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

func TestAccReplication_validate(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	wrong := func(expect string, config string) resource.TestStep {
		return resource.TestStep{Config: config, ExpectError: says(expect)}
	}
	s.Run(t,
		wrong("rpo_minutes value must be between 1 and 1440", config(s, 0)),
		wrong("rpo_minutes value must be between 1 and 1440", config(s, 1441)),
		wrong("rpo_minutes must be a whole number, got 15.5", strings.Replace(config(s, 15), "= 15", "= 15.5", 1)),
		wrong("point_in_time.days must be a whole number, got 0.5",
			config(s, 15, "point_in_time = { instances_per_day = 1, days = 0.5 }")),
		wrong("must be a device key", config(s, 15, `disks = { disk1 = {} }`)),
		wrong("Home Folder Is Always Replicated", config(s, 15, `disks = { home = { enabled = false } }`)),
		wrong("Seed Not Supported for Home Folder", config(s, 15, `disks = { home = { seed_path = "a/b.vmdk" } }`)),
		wrong(`No Initial Sync While Paused.*\d: wait_for_initial_sync =`,
			config(s, 15, "paused = true", "wait_for_initial_sync = true")),
		wrong("instances_per_day", config(s, 15, "point_in_time = { instances_per_day = 0, days = 1 }")),
		wrong("must be VirtualMachine:", s.Provider()+`
resource "vsla_replication" "vm" {
  pairing_id          = "00000000-0000-4000-8000-000000000000"
  vm_id               = "vm-42"
  target_datastore_id = "Datastore:datastore-1:00000000-0000-4000-8000-000000000000"
  rpo_minutes         = 15
}`),
	)
	assert.Equal(t, 0, s.Traffic().Total())
}

func TestAccReplication_capability(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	none := gateway.Capability{Status: "OK", MinRPOMinutes: 15, AutoReplicate: true}
	with := func(c gateway.Capability) func() { return func() { s.SetCapability(s.VM(0), c) } }
	s.Run(
		t,
		acctest.After(with(none), acctest.FailingStep(config(s, 14), "rpo_minutes must be at least 15, got 14")),
		resource.TestStep{Config: config(s, 15, "quiesce_guest = true"), ExpectError: says("quiescing is not supported")},
		acctest.FailingStep(config(s, 15, "network_compression = true"), "traffic compression is not supported"),
		acctest.FailingStep(config(s, 15, "network_encryption = true"), "traffic encryption is not supported"),
		acctest.FailingStep(config(s, 15, "point_in_time = { instances_per_day = 1, days = 1 }"),
			"keeping point-in-time instances is not supported"),
		acctest.After(with(gateway.Capability{Status: "VM_IS_ENCRYPTED", Reasons: []string{"The VM is encrypted."}}),
			acctest.FailingStep(config(s, 15), "reports VM_IS_ENCRYPTED.*The VM is encrypted")),
		acctest.After(with(gateway.Capability{Status: "OK"}),
			acctest.FailingStep(config(s, 15), "automatic replication of new disks is not supported")),
		acctest.After(func() { s.Deny("getVmCapability") },
			acctest.FailingStep(config(s, 15), "to skip the check, set skip_capability_check = true")),
		acctest.After(func() { s.Allow(); with(none)() }, resource.TestStep{
			Config: config(s, 15),
			Check: func(*terraform.State) error {
				assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
				return nil
			},
		}),
		resource.TestStep{Config: config(s, 5), ExpectError: says("rpo_minutes must be at least 15, got 5")},
		resource.TestStep{
			Config:      config(s, 5, "skip_capability_check = true"),
			ExpectError: says("RPO_TOO_LOW"),
		}, // error code of the gateway
	)
}

func TestPlan_unusualVMs(t *testing.T) {
	t.Parallel()
	const n = 8
	s := acctest.StartSites(t, n, gateway.Switches{})
	can := gateway.DefaultCapability()
	can.MinRPOMinutes = 60
	for i := range n {
		s.SetCapability(s.VM(i), can)
	}
	f := &fleet{s: s}
	p := f.start(t)
	for i := range n {
		config := f.config(t, p, i, 30)
		answer, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: typeName, PriorState: p.none(t), ProposedNewState: config, Config: config,
		})
		require.NoError(t, err)
		require.Len(t, answer.Diagnostics, 1, i+1)
		assert.Equal(t, "Not Supported by VM", answer.Diagnostics[0].Summary, i+1)
	}
}

func atVCenter(s *acctest.Sites, config string) string {
	return strings.Replace(config, s.Provider(), s.ProviderAt(s.Protected), 1)
}

// The provider checks all replications with a single vCenter request, and reads only the disks of the changed
// replication from the gateway.
func TestAccReplication_excludedDisk(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	second := strings.Replace(strings.TrimPrefix(onTwoDisks(s, 15), s.Provider()), `"vm"`, `"second"`, 1)
	both := atVCenter(s, config(s, 15)) + second
	const excluded = "vsla_replication.second"
	s.Run(
		t,
		resource.TestStep{Config: both},
		resource.TestStep{
			PreConfig: func() {
				assert.True(t, s.ChangeDisk(s.VM(1), 2001, gateway.DiskOptions{Excluded: true}), "the VM is not replicated")
			},
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(excluded, plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
			}},
		}, resource.TestStep{
			Config: both,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(excluded, tfjsonpath.New("disks"), knownvalue.Null()),
			},
			Check: func(*terraform.State) error {
				for _, r := range s.Replications() {
					for _, d := range r.Disks {
						assert.True(t, d.Replicated, "disk %d of %s is not replicated", d.Key, r.VM)
					}
				}
				return nil
			},
		},
		resource.TestStep{PreConfig: func() { s.Traffic().Reset() }, Config: both, PlanOnly: true},
	)
	assert.Equal(t, 0, s.Traffic().Count("getReplicatedVmDisks"))
}

const example = "examples/resources/vsla_replication"

// workspace prepares the example for the real Terraform CLI and provider binary. The virtual clock advances with each
// poll, so that each wait ends after one poll.
func workspace(t *testing.T, s *acctest.Sites, env ...string) (*terraformcli.Workspace, string) {
	t.Helper()
	s.StepPerPoll(20 * time.Second)
	w, dir := acctest.Workspace(t, nil, example, append(s.Environment(), env...)...)
	for _, file := range []string{"import-by-string-id.tf", "import-by-identity.tf"} {
		require.NoError(t, os.Remove(filepath.Join(dir, file)))
	}
	// Delete replicas on destroy. Otherwise, the VM could not be replicated again.
	resource := filepath.Join(dir, "resource.tf")
	content, err := os.ReadFile(resource)
	require.NoError(t, err)
	content = bytes.ReplaceAll(content, []byte("retain_replica_disks_on_destroy = true"), nil)
	require.NoError(t, os.WriteFile(resource, content, 0o600))
	block := "terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "providers.tf"), []byte(block), 0o600))
	return w, dir
}

// TestCLI_killed kills Terraform while the replication is being configured. The next apply fails with an error that
// contains an import block for the replication, and the import succeeds.
func TestCLI_killed(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	w, dir := workspace(t, s)
	gate := fault.NewGate()
	s.Traffic().Break(fault.Rule{Kind: "configureReplication", Times: 1, After: gate.Hold})
	var out bytes.Buffer
	cmd := w.Command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // fails, because the process was killed
	gate.Open()
	s.Advance(time.Minute)

	said := acctest.RunTerraform(t, w, 1, "apply", "-auto-approve", "-input=false", "-no-color")
	found := regexp.MustCompile(`id = "([^"]+)"`).FindStringSubmatch(said)
	require.Len(t, found, 2, "no import block in:\n%s", said)
	block := "import {\n  to = vsla_replication.database\n  id = \"" + found[1] + "\"\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "import.tf"), []byte(block), 0o600))
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
	assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
	s.ExpireSessions() // the killed provider could not log out
}

func TestCLI_interrupted(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	w, _ := workspace(t, s)
	gate := fault.NewGate()
	s.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Times: 1, Before: gate.Hold})
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out bytes.Buffer
	cmd := w.Command(ctx, "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	interrupt()
	assert.Error(t, cmd.Wait(), "an interrupted apply ended well")
	gate.Open()
	assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), "The operation was canceled.",
		"the message does not say what happened:\n%s", out.String())
	assert.Equal(t, 0, s.Sessions())
	assert.Contains(t, acctest.RunTerraform(t, w, 0, "show", "-no-color"), "vsla_replication.database")
	s.Advance(time.Minute)
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
	// The replication is resumed instead of being configured again.
	if r := only(t, s); r.Configured != 1 || s.Traffic().Count("configureReplication") != 1 ||
		s.Traffic().Count("unconfigureReplication") != 0 {
		t.Errorf("%+v, after %v", r, s.Traffic().Counts())
	}
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}

func TestCLI_keepsSecrets(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	log := filepath.Join(t.TempDir(), "trace.log")
	w, dir := workspace(t, s, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	var written strings.Builder
	written.WriteString(acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "show", "-json", "tfplan"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "apply", "-input=false", "tfplan"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "show", "-json"))
	// For a failed login, the error contains only the status, because the response might quote the password.
	for operation, quote := range map[string]string{
		"login": "HTTP 400", "createRemoteSession": "HTTP 400", "getAllReplications": "quoted: ",
	} {
		s.Traffic().Break(fault.Rule{Kind: operation, Status: http.StatusBadRequest, Echo: true})
		failed := acctest.RunTerraform(t, w, 1, "plan", "-input=false")
		s.Traffic().Mend()
		assert.Contains(t, failed, quote, operation)
		written.WriteString(failed)
	}
	written.WriteString(acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false"))
	for _, file := range []string{
		log, filepath.Join(dir, "terraform.tfstate"), filepath.Join(dir, "terraform.tfstate.backup"),
		filepath.Join(dir, "tfplan"),
	} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		written.Write(content)
	}
	text := written.String()
	if !strings.Contains(text, "Replication request") ||
		!strings.Contains(text, "/pairings/{pairing_id}/remote-session") { // verify that the log contains requests
		t.Fatal("the log holds no request, so nothing was shown")
	}
	secrets := append(s.SessionIDs(), s.Password(), s.RemotePassword())
	require.GreaterOrEqual(t, len(secrets), 6)
	for i, secret := range secrets {
		assert.NotContains(t, text, secret, "secret %d of %d is in what was written", i+1, len(secrets))
	}
}
