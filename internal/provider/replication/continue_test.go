package replication_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func continued(t *testing.T, s *acctest.Sites, id *string, configured int) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		r := only(t, s)
		require.Equal(t, *id, r.ID)
		assert.Equal(t, configured, r.Configured)
		assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
		assert.Equal(t, 0, s.Traffic().Count("unconfigureReplication"))
		return nil
	}
}

func failedCopy(t *testing.T, s *acctest.Sites, id *string) (fails resource.TestStep, mend func()) {
	t.Helper()
	s.SetUsed(s.VM(0), 1<<38)
	s.SetDatastore(s.Datastore(0), true, "GREEN", 1<<50)
	s.Traffic().Break(fault.Rule{
		Kind:   "getReplicatedVmDisks",
		Times:  1,
		Before: func(*http.Request) { s.FailReplication(s.VM(0), "The target is full.", "ds") },
	})
	return acctest.FailingStep(config(s, 15, "wait_for_initial_sync = true"),
			"initial sync.*failed.*The target is full"),
		func() {
			*id = only(t, s).ID
			s.FailReplication(s.VM(0), "", "")
		}
}

// TestAccReplication_continued verifies that a create whose initial sync failed is resumed. Terraform plans a
// replacement, but the replica is kept.
func TestAccReplication_continued(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines      []string
		rpo        int
		configured int
		paused     bool
	}{
		"as it was":           {rpo: 15, configured: 1},
		"with a changed RPO":  {rpo: 30, configured: 2},
		"paused":              {rpo: 15, configured: 1, lines: []string{"paused = true"}, paused: true},
		"without being asked": {rpo: 15, configured: 1, lines: []string{"skip_capability_check = true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, gateway.Switches{})
			var id string
			fails, mend := failedCopy(t, s, &id)
			s.Run(t, fails,
				resource.TestStep{
					PreConfig:        mend,
					Config:           config(s, test.rpo, test.lines...),
					ConfigPlanChecks: action(plancheck.ResourceActionReplace),
					Check: resource.ComposeTestCheckFunc(continued(t, s, &id, test.configured),
						func(*terraform.State) error {
							r := only(t, s)
							require.Equal(t, test.paused, r.Paused)
							assert.Equal(t, int64(test.rpo), r.RPOMinutes)
							return nil
						}),
				},
				resource.TestStep{Config: config(s, test.rpo, test.lines...), PlanOnly: true},
			)
		})
	}
}

func TestAccReplication_continuedAgain(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	var id string
	fails, mend := failedCopy(t, s, &id)
	again := fails
	again.PreConfig = func() { id = only(t, s).ID }
	lost := resource.TestStep{
		PreConfig: func() {
			s.Traffic().Break(fault.Rule{Kind: "getVrPairing", Skip: 4, Status: http.StatusForbidden})
		},
		Config:      config(s, 15, "skip_capability_check = true"),
		ExpectError: acctest.ErrorPattern("HTTP 403"),
	}
	s.Run(t, fails, again, lost, resource.TestStep{
		PreConfig: func() {
			s.Traffic().Mend()
			mend()
		},
		Config: config(s, 15),
		Check:  continued(t, s, &id, 1),
	})
}

// TestAccReplication_continuedAfterTimeout verifies that a create that timed out still looks for the replication, so
// that state contains its ID.
func TestAccReplication_continuedAfterTimeout(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	gate := fault.NewGate()
	defer gate.Open()
	var lookups atomic.Int32
	s.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Times: 1, Before: gate.Hold})
	s.Traffic().Break(fault.Rule{
		Kind: "getAllReplications",
		Before: func(*http.Request) {
			select {
			case <-gate.Arrived():
				lookups.Add(1)
			default:
			}
		},
	})
	var id string
	s.Run(
		t,
		acctest.FailingStep(config(s, 15, `timeouts = { create = "2s" }`), "operation timed out"),
		acctest.After(func() {
			assert.Positive(t, lookups.Load())
			gate.Open()
			id = only(t, s).ID
		}, resource.TestStep{
			Config:           config(s, 15),
			ConfigPlanChecks: action(plancheck.ResourceActionReplace),
			Check:            continued(t, s, &id, 1),
		}),
	)
}

// TestReplication_cancelled cancels a create whose request was lost, before or after the appliance handled it. In both
// cases, the replication might exist, so it stays in state.
func TestReplication_cancelled(t *testing.T) {
	t.Parallel()
	for _, handled := range []bool{false, true} {
		s := acctest.StartSites(t, 1, gateway.Switches{})
		s.KeepReplications()
		ctx, cancel := context.WithCancel(t.Context())
		stop := func(*http.Request) { cancel() }
		rule := fault.Rule{Kind: "configureReplication", Times: 1, CloseConnection: true, Before: stop}
		if handled {
			rule = fault.Rule{Kind: "configureReplication", Times: 1, After: stop}
		}
		s.Traffic().Break(rule)
		p := (&fleet{s: s}).start(t)
		config := acctest.Object(t, p.schema, attributesOf(s))
		planned := p.plan(t, p.none(t), config)
		answer, err := p.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
			TypeName:       typeName,
			PriorState:     p.none(t),
			PlannedState:   planned.PlannedState,
			Config:         config,
			PlannedPrivate: planned.PlannedPrivate,
		})
		require.NoError(t, err)
		require.Len(t, answer.Diagnostics, 1)
		assert.Contains(t, answer.Diagnostics[0].Detail, "canceled")
		value := p.value(t, answer.NewState)
		require.False(t, value.IsNull(), handled)
		var attributes map[string]tftypes.Value
		require.NoError(t, value.As(&attributes))
		assert.Equal(t, handled, !attributes["replication_id"].IsNull())
	}
}

func TestAccReplication_taintedDestroyed(t *testing.T) {
	t.Parallel()
	t.Run("destroy", func(t *testing.T) {
		t.Parallel()
		s := acctest.StartSites(t, 1, gateway.Switches{})
		var id string
		fails, mend := failedCopy(t, s, &id)
		s.Run(t, fails, resource.TestStep{PreConfig: mend, Config: s.Provider()})
		require.Equal(t, 1, s.Traffic().Count("unconfigureReplication"))
		assert.Empty(t, s.Replications())
	})
	t.Run("another VM", func(t *testing.T) {
		t.Parallel()
		s := acctest.StartSites(t, 2, gateway.Switches{})
		var id string
		fails, mend := failedCopy(t, s, &id)
		other := s.Provider() + `
resource "vsla_replication" "vm" {
  pairing_id          = "` + s.PairingID() + `"
  vm_id               = "` + s.VM(1) + `"
  target_datastore_id = "` + s.Datastore(0) + `"
  rpo_minutes         = 15
}
`
		s.Run(t, fails, resource.TestStep{
			PreConfig: mend,
			Config:    other,
			Check: func(*terraform.State) error {
				assert.Equal(t, s.VM(1), only(t, s).VM)
				return nil
			},
		})
	})
}
