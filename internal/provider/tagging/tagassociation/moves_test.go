package tagassociation_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

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
		members := p.tiers[tier]
		single := 0
		ownership := []string{"additive", "exclusive"}[r.IntN(2)]
		if ownership == "additive" {
			single = min(r.IntN(4), len(members))
		}
		for _, vm := range members[:single] {
			fmt.Fprintf(&b,
				"resource \"vsla_object_tags\" %q {\n  object_id = %q\n  tag_ids = [%q]\n  ownership = %q\n}\n",
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
		Check: checks(func() error { return g.carry("gold", vms[1:4]) },
			func() error { return g.carry("silver", vms[:1]) }),
	})
}

func TestAccTagAssociation_twoTiersForOneVM(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 4}, "SINGLE", "gold", "silver")
	vms := ids(g.Lab, 0, 4)
	twice := regexp.MustCompile(
		`(?s)Object Is Listed for Two Tags.*\d:\s+(?:object|tag)_ids\s+=.*\(` + vms[1] +
			`\)\s+is\s+assigned\s+both\s+sla/\S+\s+and\s+sla/`,
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
			Config: config,
			Check:  checks(func() error { return g.carry("gold", vms[:2]) }),
		}),
	)
}
