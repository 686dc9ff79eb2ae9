package group_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// Tests are numbered by acceptance case. VMs 0, 2, 4 and 6 are in the first cluster.

const name = "vsla_protection_group.gold"

func start(t *testing.T, switches lab.Switches) *acctest.Protection {
	t.Helper()
	return acctest.StartProtection(t, acctest.ProtectionConfig{Appliance: lab.Config{Switches: switches}})
}

func gold(p *acctest.Protection, lines ...string) string {
	return p.Provider() + group(p, "gold", lines...)
}

func group(p *acctest.Protection, name string, lines ...string) string {
	return fmt.Sprintf("resource \"vsla_protection_group\" %q {\n  cluster_id = %q\n  name = %q\n  %s\n}\n",
		name, p.Cluster(0), name, strings.Join(lines, "\n  "))
}

func byTag(tags ...string) string {
	return fmt.Sprintf(`tag_rules = [{ tag_ids = ["%s"], match = "all" }]`, strings.Join(tags, `", "`))
}

func byID(p *acctest.Protection, vms ...int) string {
	ids := make([]string, 0, len(vms))
	for _, n := range vms {
		ids = append(ids, p.VM(n))
	}
	return fmt.Sprintf(`vm_ids = ["%s"]`, strings.Join(ids, `", "`))
}

func replicate(p *acctest.Protection, rpo int, more string) string {
	return fmt.Sprintf("replication = {\n cluster_pair_id = %q\n rpo_minutes = %d\n %s\n}",
		lab.PairID(p.Cluster(0)), rpo, more)
}

func step(config string, checks ...resource.TestCheckFunc) resource.TestStep {
	return resource.TestStep{
		Config: config,
		Check:  resource.ComposeAggregateTestCheckFunc(checks...),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
	}
}

func members(p *acctest.Protection, attribute string, vms ...int) resource.TestCheckFunc {
	ids := make([]string, 0, len(vms))
	for _, n := range vms {
		ids = append(ids, p.VM(n))
	}
	slices.Sort(ids)
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(name, attribute+".#", strconv.Itoa(len(ids)))}
	for i, id := range ids {
		checks = append(checks, resource.TestCheckResourceAttr(name, fmt.Sprintf("%s.%d", attribute, i), id))
	}
	return resource.ComposeTestCheckFunc(checks...)
}

func TestCase01_tagRule(t *testing.T) {
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

func TestCase02_patternsIDsAndAll(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	p.Run(t,
		step(gold(p, `vm_name_patterns = ["web-*"]`), members(p, "member_vm_ids", 0, 4)), // VMs 0 and 4 are named web-*
		step(gold(p, byID(p, 6)), members(p, "member_vm_ids", 6), members(p, "removes", 0, 4)),
		step(gold(p, byID(p, 6), `vm_name_patterns = ["db-0003"]`, byTag(tag)), members(p, "member_vm_ids", 0, 2, 6)),
	)
}

func TestCase03_fiftyGroups(t *testing.T) {
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

func TestCase04_rpoInPlace(t *testing.T) {
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

func TestReplicas(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	const places = "use_replica_seeds = true\n target_datastore_id = \"datastore-99\""
	p.Run(t, step(gold(p, byID(p, 0), replicate(p, 60, places)), func(*terraform.State) error {
		sent := p.GroupByName("gold").Info.Replication[0]
		assert.Equal(t, new(true), sent.Seed)
		assert.Equal(t, map[string]string{"target_datastore": "datastore-99"}, sent.Storage)
		return nil
	}))
}

func TestUnits(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t, step(gold(p, byID(p, 0), `snapshot_policies = {
    often   = { every_minutes = 30, keep_hours = 6 }
    hourly  = { every_hours = 2, keep_days = 3 }
    daily   = { every_days = 5, keep_years = 1 }
    weekly  = { every_weeks = 2, keep_weeks = 4 }
    monthly = { every_months = 3, keep_months = 12 }
  }`), func(*terraform.State) error {
		got := make(map[string]string)
		for _, policy := range p.GroupByName("gold").Info.Policies {
			got[policy.Name] = fmt.Sprint(policy.Schedule, policy.Retention)
		}
		assert.Equal(t, map[string]string{
			"often":   "{MINUTE 30} {HOUR 6}",
			"hourly":  "{HOUR 2} {DAY 3}",
			"daily":   "{DAY 5} {YEAR 1}",
			"weekly":  "{WEEK 2} {WEEK 4}",
			"monthly": "{MONTH 3} {MONTH 12}",
		}, got)
		return nil
	}))
}

func TestLongTerm_years(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t, step(gold(p, byID(p, 0), replicate(p, 60, `long_term = {
      hourly  = { keep_years = 1 }
      daily   = { hour = 2, keep_years = 2 }
      weekly  = { hour = 3, day_of_week = "SUNDAY", keep_years = 3 }
      monthly = { hour = 4, day_of_month = 5, keep_years = 6 }
    }`)), func(*terraform.State) error {
		years := func(n int) map[string]any { return map[string]any{"unit": "YEAR", "duration": float64(n)} }
		assert.Equal(t, map[string]any{
			"hourly":  map[string]any{"retention": years(1)},
			"daily":   map[string]any{"retention": years(2), "hour": 2.0},
			"weekly":  map[string]any{"retention": years(3), "hour": 3.0, "day_of_week": "SUNDAY"},
			"monthly": map[string]any{"retention": years(6), "hour": 4.0, "day_of_month": 5.0},
		}, p.GroupByName("gold").Info.Replication[0].Retention.Long)
		return nil
	}))
}

func TestCase05_otherUnits(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{PeriodsInHours: true})
	p.Run(t, step(gold(p, byID(p, 0),
		`snapshot_policies = { hourly = { every_hours = 1, keep_days = 2 } }`,
		replicate(p, 120, `long_term = {
      daily   = { hour = 2, keep_days = 7 }
      weekly  = { hour = 3, day_of_week = "SUNDAY", keep_weeks = 4 }
      monthly = { hour = 2, day_of_month = 1, keep_months = 6 }
      hourly  = { keep_hours = 24 }
    }`))))
}

func removal(t *testing.T, p *acctest.Protection) (before, after string) {
	t.Helper()
	gold := p.Tag(t, "tier", "MULTIPLE", "gold", 0, 2, 4, 6)
	return byTag(gold), byTag(p.Tag(t, "tier", "MULTIPLE", "platinum", 0))
}

func TestCase06_removes(t *testing.T) {
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

func TestCase07_taggedBetweenPlanAndApply(t *testing.T) {
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

func TestCase08_tagOfThisPlan(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	config := p.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "tier" {
  name             = "tier"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}
resource "vsla_tag" "gold" {
  name        = "gold"
  category_id = vsla_tag_category.tier.id
}
resource "vsla_tag_association" "gold" {
  tag_id      = vsla_tag.gold.id
  object_type = "VirtualMachine"
  object_ids  = [%q, %q]
}
`, p.VM(0), p.VM(2)) + group(p, "gold",
		`tag_rules = [{ tag_ids = [vsla_tag_association.gold.tag_id], match = "all" }]`, replicate(p, 15, ""))
	p.Run(t, step(config, members(p, "member_vm_ids", 0, 2)))
	if n := p.Traffic().Count("preview"); n != 1 { // the tag is unknown during plan
		t.Errorf("%d previews, want 1", n)
	}
	assert.Len(t, warnings(p, "Members Unknown Until Apply"), 1)
}

func TestCase09_twoTagsOfOneCategory(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	one := p.Tag(t, "tier", "SINGLE", "gold", 0)
	two := p.Tag(t, "tier", "SINGLE", "silver", 2)
	p.Run(t,
		refusedAt("tag_rules", gold(p, byTag(one, two)), "belong to the same category, which allows one tag per VM"),
		refusedAt("tag_rules", gold(p, byTag("urn:vmomi:InventoryServiceTag:none:GLOBAL")),
			"so the rule would match no VMs"),
		refused(gold(p), "At least one of tag_rules, vm_ids and vm_name_patterns is required"),
	)
}

func TestCase10_tagOfARuleDeleted(t *testing.T) {
	t.Parallel()
	const category = `
resource "vsla_tag_category" "tier" {
  name             = "tier"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
  force_destroy    = %s
}
`
	for name, config := range map[string]struct{ whole, without string }{
		"vsla_tags": {
			category + `
resource "vsla_tags" "tier" {
  category_id   = vsla_tag_category.tier.id
  force_destroy = %[1]s
  tags          = { gold = "", silver = "" }
}`,
			category + `
resource "vsla_tags" "tier" {
  category_id   = vsla_tag_category.tier.id
  force_destroy = %[1]s
  tags          = { silver = "" }
}`,
		},
		"vsla_tag": {
			category + `
resource "vsla_tag" "gold" {
  category_id   = vsla_tag_category.tier.id
  force_destroy = %[1]s
  name          = "gold"
}`,
			category,
		},
		"vsla_tag_category": {category, "# %s"}, // the test creates the tag outside Terraform
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, lab.Switches{})
			rule := func() {
				var id string
				if all := p.VCenter.Tags().Tags(); len(all) == 0 {
					id = p.Tag(t, "tier", "SINGLE", "gold")
				} else {
					id = all[slices.IndexFunc(all, func(tag tagging.Tag) bool { return tag.Name == "gold" })].ID
				}
				rules := []lab.Rule{{Operator: "AND", Tags: []string{id}}}
				p.Add(p.Cluster(0), lab.Info{Name: "by tag", Targets: lab.Targets{Rules: rules}})
			}
			with := func(text, force string) string { return p.Provider() + fmt.Sprintf(text, force) }
			p.Run(t,
				step(with(config.whole, "false")),
				acctest.After(rule, acctest.FailingStep(with(config.without, "false"), `group by tag of cluster`)),
				step(with(config.whole, "true")),
				step(with(config.without, "true")),
			)
		})
	}
}

func TestCase11_tagRenamed(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	config := gold(p, byTag(tag))
	p.Run(t, step(config), resource.TestStep{
		PreConfig: func() {
			require.NoError(t, p.VCenter.Tags().Rename(tag, "or"))
		},
		Config:   config,
		PlanOnly: true,
	})
}

func TestCase12_lock(t *testing.T) {
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

func TestCase13_destroyWithSnapshots(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprint("name taken ", taken), func(t *testing.T) {
			t.Parallel()
			p := start(t, lab.Switches{KeepName: taken})
			again := step(gold(p, byID(p, 0)))
			if taken {
				again = refused(gold(p, byID(p, 0)), "The name is taken")
			}
			p.Run(t,
				step(gold(p, byID(p, 0))),
				resource.TestStep{
					PreConfig: func() { p.AddSnapshots(p.GroupByName("gold").ID, 3) },
					Config:    p.Provider(),
				},
				acctest.After(func() {
					left := p.Groups()
					require.Len(t, left, 1)
					assert.Equal(t, "MARKED_FOR_DELETE", left[0].Info.Status)
					assert.Len(t, warnings(p, "Its 3 snapshots remain until they expire"), 1)
				}, resource.TestStep{Config: p.Provider(), PlanOnly: true}),
				again,
			)
		})
	}
}

func TestCase14_deleteSnapshots(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t,
		step(gold(p, byID(p, 0), "delete_snapshots_on_destroy = true")),
		resource.TestStep{PreConfig: func() { p.AddSnapshots(p.GroupByName("gold").ID, 3) }, Config: p.Provider()},
	)
	assert.Empty(t, p.Groups())
}
