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

func TestCase15_gone(t *testing.T) {
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

func TestCase16_lostAnswer(t *testing.T) {
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

func TestCase17_blockedAndPurged(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{PurgeTasks: true})
	p.Block(time.Hour)
	p.Run(t, step(gold(p, byID(p, 0), `timeouts = { create = "3h", delete = "3h" }`)))
}

func TestCase18_failedHalfWay(t *testing.T) {
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
		}, resource.TestStep{Config: config}),
	)
	require.Equal(t, 1, p.Traffic().Count("create"))
	assert.NotEmpty(t, made)
}

func TestCase19_changedByAnother(t *testing.T) {
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

func TestCase20_failedOver(t *testing.T) {
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

func TestCase22_wrongPassword(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	wrong := strings.Replace(gold(p, byTag(tag)), p.VCenter.Password(), "wrong", 1)
	p.Run(t, refused(wrong, "STS of vCenter rejected the user name or password"))
	// Each Terraform command is a separate process with its own login, and the test framework runs two commands.
	n := p.VCenter.Traffic().Count("POST /sts/STSService")
	require.LessOrEqual(t, n, 2)
	assert.False(t, p.VCenter.Locked(), "%d logins at the STS, want one for each run; locked: %v", n,
		p.VCenter.Locked())
	for _, kind := range []string{"POST session", "soap:Login"} {
		assert.Equal(t, 0, p.VCenter.Traffic().Count(kind), kind)
	}
}

func TestCase23_sessionEnds(t *testing.T) {
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

func TestCase24_25_otherHosts(t *testing.T) {
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

func TestCase29_unknownValues(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tags := []string{p.Tag(t, "tier", "MULTIPLE", "gold", 0, 1), p.Tag(t, "tier", "MULTIPLE", "silver", 2)}
	config := func(rpo int, tag string) string {
		return p.Provider() + fmt.Sprintf(`
resource "terraform_data" "rpo" { input = %[1]d }
resource "terraform_data" "rules" { input = [%[2]q] }
resource "vsla_protection_group" "gold" {
  count      = 2 # the testing library knows no for_each
  cluster_id = [%[3]q, %[4]q][count.index]
  name       = "gold"
  tag_rules  = [for id in terraform_data.rules.output : { tag_ids = [id], match = "any" }]
  replication = {
    cluster_pair_id = "pair-${[%[3]q, %[4]q][count.index]}"
    rpo_minutes     = terraform_data.rpo.output
  }
}`, rpo, tag, p.Cluster(0), p.Cluster(1))
	}
	at := func(cluster int, attribute, value string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr(fmt.Sprintf("%s.%d", name, cluster), attribute, value)
	}
	p.Run(t,
		step(config(15, tags[0]), at(0, "member_vm_ids.0", p.VM(0)), at(1, "member_vm_ids.0", p.VM(1))),
		step(config(60, tags[0]), at(0, "replication.rpo_minutes", "60"), at(1, "replication.rpo_minutes", "60")),
		step(config(60, tags[1]), at(0, "member_vm_ids.0", p.VM(2)), at(1, "member_vm_ids.#", "0")),
	)
}

func TestCase30_wordsOfLaterReleases(t *testing.T) {
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

func TestCase36_release90(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{Release: "9.0.0.0"})
	p.Run(t,
		refusedAt("tag_rules", gold(p, byTag(p.Tag(t, "tier", "SINGLE", "gold", 0))),
			"which does not support this argument"),
		step(gold(p, byID(p, 0), replicate(p, 15, "")), members(p, "member_vm_ids", 0)),
		step(gold(p, byID(p, 2), replicate(p, 15, "")), members(p, "member_vm_ids", 2)),
	)
}
