package replication_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

const unknown = tftypes.UnknownValue

// planned plans a replication of VM n with additional arguments. It returns the sorted diagnostics, formatted as
// "severity: attribute: summary".
func planned(t *testing.T, p process, s *acctest.Sites, n int, more map[string]any) []string {
	t.Helper()
	arguments := map[string]any{
		"pairing_id": s.PairingID(), "vm_id": s.VM(n), "target_datastore_id": s.Datastore(0), "rpo_minutes": 60,
	}
	maps.Copy(arguments, more)
	config := acctest.Object(t, p.schema, arguments)
	answer, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: p.none(t), ProposedNewState: config, Config: config,
	})
	require.NoError(t, err)
	var all []string
	for _, d := range answer.Diagnostics {
		at := strings.TrimSuffix(strings.TrimPrefix(d.Attribute.String(), "AttributeName(\""), "\")")
		all = append(all, fmt.Sprintf("%s: %s: %s", d.Severity, at, d.Summary))
	}
	slices.Sort(all)
	return all
}

// policies returns the IDs of two storage policies of the target site: good, with which all datastores comply, and bad,
// with which none of them complies.
func policies(s *acctest.Sites) (good, bad string) {
	all := s.RemotePolicies()
	return all[1], all[2]
}

const notCompliant = "Datastore Does Not Comply With Storage Policy"

// Default policies and datastore clusters are not checked.
func TestPlan_policies(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	good, bad := policies(s)
	key := strconv.Itoa(int(s.Protected.VMStates()[0].Disks[0].Key))
	disk := func(arguments map[string]any) map[string]any { return map[string]any{key: arguments} }
	const whole, own = "target_storage_policy_id", "storage_policy_id"
	atDisk := `disks").ElementKeyString("` + key + `").AttributeName("` + own
	for name, test := range map[string]struct {
		config map[string]any
		want   []string
		checks int
	}{
		"compliant":     {map[string]any{whole: good}, nil, 1},
		"not compliant": {map[string]any{whole: bad}, []string{"ERROR: " + whole + ": " + notCompliant}, 1},
		"a disk's own": {
			map[string]any{whole: good, "disks": disk(map[string]any{own: bad})},
			[]string{"ERROR: " + atDisk + ": " + notCompliant},
			2,
		},
		"a disk's own only": {
			map[string]any{"disks": disk(map[string]any{own: bad})}, []string{"ERROR: " + atDisk + ": " + notCompliant}, 1,
		},
		"at a disk's datastore": {
			map[string]any{whole: good, "disks": disk(map[string]any{"target_datastore_id": s.Datastore(1)})}, nil, 2,
		},
		"both": {
			map[string]any{whole: bad, "disks": disk(map[string]any{"target_datastore_id": s.Datastore(1)})},
			[]string{"ERROR: " + whole + ": " + notCompliant, "ERROR: " + whole + ": " + notCompliant},
			2,
		},
		"policy unknown":            {map[string]any{whole: unknown}, nil, 0},
		"datastore unknown":         {map[string]any{whole: bad, "target_datastore_id": unknown}, nil, 0},
		"a disk's policy unknown":   {map[string]any{whole: good, "disks": disk(map[string]any{own: unknown})}, nil, 1},
		"the datastore's default":   {map[string]any{whole: "dsbrowser.defaultStoragePolicy"}, nil, 0},
		"datastore cluster":         {map[string]any{whole: bad, "target_datastore_id": cluster(s)}, nil, 0},
		"the check is switched off": {map[string]any{whole: bad, "skip_capability_check": true}, nil, 0},
	} {
		// Use a new provider for each plan, because results are cached.
		p := (&fleet{s: s}).start(t)
		s.Traffic().Reset()
		assert.Equal(t, test.want, planned(t, p, s, 0, test.config), name)
		assert.Equal(t, test.checks, s.Traffic().Count("checkStoragePolicyCompliance"), name)
	}
	s.Deny("checkStoragePolicyCompliance")
	p := (&fleet{s: s}).start(t)
	want := []string{"WARNING: " + whole + ": Storage Policy Not Checked"}
	assert.Equal(t, want, planned(t, p, s, 0, map[string]any{whole: good}))
}

func cluster(s *acctest.Sites) string { return "StoragePod:group-p1:" + s.RemoteVCenterID() }

// TestPlan_policiesOfHundred verifies that 100 replications with two policies and two datastores need only four
// compliance checks.
func TestPlan_policiesOfHundred(t *testing.T) {
	t.Parallel()
	const n = 100
	s := acctest.StartSites(t, n, gateway.Switches{})
	good, bad := policies(s)
	f := &fleet{s: s, states: make([]*tfprotov6.DynamicValue, n)}
	p := f.start(t)
	f.each(func(i int) {
		policy, want := good, 0
		if i%2 == 1 {
			policy, want = bad, 1
		}
		got := planned(t, p, s, i, map[string]any{
			"target_storage_policy_id": policy, "target_datastore_id": s.Datastore(i / 2 % 2),
		})
		refused := slices.DeleteFunc(got, func(d string) bool { return !strings.HasSuffix(d, notCompliant) })
		assert.Len(t, refused, want, "VM %d: %q", i+1, got)
	})
	assert.Equal(t, 4, s.Traffic().Count("checkStoragePolicyCompliance"))
}

func holds(t *testing.T, s *acctest.Sites, what string, check func(gateway.Replication) bool) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		if r := only(t, s); !check(r) {
			return fmt.Errorf("%s: %+v", what, r)
		}
		return nil
	}
}

// TestAccReplication_enhanced verifies that an RPO below 5 minutes requires enhanced replication, and that updates keep
// enhanced replication even if the gateway disables omitted settings. A plan that changes the RPO must not show the
// name as known after apply.
func TestAccReplication_enhanced(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{Enhanced: true})
	s.Run(
		t,
		acctest.FailingStep(config(s, 4), `RPO Requires Enhanced Replication.*\d: rpo_minutes =.*at least 5.*got 4`),
		resource.TestStep{
			Config: config(s, 4, "enhanced_replication = true"),
			Check: holds(t, s, "created", func(r gateway.Replication) bool {
				return r.Enhanced && r.RPOMinutes == 4
			}),
		}, resource.TestStep{
			Config: config(s, 15),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(address, tfjsonpath.New("name"), knownvalue.StringExact(s.Protected.VMs()[0].Name)),
			}},
			Check: holds(t, s, "changed", func(r gateway.Replication) bool { return r.Enhanced && r.RPOMinutes == 15 }),
		}, resource.TestStep{
			Config: config(s, 15, "enhanced_replication = false"),
			Check:  holds(t, s, "turned off", func(r gateway.Replication) bool { return !r.Enhanced }),
		},
		acctest.FailingStep(config(s, 3), "RPO Requires Enhanced Replication"),
	)
}

// TestAccReplication_encrypted verifies that an encrypted VM is replicated with network encryption. If
// network_encryption is not set, this is not reported as drift. If it is false, the plan is rejected.
func TestAccReplication_encrypted(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	k := gateway.DefaultCapability()
	k.VMEncrypted = true
	s.SetCapability(s.VM(0), k)
	encrypted := func(r gateway.Replication) bool { return r.Encryption }
	s.Run(
		t,
		acctest.FailingStep(config(s, 15, "network_encryption = false"), "Not Supported by VM.*the VM is encrypted"),
		resource.TestStep{
			Config:            config(s, 15),
			ConfigStateChecks: []statecheck.StateCheck{value("network_encryption", knownvalue.Bool(true))},
			Check:             holds(t, s, "created", encrypted),
		},
		resource.TestStep{Config: config(s, 30), Check: holds(t, s, "changed", encrypted)},
		acctest.FailingStep(config(s, 30, "network_encryption = false"), "Not Supported by VM.*the VM is encrypted"),
	)
}

func TestAccReplication_busy(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"by an answer": {BusyFor: 2 * time.Minute}, "by a task": {BusyFor: 2 * time.Minute, FailInTask: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, switches)
			waits, unknown := 0, false
			s.Sleep(func(ctx context.Context, d time.Duration) error {
				s.Advance(d)
				if waits++; unknown && waits > 3 {
					s.SetStatus(s.VM(0), "")
				}
				return ctx.Err()
			})
			rpo := func(minutes int64) resource.TestCheckFunc {
				return holds(t, s, "changed", func(r gateway.Replication) bool { return r.RPOMinutes == minutes })
			}
			s.Run(
				t,
				resource.TestStep{Config: config(s, 15)},
				resource.TestStep{Config: config(s, 30), Check: rpo(30)},
				acctest.After(func() {
					assert.GreaterOrEqual(t, s.Traffic().Count("reconfigureReplication"), 2)
					s.Advance(2 * time.Minute) // the replication is no longer busy
					s.SetStatus(s.VM(0), "UNKNOWN")
					waits, unknown = 0, true
				}, resource.TestStep{Config: config(s, 60), Check: rpo(60)}),
			)
		})
	}
}

func TestAccReplication_places(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	wrong := "Datastore:" + s.Protected.Datastores()[0].ID + ":" + s.LocalVCenterID()
	key := strconv.Itoa(int(s.Protected.VMStates()[0].Disks[0].Key))
	s.Run(
		t,
		acctest.FailingStep(strings.Replace(config(s, 15), s.Datastore(0), wrong, 1),
			`Datastore of Another Site.*\d: target_datastore_id =.*The target of this replication is vCenter`),
		acctest.FailingStep(config(s, 15, fmt.Sprintf("disks = { %q = { target_datastore_id = %q } }", key, wrong)),
			"Datastore of Another Site.*belongs to vCenter"),
		acctest.FailingStep(config(s, 15, `target_storage_policy_id = "no-such-policy"`),
			`Unable to Check Storage Policy.*\d: target_storage_policy_id =`),
	)
	assert.Equal(t, 0, s.Traffic().Count("configureReplication"))
}
