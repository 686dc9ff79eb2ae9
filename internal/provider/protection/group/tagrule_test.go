package group_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

func TestTagsThatAreDetached(t *testing.T) {
	t.Parallel()
	for _, ownership := range []string{"additive", "exclusive"} {
		p := start(t, lab.Switches{})
		gold := p.Tag(t, "tier", "MULTIPLE", "gold")
		config := func(vms string) string {
			return p.Provider() + fmt.Sprintf(`
resource "vsla_tag_association" "gold" {
  tag_id      = %q
  object_type = "VirtualMachine"
  object_ids  = [%s]
  ownership   = %q
}
`, gold, vms, ownership) + group(p, "gold",
				`tag_rules = [{ tag_ids = [vsla_tag_association.gold.tag_id], match = "any" }]`, replicate(p, 15, ""))
		}
		both := fmt.Sprintf("%q, %q", p.VM(0), p.VM(2))
		p.Run(t, step(config(both)), step(config(fmt.Sprintf("%q", p.VM(0)))))
		left := slices.DeleteFunc(warnings(p, "VMs among them leave protection group gold"), func(w string) bool {
			return !strings.Contains(w, p.VM(2)) // the final destroy warns about VM 0
		})
		assert.NotEmpty(t, left, ownership)
	}
}

func TestTagOfSamePlan(t *testing.T) {
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

func TestRulesWithoutVMsAreRefused(t *testing.T) {
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

func TestTagOfRuleIsDeleted(t *testing.T) {
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

func TestTagIsRenamed(t *testing.T) {
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

// TestTagsThatMove changes rules and tag associations in one plan. The resulting membership changes must not be treated
// as drift.
func TestTagsThatMove(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	category := p.Tag(t, "tier", "MULTIPLE", "gold", 0)
	platinum := p.Tag(t, "tier", "MULTIPLE", "platinum")
	config := func(rule string, vms ...int) string {
		ids := make([]string, 0, len(vms))
		for _, n := range vms {
			ids = append(ids, fmt.Sprintf("%q", p.VM(n)))
		}
		return p.Provider() + fmt.Sprintf(`
resource "vsla_tag_association" "platinum" {
  tag_id      = %q
  object_type = "VirtualMachine"
  object_ids  = [%s]
  ownership   = "exclusive"
}
`, platinum, strings.Join(ids, ", ")) + group(p, "gold",
			`tag_rules = [{ tag_ids = [`+rule+`], match = "any" }]`, replicate(p, 15, ""))
	}
	p.Run(t,
		step(config("vsla_tag_association.platinum.tag_id", 0, 2, 4), members(p, "member_vm_ids", 0, 2, 4)),
		step(config(fmt.Sprintf("vsla_tag_association.platinum.tag_id, %q", category), 2, 4, 6), members(p, "removes")),
		resource.TestStep{RefreshState: true, Check: members(p, "member_vm_ids", 0, 2, 4, 6)},
	)
}

// TestTagsOfOtherRules removes a VM from a group while the same apply attaches a tag that no rule uses.
func TestTagsOfOtherRules(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	label := p.Tag(t, "label", "MULTIPLE", "backup")
	config := func(labelled int, vms ...int) string {
		return p.Provider() + fmt.Sprintf(`
resource "vsla_tag_association" "label" {
  tag_id      = %q
  object_type = "VirtualMachine"
  object_ids  = [%q]
}
`, label, p.VM(labelled)) + group(p, "gold", byID(p, vms...), "depends_on = [vsla_tag_association.label]")
	}
	p.Run(t, step(config(4, 0, 2)), step(config(2, 0), members(p, "removes", 2)))
}
