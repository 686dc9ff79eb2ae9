package tagassociation_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTagAssociation_oneOfManyRefused(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: 1000})
	bad := lab.VMs()[499].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		acctest.FailingStep(config(lab, ids(lab, 0, 1000)),
			`(?i)applied the others.*attach tag sla/gold:.*refused 1 of the objects: `+bad+` \(The object`),
		resource.TestStep{ // all other objects have the tag and are in state
			RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr(address, "object_ids.#", "999"),
				carriers(lab, append(ids(lab, 0, 499), ids(lab, 500, 1000)...))),
		}, resource.TestStep{ // one apply attaches the missing tag without detaching any
			PreConfig: func() { lab.Tags().Refuse(bad, false); lab.Traffic().Reset() },
			Config:    config(lab, ids(lab, 0, 1000)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, 1000)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got > 0 {
					return fmt.Errorf("%d detach requests", got)
				}
				return nil
			}),
		},
	)
}

func TestAccTagAssociation_unfinishedAndChanged(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	bad := lab.VMs()[3].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		acctest.FailingStep(config(lab, ids(lab, 0, 4)), bad),
		acctest.After(lab.Traffic().Reset, resource.TestStep{
			Config: config(lab, ids(lab, 1, 3)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 1, 3)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got != 1 {
					return fmt.Errorf("%d detach requests, want one, for the first VM", got)
				}
				return nil
			}),
		}),
		acctest.FailingStep(config(lab, ids(lab, 1, 4)), bad), // the failed change is an update
		resource.TestStep{ // the association is not tainted
			Config:           config(lab, ids(lab, 1, 3)),
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check:            carriers(lab, ids(lab, 1, 3)),
		},
		acctest.After(func() { lab.Tags().Refuse(bad, false) }, resource.TestStep{
			Config: config(lab, ids(lab, 1, 4)), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: carriers(lab, ids(lab, 1, 4)),
		}),
	)
}

func TestAccTagAssociation_permissionLost(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 2))},
		acctest.After(func() { lab.Tags().Deny(tagging.Read, true) },
			acctest.FailingStep(config(lab, ids(lab, 0, 2)), `Permission denied, or no such object.*Read-only`)),
		resource.TestStep{ // state still contains all objects
			PreConfig:        func() { lab.Tags().Deny(tagging.Read, false) },
			Config:           config(lab, ids(lab, 0, 2)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		acctest.After(func() { lab.Tags().Deny(tagging.Assign, true) },
			acctest.FailingStep(config(lab, ids(lab, 0, 3)), `Assign or Unassign vSphere Tag`)),
		acctest.After(func() { lab.Tags().Deny(tagging.Assign, false) }, resource.TestStep{
			Config: config(lab, ids(lab, 0, 3)), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: carriers(lab, ids(lab, 0, 3)),
		}),
	)
}

// TestAccTagAssociation_hidden verifies that an additive association keeps unreadable VMs in state with a warning, and
// removes deleted VMs. VMs that are no longer listed are untagged once they are readable again.
func TestAccTagAssociation_hidden(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	vms := ids(lab, 0, 4)
	lab.Run(t,
		resource.TestStep{Config: config(lab, vms)},
		acctest.After(func() {
			assert.NoError(t, lab.DestroyVM(vms[3]))
			lab.LimitAccess(vcsim.AccessRoot, vms[1], vms[2])
		}, resource.TestStep{
			RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.TestCheckResourceAttr(address, "object_ids.#", "3"),
		}),
		acctest.FailingStep(config(lab, vms[:2]), vms[2]),
		acctest.After(func() { lab.LimitAccess(vcsim.AccessPropagates) }, resource.TestStep{
			Config: config(lab, vms[:2]), Check: carriers(lab, vms[:2]),
		}),
	)
}

// TestAccTagAssociation_linked verifies that one apply can create a tag on one vCenter and attach it to VMs on a linked
// one. The tag is replicated after a minute.
func TestAccTagAssociation_linked(t *testing.T) {
	t.Parallel()
	first := acctest.Start(t, vcsim.Config{VMs: 1})
	second := acctest.Start(t, vcsim.Config{Site: 1, VMs: 2, LinkedTo: first.VCenter})
	second.OnWait(first.Advance)
	vms := []string{second.VMs()[0].ID, second.VMs()[1].ID}
	slices.Sort(vms)
	config := first.Provider() + strings.Replace(second.Provider(), "vsla", "second", 1) + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name          = "sla"
  cardinality   = "MULTIPLE"
  force_destroy = true
}

resource "vsla_tag" "gold" {
  name          = "gold"
  category_id   = vsla_tag_category.sla.id
  force_destroy = true
}

resource "vsla_tag_association" "second" {
  provider    = second
  tag_id      = vsla_tag.gold.id
  object_type = "VirtualMachine"
  object_ids  = ["%s"]
}
`, strings.Join(vms, `", "`))
	beside := map[string]func() (tfprotov6.ProviderServer, error){"second": second.Server()}
	first.RunWithProviders(t, beside, resource.TestStep{Config: config, Check: func(*terraform.State) error {
		assert.Equal(t, vms, second.Tags().Objects(second.Tags().Tags()[0].ID))
		return nil
	}})
	first.Advance(2 * time.Minute) // wait until the deletes are replicated
}

func TestAccTagAssociation_attachable(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	config := func(types, association string) string {
		return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name             = "sla"
  cardinality      = "SINGLE"
  associable_types = [%s]
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}
%s`, types, association)
	}
	association := fmt.Sprintf(`
resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tag.gold.id
  object_ids = [%q]
}
`, lab.VMs()[0].ID)
	attach := "POST tag-association:attach-tag-to-multiple-objects"
	lab.Run(t,
		resource.TestStep{Config: config(`"HostSystem"`, "")},
		acctest.FailingStep(config(`"HostSystem"`, association),
			`Tag Cannot Be Attached to Object Type[\s\S]*\d: object_ids = [\s\S]*associable_types`),
		acctest.After(func() { assert.Equal(t, 0, lab.Traffic().Count(attach)) }, resource.TestStep{
			Config: config(`"HostSystem", "VirtualMachine"`, association),
			Check:  resource.TestCheckResourceAttr("vsla_tag_association.gold", "object_ids.#", "1"),
		}),
	)
	assert.Equal(t, 1, lab.Traffic().Count(attach))
}

// TestAccTagAssociation_prefix verifies that types with the prefix "urn:vim25:" are those without it.
func TestAccTagAssociation_prefix(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	config := func(prefix string) string {
		return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name             = "sla"
  cardinality      = "SINGLE"
  associable_types = ["%[1]sVirtualMachine", "%[1]sHostSystem"]
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}
resource "vsla_tag" "silver" {
  category_id = vsla_tag_category.sla.id
  name        = "silver"
}
resource "vsla_tag_association" "gold" {
  tag_id      = vsla_tag.gold.id
  object_type = "%[1]sVirtualMachine"
  object_ids  = [%[2]q]
}
resource "vsla_object_tags" "silver" {
  object_type = "%[1]sHostSystem"
  object_id   = %[3]q
  tag_ids     = [vsla_tag.silver.id]
}
data "vsla_tagged_objects" "silver" {
  tag_ids     = [vsla_tag.silver.id]
  object_type = "%[1]sHostSystem"
  depends_on  = [vsla_object_tags.silver]
}
`, prefix, lab.VMs()[0].ID, lab.VMs()[0].HostID)
	}
	kept := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("vsla_tag_category.sla", plancheck.ResourceActionUpdate),
		plancheck.ExpectResourceAction("vsla_tag_association.gold", plancheck.ResourceActionUpdate),
		plancheck.ExpectResourceAction("vsla_object_tags.silver", plancheck.ResourceActionUpdate),
	}}
	one := resource.TestCheckResourceAttr("data.vsla_tagged_objects.silver", "objects.#", "1")
	lab.Run(t,
		resource.TestStep{Config: config("urn:vim25:"), Check: one},
		resource.TestStep{Config: config("urn:vim25:"), PlanOnly: true},
		resource.TestStep{Config: config(""), ConfigPlanChecks: kept, Check: one},
		resource.TestStep{Config: config("urn:vim25:"), ConfigPlanChecks: kept},
	)
}

func checks(of ...func() error) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var errs []error
		for _, check := range of {
			errs = append(errs, check())
		}
		return errors.Join(errs...)
	}
}

type partition struct {
	tiers  map[string][]string
	config string
}

// random distributes the VMs among 2 to 5 tiers, each of which is an additive or exclusive association. Some VMs get
// their tags from vsla_object_tags instead.
func (g given) random(r *rand.Rand, vms []string, tiers []string) partition {
	p := partition{tiers: make(map[string][]string)}
	n := 2 + r.IntN(len(tiers)-1)
	order := r.Perm(len(tiers))[:n]
	for _, vm := range vms {
		if r.IntN(20) > 0 { // 1 in 20 VMs has no tier
			tier := tiers[order[r.IntN(n)]]
			p.tiers[tier] = append(p.tiers[tier], vm)
		}
	}
	var b strings.Builder
	for _, i := range order {
		tier := tiers[i]
		members, single := p.tiers[tier], 0
		ownership := []string{"additive", "exclusive"}[r.IntN(2)]
		if ownership == "additive" {
			single = min(r.IntN(4), len(members))
		}
		for _, vm := range members[:single] {
			fmt.Fprintf(&b, "resource \"vsla_object_tags\" %q {\n  object_id = %q\n  tag_ids = [%q]\n  ownership = %q\n}\n",
				vm, vm, g.ids[tier], []string{"additive", "category"}[r.IntN(2)])
		}
		b.WriteString(g.association(tier, members[single:], fmt.Sprintf("ownership = %q", ownership)))
	}
	p.config = g.Provider() + b.String()
	return p
}

// TestAccTagAssociation_repartition moves 600 VMs randomly among 2 to 5 tiers. After each apply, the plan must be
// empty. VSLA_REPARTITIONS sets the number of moves (default 10), and VSLA_SEED sets the seed (default 1).
func TestAccTagAssociation_repartition(t *testing.T) {
	t.Parallel()
	runs, err := strconv.Atoi(cmp.Or(os.Getenv("VSLA_REPARTITIONS"), "10"))
	require.NoError(t, err)
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("VSLA_SEED"), "1"), 10, 64)
	require.NoError(t, err)
	const most = 50 // each Terraform run opens a session, and the lab limits the sessions per user
	for part := 0; runs > 0; part++ {
		n := min(runs, most)
		runs -= n
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			repartition(t, n, rand.New(rand.NewPCG(seed, uint64(part))))
		})
	}
}

func repartition(t *testing.T, runs int, r *rand.Rand) {
	t.Helper()
	tiers := []string{"platinum", "gold", "silver", "bronze", "iron"}
	g := withTags(t, vcsim.Config{Hosts: 4, VMs: 600}, "SINGLE", tiers...)
	vms := ids(g.Lab, 0, 600)
	var steps []resource.TestStep
	for i := range runs {
		p := g.random(r, vms, tiers)
		steps = append(steps, resource.TestStep{
			Config: p.config,
			Check: func(*terraform.State) error {
				for _, tier := range tiers {
					if err := g.carry(tier, p.tiers[tier]); err != nil {
						return fmt.Errorf("partition %d: %w", i, err)
					}
				}
				return nil
			},
		})
	}
	g.Run(t, steps...)
}

func TestAccTagAssociation_oneAlone(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 4}, "SINGLE", "gold", "silver")
	vms := ids(g.Lab, 0, 4)
	g.put("silver", vms[:2]...)
	g.put("gold", vms[2])
	g.Run(t, resource.TestStep{
		Config: g.Provider() + g.association("gold", vms[1:4]),
		ConfigPlanChecks: pre(plancheck.ExpectKnownValue("vsla_tag_association.gold", tfjsonpath.New("replaces"),
			knownvalue.MapExact(map[string]knownvalue.Check{vms[1]: knownvalue.StringExact(g.ids["silver"])}))),
		Check: checks(func() error { return g.carry("gold", vms[1:4]) }, func() error { return g.carry("silver", vms[:1]) }),
	})
}

func TestAccTagAssociation_twoTiersForOneVM(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 4}, "SINGLE", "gold", "silver")
	vms := ids(g.Lab, 0, 4)
	twice := regexp.MustCompile(
		`(?s)Object Is Listed for Two Tags.*\d:\s+(?:object|tag)_ids\s+=.*\(` + vms[1] + `\)\s+is\s+assigned\s+both\s+sla/\S+\s+and\s+sla/`,
	)
	g.Run(t,
		resource.TestStep{ // both associations are new
			Config:      g.Provider() + g.association("gold", vms[:2]) + g.association("silver", vms[1:3]),
			ExpectError: twice,
		},
		resource.TestStep{Config: g.Provider() + g.association("gold", vms[:2])},
		resource.TestStep{ // one association exists
			Config:      g.Provider() + g.association("gold", vms[:2]) + g.association("silver", vms[1:3]),
			ExpectError: twice,
		}, resource.TestStep{ // the conflict is with vsla_object_tags
			Config: g.Provider() + g.association("gold", vms[:2]) +
				fmt.Sprintf("resource \"vsla_object_tags\" \"vm\" {\n object_id = %q\n tag_ids = [%q]\n}\n", vms[1],
					g.ids["silver"]),
			ExpectError: twice,
		},
	)
}

func TestAccTagAssociation_moveLost(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 3}, "SINGLE", "gold", "silver")
	vms := ids(g.Lab, 0, 3)
	g.put("silver", vms[:2]...)
	config := g.Provider() + g.association("gold", vms[:2])
	g.Run(t,
		resource.TestStep{
			PreConfig: func() {
				g.Tags().RefuseAttach("", vms[1], true)
			},
			Config: config,
			ExpectError: acctest.ErrorPattern(`Tag sla/silver could not be restored.*` +
				`no longer have a tag of its category: ` + vms[1] + `:`),
		},
		acctest.After(func() { g.Tags().RefuseAttach("", vms[1], false) }, resource.TestStep{
			Config: config, Check: checks(func() error { return g.carry("gold", vms[:2]) }),
		}),
	)
}
