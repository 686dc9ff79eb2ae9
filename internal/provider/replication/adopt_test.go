package replication_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
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
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 240, Compression: true, DataSets: true})
	before := only(t, s)
	const adopt = "adopt_existing = true"
	known := func(attribute string, check knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(address, tfjsonpath.New("adopts").AtMapKey(attribute), check)
	}
	s.Run(t,
		acctest.FailingStep(config(s, 15),
			`\d: vm_id =.*import \{.*set adopt_existing = true to adopt the replication`),
		resource.TestStep{
			Config: config(s, 15, adopt),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				known("replication_id", knownvalue.StringExact(before.ID)),
				known("rpo_minutes", knownvalue.Int64Exact(240)),
				known("network_compression", knownvalue.Bool(true)),
				known("replicate_vm_data_sets", knownvalue.Bool(true)),
				known("disk_format", knownvalue.StringExact("THIN")),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("disk_format"), knownvalue.StringExact("THIN")),
			}},
			Check: func(*terraform.State) error {
				want := settings(before)
				want.RPOMinutes = 15
				want.Compression = false
				want.DataSets = false
				assert.Equal(t, want, settings(only(t, s)))
				return nil
			},
		},
		resource.TestStep{
			Config:           config(s, 15, adopt),
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check:            resource.TestCheckNoResourceAttr(address, "adopts.replication_id"),
		},
	)
	assert.Equal(t, 0, s.Traffic().Count("configureReplication"))
	assert.Equal(t, 1, s.Traffic().Count("reconfigureReplication"))
}

// attributesOf returns the arguments of a replication of the first VM.
func attributesOf(s *acctest.Sites) map[string]any {
	return map[string]any{
		"pairing_id":          s.PairingID(),
		"vm_id":               s.VM(0),
		"target_datastore_id": s.Datastore(0),
		"rpo_minutes":         15,
	}
}

// TestReplication_adoptEqual verifies that a replication with the planned settings is adopted without a change, even if
// the ID of its vCenter is written in capitals.
func TestReplication_adoptEqual(t *testing.T) {
	t.Parallel()
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 15})
	s.KeepReplications()
	attributes := attributesOf(s)
	attributes["vm_id"] = strings.Replace(s.VM(0), s.LocalVCenterID(), strings.ToUpper(s.LocalVCenterID()), 1)
	attributes["adopt_existing"] = true
	attributes["skip_capability_check"] = true
	state, said := applied(t, s, nil, attributes, nothing)
	require.Empty(t, said)
	assertUnchanged(t, s, state, attributes)
	assert.Equal(t, 0, s.Traffic().Count("configureReplication"))
	assert.Equal(t, 0, s.Traffic().Count("reconfigureReplication"))
}

// TestReplication_adoptOneOfTwo verifies that no replication is adopted if the VM has two.
func TestReplication_adoptOneOfTwo(t *testing.T) {
	t.Parallel()
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 15})
	s.KeepReplications()
	s.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
		first := gateway.Rows(answer)[0]
		other := maps.Clone(first)
		other["id"] = "HmsGroup:other" // sorted behind the existing one
		answer["list"], answer["_meta"] = []any{first, other}, map[string]any{"total": 2}
	})
	attributes := attributesOf(s)
	attributes["adopt_existing"] = true
	p := (&fleet{s: s}).start(t)
	config := acctest.Object(t, p.schema, attributes)
	answer, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         typeName,
		PriorState:       p.none(t),
		ProposedNewState: config,
		Config:           config,
	})
	require.NoError(t, err)
	require.Len(t, answer.Diagnostics, 1)
	assert.Contains(t, answer.Diagnostics[0].Detail, "is not the only one")
}

// TestReplication_configuredMeanwhile lets another client configure a replication of the VM just before the request.
func TestReplication_configuredMeanwhile(t *testing.T) {
	t.Parallel()
	for adopt, want := range map[bool]string{
		false: "The object already exists and is not adopted automatically.",
		true:  "Exists Since the Plan: The object did not exist when the plan was made",
	} {
		s := acctest.StartSites(t, 1, gateway.Switches{})
		s.KeepReplications()
		s.Traffic().Break(fault.Rule{
			Kind: "configureReplication",
			Before: func(*http.Request) {
				assert.NoError(t, s.AddReplication(gateway.ReplicationOptions{VM: s.VM(0), RPOMinutes: 60}))
			},
		})
		attributes := attributesOf(s)
		attributes["adopt_existing"] = adopt
		state, said := applied(t, s, nil, attributes, nothing)
		assert.Contains(t, said, want)
		assert.Equal(t, !adopt, strings.Contains(said, `id = "`+s.PairingID()+"/"+only(t, s).ID+`"`))
		p := (&fleet{s: s}).start(t)
		assert.True(t, p.value(t, state).IsNull())
	}
}

// deleted applies a destroy of a replication, and returns the summaries of its diagnostics.
func (p process) deleted(t *testing.T, state *tfprotov6.DynamicValue) (summaries []string) {
	t.Helper()
	none := p.none(t)
	answer, err := p.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName:     typeName,
		PriorState:   state,
		PlannedState: none,
		Config:       none,
	})
	require.NoError(t, err)
	for _, d := range answer.Diagnostics {
		summaries = append(summaries, d.Summary)
	}
	return summaries
}

// TestReplication_adoptedAndDestroyed destroys a resource in the apply in which another one adopts its replication.
func TestReplication_adoptedAndDestroyed(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	s.KeepReplications()
	attributes := attributesOf(s)
	state, said := applied(t, s, nil, attributes, nothing)
	require.Empty(t, said)
	attributes["adopt_existing"] = true
	p := (&fleet{s: s}).start(t)
	config := acctest.Object(t, p.schema, attributes)
	planned := p.plan(t, p.none(t), config)
	p = (&fleet{s: s}).start(t)
	answer, err := p.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       typeName,
		PriorState:     p.none(t),
		PlannedState:   planned.PlannedState,
		Config:         config,
		PlannedPrivate: planned.PlannedPrivate,
	})
	fine(t, err, answer.Diagnostics)
	assert.Equal(t, []string{"Replication Not Deleted"}, p.deleted(t, state))
	assert.Len(t, s.Replications(), 1)
}

// TestReplication_recoveryBegins begins a recovery after the replication was read, and before it is destroyed.
func TestReplication_recoveryBegins(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	s.KeepReplications()
	state, said := applied(t, s, nil, attributesOf(s), nothing)
	require.Empty(t, said)
	p := (&fleet{s: s}).start(t)
	state = p.refresh(t, state)
	s.Advance(15 * time.Second)
	s.SetRecoveryState(s.VM(0), "IN_PROGRESS")
	assert.Equal(t, []string{"Replication Is Part of a Recovery"}, p.deleted(t, state))
	assert.Len(t, s.Replications(), 1)
}

// TestReplication_encryptionNotInState changes a replication whose state is from a server that did not report the
// encryption. The update keeps it.
func TestReplication_encryptionNotInState(t *testing.T) {
	t.Parallel()
	s := existing(t, gateway.ReplicationOptions{RPOMinutes: 15, Encryption: true})
	s.KeepReplications()
	attributes := attributesOf(s)
	attributes["adopt_existing"] = true
	state, said := applied(t, s, nil, attributes, nothing)
	require.Empty(t, said)
	p := (&fleet{s: s}).start(t)
	var values map[string]tftypes.Value
	require.NoError(t, p.value(t, state).As(&values))
	values["network_encryption"] = tftypes.NewValue(tftypes.Bool, nil)
	value, err := tfprotov6.NewDynamicValue(p.schema.ValueType(), tftypes.NewValue(p.schema.ValueType(), values))
	require.NoError(t, err)
	attributes["rpo_minutes"] = 30
	planned := p.plan(t, &value, acctest.Object(t, p.schema, attributes))
	answer, err := p.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       typeName,
		PriorState:     &value,
		PlannedState:   planned.PlannedState,
		Config:         acctest.Object(t, p.schema, attributes),
		PlannedPrivate: planned.PlannedPrivate,
	})
	fine(t, err, answer.Diagnostics)
	assert.EqualValues(t, 30, only(t, s).RPOMinutes)
	assert.True(t, only(t, s).Encryption)
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

// TestCLI_destroyBesideExisting verifies that an object that already exists is a warning of a plan, and does not stop a
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
	out := acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "an interrupted create may have left it behind")
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
	assert.Equal(t, s.VM(0), only(t, s).VM)
}

// TestAccReplication_importCapitals verifies that an appliance that writes the ID of a VM in capitals causes no change
// after an import.
func TestAccReplication_importCapitals(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{Capitals: true})
	require.NoError(t, s.AddReplication(gateway.ReplicationOptions{VM: s.VM(0), RPOMinutes: 15}))
	s.Advance(time.Minute)
	imported := strings.Replace(config(s, 15), s.LocalVCenterID(), strings.ToLower(s.LocalVCenterID()), 1)
	require.NotEqual(t, s.LocalVCenterID(), strings.ToLower(s.LocalVCenterID()))
	s.Run(t,
		resource.TestStep{
			Config:             imported,
			ResourceName:       address,
			ImportState:        true,
			ImportStatePersist: true,
			ImportStateId:      s.PairingID() + "/" + only(t, s).ID,
		},
		resource.TestStep{Config: imported, ConfigPlanChecks: action(plancheck.ResourceActionNoop)},
		resource.TestStep{
			Config:           strings.Replace(imported, "= 15", "= 30", 1),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
		},
	)
}
