package replication_test

import (
	"maps"
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
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func onTwoDisks(s *acctest.Sites, rpo int, lines ...string) string {
	return strings.Replace(config(s, rpo, lines...), s.VM(0), s.VM(1), 1)
}

// settings returns the settings of a replication without its status. It also omits disk formats, which older releases
// do not report.
func settings(r gateway.Replication) gateway.Replication {
	r.Status = ""
	r.RPOViolation = false
	r.Configured = 0
	r.Syncs = nil
	r.SyncCount = 0
	r.Violations = nil
	r.AskedServerID = ""
	for i := range r.Disks {
		r.Disks[i].Format = ""
	}
	return r
}

// applied refreshes and plans a replication, and applies the plan in a new process. If state is nil, the replication is
// created. between runs after the plan. It returns the new state and the errors of the apply.
func applied(
	t *testing.T, s *acctest.Sites, state *tfprotov6.DynamicValue, attributes map[string]any, between func(),
) (made *tfprotov6.DynamicValue, said string) {
	t.Helper()
	p := (&fleet{s: s}).start(t)
	state = p.refresh(t, state)
	config := acctest.Object(t, p.schema, attributes)
	planned := p.plan(t, state, config)
	between()
	p = (&fleet{s: s}).start(t)
	answer, err := p.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       typeName,
		PriorState:     state,
		PlannedState:   planned.PlannedState,
		Config:         config,
		PlannedPrivate: planned.PlannedPrivate,
	})
	require.NoError(t, err)
	var text strings.Builder
	for _, d := range answer.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			text.WriteString(d.Summary + ": " + d.Detail)
		}
	}
	return answer.NewState, text.String()
}

func nothing() {}

// assertUnchanged checks that the next plan is empty.
func assertUnchanged(t *testing.T, s *acctest.Sites, state *tfprotov6.DynamicValue, attributes map[string]any) {
	t.Helper()
	p := (&fleet{s: s}).start(t)
	refreshed := p.refresh(t, state)
	next := p.plan(t, refreshed, acctest.Object(t, p.schema, attributes))
	assert.True(t, p.same(t, next.PlannedState, refreshed), "the next plan changes the replication")
	assert.Empty(t, next.RequiresReplace)
}

// TestReplication_serverMoved verifies that an update leaves a replication on the server to which another client has
// moved it since the plan.
func TestReplication_serverMoved(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{NullServerMoves: true})
	s.KeepReplications()
	attributes := attributesOf(s)
	made, said := applied(t, s, nil, attributes, nothing)
	require.Empty(t, said)
	first := only(t, s).ServerID
	moved := ""
	attributes["rpo_minutes"] = 30
	_, said = applied(t, s, made, attributes, func() {
		s.ChangeDisk(s.VM(0), 0, gateway.DiskOptions{})
		moved = only(t, s).ServerID
	})
	require.Empty(t, said)
	assert.NotEqual(t, first, moved)
	assert.Equal(t, moved, only(t, s).ServerID)
}

func TestReplication_otherClient(t *testing.T) {
	t.Parallel()
	change := func(s *acctest.Sites, key int32, to gateway.DiskOptions) {
		assert.True(t, s.ChangeDisk(s.VM(1), key, to), "%s is not replicated", s.VM(1))
	}
	others := map[string]func(s *acctest.Sites){
		"excludes a disk": func(s *acctest.Sites) { change(s, 2000, gateway.DiskOptions{Excluded: true}) },
		"moves the replicas": func(s *acctest.Sites) {
			for _, key := range []int32{0, 2000, 2001} {
				change(s, key, gateway.DiskOptions{Datastore: 1})
			}
		},
		"adds a disk": func(s *acctest.Sites) {
			_, err := s.Protected.AddDisk(s.Protected.VMs()[1].ID)
			assert.NoError(t, err)
		},
	}
	points := map[string]any{"point_in_time": map[string]any{"instances_per_day": 3, "days": 2}}
	for name, test := range map[string]struct {
		before, after map[string]any
		want          func(*gateway.Replication)
	}{
		"RPO": {
			after: map[string]any{"rpo_minutes": 30},
			want:  func(r *gateway.Replication) { r.RPOMinutes = 30 },
		},
		"RPO with points in time": {
			before: points,
			after:  map[string]any{"rpo_minutes": 30},
			want:   func(r *gateway.Replication) { r.RPOMinutes = 30 },
		},
		"compression": {
			after: map[string]any{"network_compression": true},
			want:  func(r *gateway.Replication) { r.Compression = true },
		},
		"pause": {
			after: map[string]any{"paused": true},
			want:  func(r *gateway.Replication) { r.Paused = true },
		},
	} {
		for does, other := range others {
			t.Run(name+", "+does, func(t *testing.T) {
				t.Parallel()
				s := acctest.StartSites(t, 2, gateway.Switches{})
				s.KeepReplications()
				attributes := map[string]any{
					"pairing_id":               s.PairingID(),
					"vm_id":                    s.VM(1),
					"target_datastore_id":      s.Datastore(0),
					"rpo_minutes":              15,
					"auto_replicate_new_disks": false,
				}
				maps.Copy(attributes, test.before)
				state, said := applied(t, s, nil, attributes, nothing)
				require.Empty(t, said)
				other(s)
				want := settings(only(t, s))
				test.want(&want)
				maps.Copy(attributes, test.after)
				state, said = applied(t, s, state, attributes, nothing)
				require.Empty(t, said)
				got := settings(only(t, s))
				if len(got.Disks) > len(want.Disks) { // the gateway does not list the added disk until the update
					added := got.Disks[len(want.Disks)]
					assert.False(t, added.Replicated, "the disk that was added is replicated: %+v", added)
					got.Disks = got.Disks[:len(want.Disks)]
				}
				assert.Equal(t, want, got)
				assertUnchanged(t, s, state, attributes)
			})
		}
	}
}

// TestAccReplication_format verifies that a change of the RPO sends the disk formats that the gateway reports, whether
// they are configured or not, and that a format that another client has changed is shown.
func TestAccReplication_format(t *testing.T) {
	t.Parallel()
	const flat = `disks = { "2001" = { disk_format = "FLAT" } }`
	s := acctest.StartSites(t, 2, gateway.Switches{Latest: gateway.Latest{DiskFormat: true}})
	require.NoError(t, s.AddReplication(gateway.ReplicationOptions{
		VM:         s.VM(1),
		RPOMinutes: 15,
		LastDisk:   gateway.DiskOptions{Format: "FLAT"}, // the other disks are THIN
	}))
	s.Advance(time.Minute)
	formats := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			var got []string
			for _, d := range only(t, s).Disks {
				got = append(got, d.Format)
			}
			assert.Equal(t, want, got)
			return nil
		}
	}
	thin := func(format string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New("disk_format"), knownvalue.StringExact(format))
	}
	s.Run(t,
		resource.TestStep{
			Config:             onTwoDisks(s, 15, flat),
			ResourceName:       address,
			ImportState:        true,
			ImportStateId:      s.PairingID() + "/" + s.VM(1),
			ImportStatePersist: true,
		},
		resource.TestStep{
			Config:            onTwoDisks(s, 30, flat),
			Check:             formats("THIN", "THIN", "FLAT"),
			ConfigStateChecks: []statecheck.StateCheck{thin("THIN")},
		},
		acctest.After(func() { s.ChangeDisk(s.VM(1), 2001, gateway.DiskOptions{Format: "THICK"}) }, resource.TestStep{
			Config:           onTwoDisks(s, 30, flat),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            formats("THIN", "THIN", "FLAT"),
		}),
		resource.TestStep{
			Config: onTwoDisks(s, 30, flat, `disk_format = "SAME_AS_SOURCE"`),
			Check:  formats("SAME_AS_SOURCE", "SAME_AS_SOURCE", "FLAT"),
		},
	)
}

func TestAccReplication_adoptedAsItIs(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	err := s.AddReplication(gateway.ReplicationOptions{
		VM:         s.VM(1),
		RPOMinutes: 15,
		LastDisk:   gateway.DiskOptions{Excluded: true},
	})
	require.NoError(t, err)
	s.Advance(time.Minute)
	want := settings(only(t, s))
	want.RPOMinutes = 30
	disks := `disks = { "2001" = { enabled = false } }`
	s.Run(t,
		resource.TestStep{
			Config:             onTwoDisks(s, 15, disks),
			ResourceName:       address,
			ImportState:        true,
			ImportStateId:      s.PairingID() + "/" + s.VM(1),
			ImportStatePersist: true,
		}, resource.TestStep{
			Config: onTwoDisks(s, 30, disks),
			Check: func(*terraform.State) error {
				assert.Equal(t, want, settings(only(t, s)))
				return nil
			},
		},
	)
}

func TestApply_changedSince(t *testing.T) {
	t.Parallel()
	disk := func(other gateway.DiskOptions) func(*acctest.Sites) {
		return func(s *acctest.Sites) { s.ChangeDisk(s.VM(0), 2000, other) }
	}
	for name, test := range map[string]struct {
		change func(*acctest.Sites)
		want   string
	}{
		"RPO":   {func(s *acctest.Sites) { s.ChangeRPO(s.VM(0), 60) }, "changed rpo_minutes of the replication"},
		"disk":  {disk(gateway.DiskOptions{Excluded: true}), `changed disks["2000"] of the replication`},
		"place": {disk(gateway.DiskOptions{Datastore: 1}), `changed disks["2000"] of the replication`},
		"same":  {func(s *acctest.Sites) { s.ChangeRPO(s.VM(0), 30) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, gateway.Switches{})
			s.KeepReplications()
			attributes := func(rpo int) map[string]any {
				return map[string]any{
					"pairing_id":          s.PairingID(),
					"vm_id":               s.VM(0),
					"target_datastore_id": s.Datastore(0),
					"rpo_minutes":         rpo,
					"disks":               map[string]any{"2000": map[string]any{"enabled": true}},
				}
			}
			made, _ := applied(t, s, nil, attributes(15), nothing)
			_, got := applied(t, s, made, attributes(30), func() { test.change(s) })
			require.Contains(t, got, test.want)
			assert.Equal(t, test.want == "", got == "")
			sent := 0
			if test.want == "" {
				sent = 1
			}
			assert.Equal(t, sent, s.Traffic().Count("reconfigureReplication"))
		})
	}
}

// TestAccReplication_pairedAgain verifies that a replication stays in state when its pairing gets a new ID. With the
// new pairing_id, the plan is empty. With the old one, the plan fails instead of replacing the replication.
func TestAccReplication_pairedAgain(t *testing.T) {
	t.Parallel()
	const again = "11111111-2222-4333-8444-555555555555"
	s := acctest.StartSites(t, 1, gateway.Switches{})
	before := config(s, 15)
	after := strings.Replace(before, s.PairingID(), again, 1)
	var id string
	same := func(*terraform.State) error {
		assert.Equal(t, id, only(t, s).ID)
		assert.Zero(t, s.Traffic().Count("unconfigureReplication"))
		assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
		return nil
	}
	s.Run(t,
		resource.TestStep{
			Config: before,
			Check: func(*terraform.State) error {
				id = only(t, s).ID
				return nil
			},
		},
		acctest.After(func() { s.SetPairingID(again) },
			acctest.FailingStep(before, "The pairing does not exist on the replication server")),
		acctest.FailingStep(strings.Replace(before, "rpo_minutes ", "skip_capability_check = true\n  rpo_minutes ", 1),
			`Unable to Replace Replication.*pairing does not exist`),
		resource.TestStep{
			Config:           after,
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check: resource.ComposeTestCheckFunc(same,
				resource.TestCheckResourceAttr("vsla_replication.vm", "pairing_id", again)),
		},
		resource.TestStep{Config: strings.Replace(after, "= 15", "= 30", 1), Check: same},
	)
}
