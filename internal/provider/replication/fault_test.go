package replication_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// says matches a message whatever the CLI's line breaks do to it.
func says(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)` + regexp.MustCompile(`\s+`).ReplaceAllString(words, `[\s│╷╵]+`))
}

// empty is a step whose plan must be empty: the result of the step before is in state.
func empty(s *acctest.Sites) resource.TestStep {
	return resource.TestStep{
		Config:           config(s, 15),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	}
}

// TestAccReplication_remoteSiteDown: while the other site is down nothing is concluded, and nothing leaves state.
func TestAccReplication_remoteSiteDown(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	back := empty(s)
	back.PreConfig = func() { s.RemoteDown(false) }
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15)},
		resource.TestStep{
			PreConfig:   func() { s.RemoteDown(true) },
			Config:      config(s, 15),
			ExpectError: says("login at the remote site failed.*Nothing was changed"),
		},
		resource.TestStep{Config: config(s, 15), Destroy: true, ExpectError: says("login at the remote site failed")},
		back,
	)
}

// TestAccReplication_answerLost: the gateway did its work, and the answer was lost. The replication is found, and not
// requested again.
func TestAccReplication_answerLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule     fault.Rule
		switches gateway.Switches
	}{
		"cut, and visible late": {rule: fault.Rule{Cut: true}, switches: gateway.Switches{HideFor: 12 * time.Second}},
		"empty":                 {rule: fault.Rule{Status: http.StatusAccepted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, test.switches)
			test.rule.Kind, test.rule.Done, test.rule.Times = "configureReplication", true, 1
			s.Traffic().Break(test.rule)
			s.Run(t, resource.TestStep{Config: config(s, 15)}, empty(s))
			if got := s.Traffic().Count("configureReplication"); got != 1 {
				t.Errorf("%d requests to configure", got)
			}
		})
	}
}

// TestAccReplication_requestLost: the request never arrived. Nothing is in state, and the next apply does it.
func TestAccReplication_requestLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Traffic().Break(fault.Rule{Kind: "configureReplication", Times: 1, Cut: true})
	s.Run(t,
		resource.TestStep{Config: config(s, 15), ExpectError: says("VM has no replication now")},
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
		"stuck for too long": {rule: gateway.TaskRule{Stuck: true}, error: "longer than its timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
			test.rule.Operation, test.rule.Times = "configureReplication", 1
			s.BreakTasks(test.rule)
			limit := ""
			if test.rule.Stuck {
				limit = `timeouts = { create = "2s" }` // the one limit that is not on the virtual clock
			}
			steps := []resource.TestStep{{Config: config(s, 15, limit), ExpectError: says(test.error)}}
			if test.rule.Stuck {
				steps = append(steps, steps[0]) // it is waited for again: only a destroy ends it
			} else {
				steps = append(steps, resource.TestStep{Config: config(s, 15), ConfigPlanChecks: action(test.next)})
			}
			s.Run(t, steps...)
		})
	}
}

// TestAccReplication_tasksLost: the gateway forgets its tasks. The requests took effect all the same.
func TestAccReplication_tasksLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Before: func(*http.Request) { s.LoseTasks() }})
	s.Run(t,
		resource.TestStep{Config: config(s, 15)},
		resource.TestStep{Config: config(s, 30)},
		resource.TestStep{Config: config(s, 30, "paused = true")},
	)
	if got := s.Traffic().Count("getTaskInfo"); got < 4 {
		t.Errorf("%d tasks were looked for", got)
	}
}

// TestAccReplication_taken: a VM that is replicated already is not taken over; the error shows how to.
func TestAccReplication_taken(t *testing.T) {
	t.Parallel()
	for name, skip := range map[string]string{"found in the plan": "", "found in the apply": "skip_capability_check = " +
		"true"} {
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
			s.Run(
				t,
				resource.TestStep{Config: config(s, 15, skip)},
				resource.TestStep{
					Config:      second,
					ExpectError: says(`exists already.*import \{.*to = vsla_replication\.NAME.*id = "` + s.PairingID()),
				},
			)
			if got := s.Traffic().Count("configureReplication"); got != 1 {
				t.Errorf("%d requests to configure", got)
			}
		})
	}
}

// TestAccReplication_machineGone: the VM is deleted while it is replicated. The replication stays in state and can be
// destroyed. A change fails with the reason.
func TestAccReplication_machineGone(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	gone := empty(s)
	gone.PreConfig = func() {
		if err := s.Protected.DestroyVM(s.Protected.VMs()[0].ID); err != nil {
			t.Error(err)
		}
	}
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15)},
		gone,
		resource.TestStep{Config: config(s, 30), ExpectError: says("VM of the Replication Is Gone.*no longer has its VM")},
		resource.TestStep{
			Config:      config(s, 30, "skip_capability_check = true"),
			ExpectError: says("VM of the Replication Is Gone.*The replica is unchanged"),
		},
	)
	if n := s.Traffic().Count("reconfigureReplication"); n != 0 {
		t.Errorf("%d requests to reconfigure", n)
	}
}

// TestAccReplication_recovery: a replication that a recovery solution manages is not destroyed, unless the user allows
// it.
func TestAccReplication_recovery(t *testing.T) {
	t.Parallel()
	for name, seize := range map[string]func(*acctest.Sites){
		"managed":   func(s *acctest.Sites) { s.SetRecoverySolution(s.VM(0), "com.vmware.vcDr") },
		"recovered": func(s *acctest.Sites) { s.SetRecoveryState(s.VM(0), "OK"); s.SetStatus(s.VM(0), "RECOVERED") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 4, gateway.Switches{})
			s.Run(
				t,
				resource.TestStep{Config: config(s, 15)},
				resource.TestStep{
					PreConfig:   func() { seize(s) },
					Config:      config(s, 15),
					Destroy:     true,
					ExpectError: says("Replication Is Part of a Recovery.*destroy_when_managed_by_recovery"),
				},
				resource.TestStep{
					Config: config(s, 15, "destroy_when_managed_by_recovery = true"),
					Check: func(*terraform.State) error {
						if n := s.Traffic().Count("unconfigureReplication"); n != 0 {
							t.Errorf("%d requests to unconfigure", n)
						}
						// The simulated appliance does not unconfigure a VM that is being recovered.
						s.SetRecoveryState(s.VM(0), "NOT_STARTED")
						s.SetStatus(s.VM(0), "")
						return nil
					},
				},
			)
		})
	}
}

// TestAccReplication_recoveringChange: a replication that is being recovered is not reconfigured.
func TestAccReplication_recoveringChange(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	back := empty(s)
	back.PreConfig = func() { s.SetRecoveryState(s.VM(0), "NOT_STARTED") }
	s.Run(
		t,
		resource.TestStep{Config: config(s, 15)},
		resource.TestStep{
			PreConfig:   func() { s.SetRecoveryState(s.VM(0), "IN_PROGRESS") },
			Config:      config(s, 30),
			ExpectError: says("recovery must end first"),
		},
		back,
	)
	if got := s.Traffic().Count("reconfigureReplication"); got != 0 {
		t.Errorf("%d requests to reconfigure", got)
	}
}
