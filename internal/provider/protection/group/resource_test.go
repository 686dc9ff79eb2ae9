package group_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

const name = "vsla_protection_group.gold"

func TestGroupByTag(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0, 1, 2)
	p.Run(t, step(gold(p, byTag(tag), replicate(p, 15, "")),
		members(p, "member_vm_ids", 0, 2), members(p, "removes"),
		resource.TestCheckResourceAttr(name, "replication.keep_last", "1"),
		resource.TestCheckResourceAttr(name, "status", "ACTIVE"),
		resource.TestCheckResourceAttr(name, "summary", "Protection group gold of cluster "+p.Cluster(0)+
			": 2 members, replicated with an RPO of 15 minutes."),
		resource.TestCheckResourceAttrWith(name, "guid", func(guid string) error {
			assert.Equal(t, p.GroupByName("gold").Info.GUID, guid)
			return nil
		})))
	assert.Empty(t, p.Groups())
}

func TestPatternsIDsAndTagsAddUp(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	p.Run(t,
		step(gold(p, `vm_name_patterns = ["web-*"]`), members(p, "member_vm_ids", 0, 4)), // VMs 0 and 4 are named web-*
		step(gold(p, byID(p, 6)), members(p, "member_vm_ids", 6), members(p, "removes", 0, 4)),
		step(gold(p, byID(p, 6), `vm_name_patterns = ["db-0003"]`, byTag(tag)), members(p, "member_vm_ids", 0, 2, 6)),
	)
}

func TestFiftyGroupsOnBusyAppliance(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{BusyScope: "appliance"})
	p.Run(t, step(p.Provider()+fmt.Sprintf(`
resource "vsla_protection_group" "many" {
  count      = 50
  cluster_id = [%q, %q][count.index %% 2]
  name       = "group-${count.index}"
  vm_ids     = [%q]
  timeouts   = { create = "1m" } # each create takes 5 s: the last of 50 has waited for longer
}`, p.Cluster(0), p.Cluster(1), p.VM(0))))
	assert.GreaterOrEqual(t, p.Traffic().Count("create"), 50)
}

func TestRPOChangesInPlace(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	var sent map[string]any
	p.Traffic().Break(fault.Rule{
		Kind: "update",
		Before: func(r *http.Request) {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			assert.NoError(t, json.Unmarshal(body, &sent))
			r.Body = io.NopCloser(bytes.NewReader(body))
		},
	})
	p.Run(t,
		step(gold(p, byID(p, 0), replicate(p, 60, ""))),
		resource.TestStep{
			Config: gold(p, byID(p, 0), replicate(p, 15, "")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate),
			}},
		},
	)
	assert.Equal(t, []string{"replication_policies"}, slices.Collect(maps.Keys(sent)))
}

func removal(t *testing.T, p *acctest.Protection) (before, after string) {
	t.Helper()
	gold := p.Tag(t, "tier", "MULTIPLE", "gold", 0, 2, 4, 6)
	return byTag(gold), byTag(p.Tag(t, "tier", "MULTIPLE", "platinum", 0))
}

func TestMaxRemoves(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	before, after := removal(t, p)
	p.Run(t,
		step(gold(p, before, replicate(p, 15, ""))),
		refusedAt("max_removes", gold(p, after, replicate(p, 15, ""), "max_removes = 2"),
			"removes 3 members, but max_removes is 2"),
		step(gold(p, after, replicate(p, 15, ""), "max_removes = 3"), members(p, "removes", 2, 4, 6),
			members(p, "member_vm_ids", 0)),
	)
}

func TestTaggedBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "MULTIPLE", "gold", 0, 2, 4, 6)
	other := p.Tag(t, "tier", "MULTIPLE", "platinum", 0)
	p.Run(t,
		step(gold(p, byTag(tag))),
		acctest.After(func() {
			p.Traffic().Reset()
			// Attach the tag between the preview of the plan and that of the apply.
			p.Traffic().Break(fault.Rule{
				Kind:   "preview",
				Skip:   1,
				Times:  1,
				Before: func(*http.Request) { p.Attach(t, other, 2) },
			})
		}, acctest.FailingStep(gold(p, byTag(other)), `(?i)inconsistent final plan`)),
	)
	assert.Equal(t, 0, p.Traffic().Count("update"))
}

func TestLockIsPermanent(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	lock := []string{byID(p, 0), "locked = true"}
	confirmed := append(slices.Clone(lock), `lock_confirmation = "gold"`)
	p.Run(t,
		refused(gold(p, lock...), `set lock_confirmation = "gold"`),
		step(gold(p, byID(p, 0))),
		refused(gold(p, lock...), `set lock_confirmation = "gold"`),
		step(gold(p, confirmed...), resource.TestCheckResourceAttr(name, "locked", "true")),
		acctest.After(func() { p.Traffic().Reset() },
			acctest.FailingStep(gold(p, append(confirmed, `vm_name_patterns = ["web-*"]`)...), `Is Locked`)),
		refused(gold(p, append(confirmed, "paused = true")...), "Is Locked"),
		refused(gold(p, byID(p, 0)), "a lock cannot be removed"),
		refused(p.Provider(), "A locked group cannot be deleted"),
		resource.TestStep{
			PreConfig: func() {
				for _, kind := range []string{"update", "pause", "delete"} {
					assert.Equal(t, 0, p.Traffic().Count(kind), kind)
				}
				p.Edit(p.GroupByName("gold").ID,
					func(g *lab.Group) { g.Info.Locked = false }) // allow the test to delete it
			},
			Config: gold(p, byID(p, 0)),
		},
	)
}

func TestValuesUnknownDuringPlan(t *testing.T) {
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

func TestRelease90RefusesTagRules(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{Release: "9.0.0.0"})
	p.Run(t,
		refusedAt("tag_rules", gold(p, byTag(p.Tag(t, "tier", "SINGLE", "gold", 0))),
			"which does not support this argument"),
		step(gold(p, byID(p, 0), replicate(p, 15, "")), members(p, "member_vm_ids", 0)),
		step(gold(p, byID(p, 2), replicate(p, 15, "")), members(p, "member_vm_ids", 2)),
	)
}
