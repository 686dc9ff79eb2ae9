package group_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestGroupIsGone(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	config := gold(p, byID(p, 0))
	broken := func(rules ...fault.Rule) func() {
		return func() {
			p.Traffic().Mend()
			for _, r := range rules {
				p.Traffic().Break(r)
			}
		}
	}
	const html, none = "<html>not found</html>", `{"error_type":"NOT_FOUND","messages":[]}`
	p.Run(t,
		step(config),
		resource.TestStep{
			PreConfig:          func() { p.Remove(p.GroupByName("gold").ID) },
			Config:             config,
			PlanOnly:           true,
			ExpectNonEmptyPlan: true,
		},
		step(config),
		acctest.After(broken(fault.Rule{Kind: "list", Status: http.StatusNotFound, Body: html}),
			acctest.FailingStep(config, `not support the operation`)),
		resource.TestStep{ // the cluster is not found
			PreConfig:   broken(fault.Rule{Kind: "list", Status: http.StatusNotFound, Body: none}),
			Config:      config,
			ExpectError: acctest.ErrorPattern(`Unable to Read Protection Group`),
		},
		acctest.After(broken(fault.Rule{Kind: "list", Status: http.StatusForbidden}),
			acctest.FailingStep(config, `Permission denied`)),
		resource.TestStep{ // the group is missing from the list, and reading it by ID returns a 404 with HTML
			PreConfig: broken(
				fault.Rule{Kind: "list", Status: http.StatusOK, Body: `{"items":[]}`},
				fault.Rule{Kind: "get", Status: http.StatusNotFound, Body: html},
			),
			Config:      config,
			ExpectError: acctest.ErrorPattern(`Unable to Read Protection Group`),
		},
		resource.TestStep{PreConfig: broken(), Config: config, PlanOnly: true},
	)
}

func TestAnswerToCreateIsLost(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"string", "object", "none"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			p := start(t, lab.Switches{TaskResult: form, NoTarget: true, HideReads: 1})
			p.Traffic().Break(fault.Rule{Kind: "create", Times: 1, CloseConnection: true, HandleFirst: true})
			p.Run(t, step(gold(p, byID(p, 0))))
			assert.Equal(t, 1, p.Traffic().Count("create"))
		})
	}
}

func TestCreateIsBlockedAndTasksArePurged(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{PurgeTasks: true})
	p.Block(time.Hour)
	p.Run(t, step(gold(p, byID(p, 0), `timeouts = { create = "3h", delete = "3h" }`)))
}

func TestCreateFailsHalfWay(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.FailCreates(true)
	config := gold(p, byID(p, 0), replicate(p, 15, ""))
	made := ""
	p.Run(t,
		acctest.FailingStep(config, `its task failed`),
		acctest.After(func() {
			made = p.GroupByName("gold").ID
			p.FailCreates(false)
		}, resource.TestStep{
			Config: config,
			Check:  resource.TestCheckResourceAttrPtr(name, "protection_group_id", &made),
		}),
	)
	assert.Equal(t, 1, p.Traffic().Count("create"))
}

func TestChangeByAnotherClientStopsUpdate(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t,
		step(gold(p, byID(p, 0), replicate(p, 60, ""))),
		resource.TestStep{
			PreConfig: func() {
				p.Traffic().Break(fault.Rule{
					Kind:  "get",
					Times: 1,
					Before: func(*http.Request) { // just before the update's read
						p.Edit(p.GroupByName("gold").ID,
							func(g *lab.Group) { g.Info.Replication[0].RPO.Duration = 240 })
					},
				})
			},
			Config:      gold(p, byID(p, 0), replicate(p, 15, "")),
			ExpectError: acctest.ErrorPattern(`Another client has changed the replication`),
		},
	)
	assert.Equal(t, 0, p.Traffic().Count("update"))
}

func TestFailedOverGroupIsNotChanged(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	state := func(status string) func() {
		return func() { p.Edit(p.GroupByName("gold").ID, func(g *lab.Group) { g.Info.Status = status }) }
	}
	p.Run(t,
		step(gold(p, byID(p, 0))),
		acctest.After(state("DEMOTED"), resource.TestStep{
			Config: gold(p, byID(p, 0)),
			Check:  resource.TestCheckResourceAttr(name, "status", "DEMOTED"),
		}),
		refused(gold(p, byID(p, 0, 2)), "Only ACTIVE and PAUSED groups can be changed"),
		refused(p.Provider(), "a recovery or failover is in progress or complete"),
		resource.TestStep{PreConfig: state("ACTIVE"), Config: gold(p, byID(p, 0))},
	)
}

func TestWrongPasswordIsNotRetried(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	wrong := strings.Replace(gold(p, byTag(tag)), p.VCenter.Password(), "wrong", 1)
	p.Run(t, refused(wrong, "STS of vCenter rejected the user name or password"))
	// Each Terraform command is a separate process with its own login, and the test framework runs two commands.
	n := p.VCenter.Traffic().Count("POST /sts/STSService")
	require.LessOrEqual(t, n, 2, "logins at the STS")
	assert.False(t, p.VCenter.Locked(), "the account is locked")
	for _, kind := range []string{"POST session", "soap:Login"} {
		assert.Equal(t, 0, p.VCenter.Traffic().Count(kind), kind)
	}
}

func TestEndedSessionIsRenewedOnce(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	logins := func() int { return p.VCenter.Traffic().Count("POST /sts/STSService") }
	before := 0
	p.Traffic().Break(fault.Rule{
		Kind:  "create",
		Times: 1,
		Before: func(*http.Request) {
			p.ExpireSessions()
			before = logins()
		},
	})
	p.Run(t, step(p.Provider()+fmt.Sprintf(`
resource "vsla_protection_group" "many" {
  count      = 10
  cluster_id = %q
  name       = "group-${count.index}"
  vm_ids     = [%q]
}`, p.Cluster(0), p.VM(0)), func(*terraform.State) error {
		if n := logins() - before; n != 1 {
			return fmt.Errorf("%d new tokens for ten callers, want 1", n)
		}
		return nil
	}))
	assert.Empty(t, p.Groups())
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	other, err := vcsim.Start(t.Context(), vcsim.Config{Site: 1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	p := acctest.StartProtection(t, acctest.ProtectionConfig{Appliance: lab.Config{Other: other}})
	p.Run(t, refused(gold(p, byID(p, 0)), "Cluster IDs are unique only within one vCenter"))
	assert.Equal(t, 0, other.Traffic().Total()+p.VCenter.Traffic().Count("POST /lookupservice/sdk"))
	redirected := start(t, lab.Switches{})
	redirected.Traffic().Break(fault.Rule{
		Kind:   "list",
		Status: http.StatusFound,
		Header: map[string]string{"Location": other.URL()},
	})
	redirected.Run(t, refused(gold(redirected, byID(redirected, 0)), "redirects to another address"))
	assert.Equal(t, 0, other.Traffic().Total())
}

func TestWordsOfLaterReleases(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{Loose: true})
	edit := func(change func(*lab.Info)) func() {
		return func() { p.Edit(p.GroupByName("gold").ID, func(g *lab.Group) { change(&g.Info) }) }
	}
	config := gold(p, byID(p, 0), replicate(p, 15, ""))
	p.Run(t,
		step(config),
		resource.TestStep{
			PreConfig: edit(func(i *lab.Info) { i.Status = "SOMETHING_NEW" }),
			Config:    config,
			PlanOnly:  true,
		},
		refused(gold(p, byID(p, 0, 2), replicate(p, 15, "")), "Its status is SOMETHING_NEW"),
		acctest.After(edit(func(i *lab.Info) {
			i.Status = "ACTIVE"
			i.Replication[0].RPO.Unit = "FORTNIGHT"
		}),
			acctest.FailingStep(config, `Has Unsupported Settings`)),
		resource.TestStep{PreConfig: edit(func(i *lab.Info) { i.Replication[0].RPO.Unit = "MINUTE" }), Config: config},
	)
}
