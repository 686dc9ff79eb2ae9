package replication_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func says(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)` + regexp.MustCompile(`\s+`).ReplaceAllString(words, `[\s│╷╵]+`))
}

func empty(s *acctest.Sites) resource.TestStep {
	return resource.TestStep{
		Config:           config(s, 15),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	}
}

func TestAccReplication_remoteSiteDown(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	back := empty(s)
	back.PreConfig = func() { s.RemoteDown(false) }
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15)},
		acctest.After(func() { s.RemoteDown(true) },
			acctest.FailingStep(config(s, 15), "login at the remote site failed.*nothing was changed")),
		resource.TestStep{Config: config(s, 15), Destroy: true, ExpectError: says("login at the remote site failed")},
		back,
	)
}

func TestAccReplication_answerLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule     fault.Rule
		switches gateway.Switches
	}{
		"cut, and visible late": {
			rule:     fault.Rule{CloseConnection: true},
			switches: gateway.Switches{HideFor: 12 * time.Second},
		},
		"empty": {rule: fault.Rule{Status: http.StatusAccepted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, test.switches)
			test.rule.Kind = "configureReplication"
			test.rule.HandleFirst = true
			test.rule.Times = 1
			s.Traffic().Break(test.rule)
			s.Run(t, resource.TestStep{Config: config(s, 15)}, empty(s))
			assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
		})
	}
}

func TestAccReplication_requestLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Traffic().Break(fault.Rule{Kind: "configureReplication", Times: 1, CloseConnection: true})
	s.Run(t,
		resource.TestStep{Config: config(s, 15), ExpectError: says("VM is not replicated")},
		resource.TestStep{Config: config(s, 15), ConfigPlanChecks: action(plancheck.ResourceActionCreate)},
	)
}

func TestAccReplication_taskFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule  gateway.TaskRule
		error string
		next  plancheck.ResourceActionType
	}{
		"in an error": {
			gateway.TaskRule{Fail: "No space left on the target.", Details: "ds-1"},
			"No space left on the target",
			plancheck.ResourceActionCreate,
		},
		"after its success": {
			gateway.TaskRule{ConfigurationError: "A disk of that name exists."},
			"A disk of that name exists",
			plancheck.ResourceActionReplace,
		},
		"stuck for too long": {rule: gateway.TaskRule{Stuck: true}, error: "operation timed out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
			test.rule.Operation = "configureReplication"
			test.rule.Times = 1
			s.BreakTasks(test.rule)
			limit := ""
			if test.rule.Stuck {
				// real time, unlike the other limits, which use the virtual clock
				limit = `timeouts = { create = "2s" }`
			}
			steps := []resource.TestStep{{Config: config(s, 15, limit), ExpectError: says(test.error)}}
			if test.rule.Stuck {
				steps = append(steps, steps[0]) // the second apply also times out, because only a destroy ends the task
			} else {
				steps = append(steps, resource.TestStep{Config: config(s, 15), ConfigPlanChecks: action(test.next)})
			}
			s.Run(t, steps...)
		})
	}
}

// TestAccReplication_destroyTimesOut holds the request of a destroy for longer than timeouts.delete.
func TestAccReplication_destroyTimesOut(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	gate := fault.NewGate()
	defer gate.Open()
	s.Traffic().Break(fault.Rule{Kind: "unconfigureReplication", Times: 1, Before: gate.Hold})
	limited := config(s, 15, `timeouts = { delete = "2s" }`)
	s.Run(t,
		resource.TestStep{Config: limited},
		resource.TestStep{Config: limited, Destroy: true, ExpectError: says("operation timed out")},
		acctest.After(gate.Open, resource.TestStep{Config: config(s, 15)}),
	)
}

// TestAccReplication_noTasks verifies that a create whose tasks cannot be listed looks for the replication instead of
// reporting a missing object.
func TestAccReplication_noTasks(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.StepPerPoll(time.Minute)
	s.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Status: http.StatusNotFound})
	s.Run(t, resource.TestStep{Config: config(s, 15)})
	assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
}

func TestAccReplication_tasksLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Before: func(*http.Request) { s.LoseTasks() }})
	s.Run(t,
		resource.TestStep{Config: config(s, 15)},
		resource.TestStep{Config: config(s, 30)},
		resource.TestStep{Config: config(s, 30, "paused = true")},
	)
	assert.GreaterOrEqual(t, s.Traffic().Count("getTaskInfo"), 4)
}

func TestAccReplication_taken(t *testing.T) {
	t.Parallel()
	for name, skip := range map[string]string{
		"found in the plan": "",
		"found in the apply": "skip_capability_check = " +
			"true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, gateway.Switches{})
			second := config(s, 15, skip) + `
resource "vsla_replication" "again" {
  depends_on          = [vsla_replication.vm]
  pairing_id          = vsla_replication.vm.pairing_id
  vm_id               = vsla_replication.vm.vm_id
  target_datastore_id = vsla_replication.vm.target_datastore_id
  rpo_minutes         = 15
  ` + skip + `
}
`
			s.Run(t, resource.TestStep{Config: config(s, 15, skip)}, acctest.FailingStep(second,
				`already exists.*import \{.*to = vsla_replication\.NAME.*id = "`+s.PairingID()), resource.TestStep{
				Taint:  []string{address},
				Config: config(s, 15, skip, "lifecycle { create_before_destroy = true }"),
				ExpectError: acctest.ErrorPattern(
					`already manages it, do not import it, but remove create_before_destroy`,
				),
			})
			assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
		})
	}
}

// TestAccReplication_machineGone deletes a replicated VM. The replication stays in state and can be destroyed but not
// changed. If the VM is registered again with another ID, the replication is replaced.
func TestAccReplication_machineGone(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	gone := empty(s)
	registered := s.VM(1)
	gone.PreConfig = func() {
		assert.NoError(t, s.Protected.DestroyVM(s.Protected.VMs()[0].ID))
	}
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15)},
		gone,
		resource.TestStep{Config: config(s, 30), ExpectError: says("Replicated VM Not Found.*no longer exists")},
		acctest.FailingStep(config(s, 30, "skip_capability_check = true"),
			"Replicated VM Not Found.*The replica is unchanged"),
		resource.TestStep{
			Config:           strings.Replace(config(s, 30), s.VM(0), registered, 1),
			ConfigPlanChecks: action(plancheck.ResourceActionDestroyBeforeCreate),
			Check: func(*terraform.State) error {
				r := only(t, s)
				require.Equal(t, registered, r.VM)
				assert.EqualValues(t, 30, r.RPOMinutes)
				return nil
			},
		},
	)
	assert.Equal(t, 0, s.Traffic().Count("reconfigureReplication"))
}

func TestAccReplication_recovery(t *testing.T) {
	t.Parallel()
	for name, seize := range map[string]func(*acctest.Sites){
		"managed": func(s *acctest.Sites) { s.SetRecoverySolution(s.VM(0), "com.vmware.vcDr") },
		"recovered": func(s *acctest.Sites) {
			s.SetRecoveryState(s.VM(0), "OK")
			s.SetStatus(s.VM(0), "RECOVERED")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, gateway.Switches{})
			s.Run(
				t,
				resource.TestStep{Config: config(s, 15)},
				acctest.After(func() { seize(s) }, resource.TestStep{
					Config:      config(s, 15),
					Destroy:     true,
					ExpectError: says("Replication Is Part of a Recovery.*destroy_when_managed_by_recovery"),
				}),
				resource.TestStep{
					Config: config(s, 15, "destroy_when_managed_by_recovery = true"),
					Check: func(*terraform.State) error {
						assert.Equal(t, 0, s.Traffic().Count("unconfigureReplication"))
						// Reset the recovery state, because the gateway does not unconfigure a VM in recovery.
						s.SetRecoveryState(s.VM(0), "NOT_STARTED")
						s.SetStatus(s.VM(0), "")
						return nil
					},
				},
			)
		})
	}
}

// TestAccReplication_testRecovery verifies that a change and a destroy name the cleanup of an active test recovery.
func TestAccReplication_testRecovery(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{Latest: gateway.AllOfLatest()})
	running := func(state string, active bool) func() {
		return func() {
			s.SetRecoveryState(s.VM(0), state)
			s.SetActiveImage(s.VM(0), active)
		}
	}
	s.Run(t,
		resource.TestStep{Config: config(s, 15)},
		acctest.After(running("IN_PROGRESS", true), acctest.FailingStep(config(s, 30), `run its cleanup`)),
		resource.TestStep{Config: config(s, 15), Destroy: true, ExpectError: says(`run its cleanup`)},
		acctest.After(running("IN_PROGRESS", false), acctest.FailingStep(config(s, 30), `A recovery is in progress`)),
		acctest.After(running("NOT_STARTED", false), resource.TestStep{Config: config(s, 30)}),
	)
}

func TestAccReplication_recoveringChange(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	back := empty(s)
	back.PreConfig = func() { s.SetRecoveryState(s.VM(0), "NOT_STARTED") }
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15)},
		acctest.After(func() { s.SetRecoveryState(s.VM(0), "IN_PROGRESS") },
			acctest.FailingStep(config(s, 30), "recovery is in progress or complete")),
		back,
	)
	assert.Equal(t, 0, s.Traffic().Count("reconfigureReplication"))
}
