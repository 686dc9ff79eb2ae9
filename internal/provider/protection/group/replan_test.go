package group_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

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

func TestNameTaken(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	var id string
	p.Traffic().Break(fault.Rule{
		Kind:  "create",
		Times: 1,
		Before: func(*http.Request) {
			id = p.Add(p.Cluster(0), lab.Info{Name: "gold", Targets: lab.Targets{VMs: []string{p.VM(0)}}})
		},
	})
	config := gold(p, byID(p, 0))
	p.Run(t,
		refused(config, fmt.Sprintf("import { to = vsla_protection_group.NAME id = \"%s/pg-", p.Cluster(0))),
		acctest.After(func() {
			require.Equal(t, id, p.GroupByName("gold").ID)
			assert.Len(t, p.Groups(), 1)
			p.Remove(id)
		}, resource.TestStep{Config: config}),
	)
}
