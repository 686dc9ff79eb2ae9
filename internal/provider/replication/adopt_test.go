package replication_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func existing(t *testing.T, options gateway.ReplicationOptions) *acctest.Sites {
	t.Helper()
	s := acctest.StartSites(t, 2, gateway.Switches{Latest: gateway.Latest{DiskFormat: true}})
	options.VM = s.VM(0)
	require.NoError(t, s.AddReplication(options))
	s.Advance(time.Minute)
	return s
}

// TestAccReplication_adoptExisting verifies that the plan shows the replication that a create adopts, with its
// settings, and that the apply changes those that differ.
func TestAccReplication_adoptExisting(t *testing.T) {
	t.Parallel()
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 240, Compression: true})
	before := only(t, s)
	const adopt = "adopt_existing = true"
	known := func(attribute string, check knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(address, tfjsonpath.New("adopts").AtMapKey(attribute), check)
	}
	s.Run(t,
		acctest.FailingStep(config(s, 15),
			`\d: vm_id =.*import \{.*set adopt_existing = true to adopt the replication`),
		acctest.FailingStep(config(s, 240, "network_compression = true"),
			`an interrupted create may have left it behind`),
		resource.TestStep{
			Config: config(s, 15, adopt),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				known("replication_id", knownvalue.StringExact(before.ID)),
				known("rpo_minutes", knownvalue.Int64Exact(240)),
				known("network_compression", knownvalue.Bool(true)),
				known("disk_format", knownvalue.StringExact("THIN")),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("disk_format"), knownvalue.StringExact("THIN")),
			}},
			Check: func(*terraform.State) error {
				want := settings(before)
				want.RPOMinutes, want.Compression = 15, false
				assert.Equal(t, want, settings(only(t, s)))
				return nil
			},
		},
		resource.TestStep{
			Config: config(s, 15, adopt), ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check: resource.TestCheckNoResourceAttr(address, "adopts.replication_id"),
		},
	)
	assert.Equal(t, 0, s.Traffic().Count("configureReplication"))
	assert.Equal(t, 1, s.Traffic().Count("reconfigureReplication"))
}

// TestAccReplication_adoptEqual verifies that a replication with the planned settings is adopted without a change.
func TestAccReplication_adoptEqual(t *testing.T) {
	t.Parallel()
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 15})
	s.Run(t, resource.TestStep{Config: config(s, 15, "adopt_existing = true", "skip_capability_check = true")})
	assert.Equal(t, 0, s.Traffic().Count("configureReplication"))
	assert.Equal(t, 0, s.Traffic().Count("reconfigureReplication"))
}

type planHook func()

func (h planHook) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	h()
}

// TestAccReplication_changedSincePlan verifies that a create does not overwrite a change that the plan did not show.
func TestAccReplication_changedSincePlan(t *testing.T) {
	t.Parallel()
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 240})
	s.KeepReplications()
	changes := planHook(func() { s.ChangeRPO(s.VM(0), 60) })
	s.Run(t, resource.TestStep{
		Config:           config(s, 15, "adopt_existing = true"),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{changes}},
		ExpectError:      says(`inconsistent final plan|another client has changed the settings`),
	})
	assert.EqualValues(t, 60, only(t, s).RPOMinutes)
}

// TestCLI_destroyBesideExisting verifies that an object that already exists is an error of a plan, but not of a
// destroy.
func TestCLI_destroyBesideExisting(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	s.KeepReplications()
	w, dir := workspace(t, s)
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	require.NoError(t, s.AddReplications(15, s.VM(0)))
	s.Advance(time.Minute)
	file := filepath.Join(dir, "second.tf")
	second := strings.TrimPrefix(config(s, 15), s.Provider())
	require.NoError(t, os.WriteFile(file, []byte(second), 0o600))
	out := acctest.RunTerraform(t, w, 1, "plan", "-input=false", "-no-color")
	assert.Contains(t, out, "already exists")
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
	assert.Equal(t, s.VM(0), only(t, s).VM)
}
