package tagassociation_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTagAssociation_oneOfManyRefused(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: 1000})
	bad := lab.VMs()[499].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, ids(lab, 0, 1000)),
			ExpectError: regexp.MustCompile(
				`(?is)applied\s+the\s+rest.*attach\s+tag\s+sla/gold:.*refused\s+1\s+of\s+the\s+objects:\s+` + bad + `\s+\(The\s+object`,
			),
		},
		resource.TestStep{ // the others carry the tag, and state says so
			RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckResourceAttr(address, "object_ids.#", "999"),
				carriers(lab, append(ids(lab, 0, 499), ids(lab, 500, 1000)...)),
			),
		},
		resource.TestStep{ // what was refused is mended: one more apply heals, and no object loses the tag for it
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

// TestAccTagAssociation_unfinishedAndChanged: of what a failed create has attached, only what is no longer wanted is
// detached.
func TestAccTagAssociation_unfinishedAndChanged(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	bad := lab.VMs()[3].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 4)), ExpectError: regexp.MustCompile(bad)},
		resource.TestStep{
			PreConfig: lab.Traffic().Reset,
			Config:    config(lab, ids(lab, 1, 3)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 1, 3)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got != 1 {
					return fmt.Errorf("%d detach requests, want one, for the first VM", got)
				}
				return nil
			}),
		},
		resource.TestStep{Config: config(lab, ids(lab, 1, 4)), ExpectError: regexp.MustCompile(bad)}, // an update
		resource.TestStep{Config: config(lab, ids(lab, 1, 3)), Check: carriers(lab, ids(lab, 1, 3))},
	)
}

func TestAccTagAssociation_updateRefused(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	bad := lab.VMs()[3].ID
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 2))},
		resource.TestStep{
			PreConfig:   func() { lab.Tags().Refuse(bad, true) },
			Config:      config(lab, ids(lab, 0, 5)),
			ExpectError: regexp.MustCompile(bad),
		},
		resource.TestStep{ // an update that fails in part does not taint: the next one only adds what is missing
			PreConfig:        func() { lab.Tags().Refuse(bad, false) },
			Config:           config(lab, ids(lab, 0, 5)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 0, 5)),
		},
	)
}

func TestAccTagAssociation_permissionLost(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 2))},
		resource.TestStep{
			PreConfig:   func() { lab.Tags().Deny(tagging.Read, true) },
			Config:      config(lab, ids(lab, 0, 2)),
			ExpectError: regexp.MustCompile(`(?s)Permission\s+denied,\s+or\s+no\s+such\s+object.*Read-only`),
		},
		resource.TestStep{ // nothing was dropped from state meanwhile
			PreConfig:        func() { lab.Tags().Deny(tagging.Read, false) },
			Config:           config(lab, ids(lab, 0, 2)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{
			PreConfig:   func() { lab.Tags().Deny(tagging.Assign, true) },
			Config:      config(lab, ids(lab, 0, 3)),
			ExpectError: regexp.MustCompile(`Assign\s+or\s+Unassign\s+vSphere\s+Tag`),
		},
		resource.TestStep{
			PreConfig:        func() { lab.Tags().Deny(tagging.Assign, false) },
			Config:           config(lab, ids(lab, 0, 3)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 0, 3)),
		},
	)
}

// TestAccTagAssociation_passingFaults: what a client should survive without the user's noticing.
func TestAccTagAssociation_passingFaults(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"503 twice":                     {Kind: attach, Times: 2, Status: http.StatusServiceUnavailable},
		"503 twice after it was done":   {Kind: attach, Times: 2, Status: http.StatusServiceUnavailable, Done: true},
		"429 with Retry-After":          {Kind: attach, Times: 1, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "3"}},
		"connection cut":                {Kind: attach, Times: 1, Cut: true},
		"connection cut after the work": {Kind: attach, Times: 1, Cut: true, Done: true},
		"answer cut short":              {Kind: attach, Times: 1, Status: http.StatusOK, Body: `{"value":{"succ`, Done: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{})
			lab.Traffic().Break(rule)
			lab.Run(t, resource.TestStep{
				Config: config(lab, ids(lab, 0, 4)),
				Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, 4)), func(*terraform.State) error {
					if got := lab.Traffic().Count(attach); got < 2 {
						return fmt.Errorf("the fault did not strike: %d attach requests", got)
					}
					return nil
				}),
			})
		})
	}
}

// TestAccTagAssociation_anotherWriter: somebody else tags a VM while an apply runs. Additive ownership leaves it alone,
// exclusive ownership plans to take it off.
func TestAccTagAssociation_anotherWriter(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	theirs := lab.VMs()[7].ID
	lab.Traffic().Break(fault.Rule{Kind: attach, Times: 1, Before: func(*http.Request) {
		if err := lab.Tags().Attach(tagID(lab), tagging.Object{Type: "VirtualMachine", ID: theirs}); err != nil {
			t.Error(err)
		}
	}})
	lab.Run(
		t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 3)), Check: carriers(lab, append(ids(lab, 0, 3), theirs))},
		resource.TestStep{
			Config:           config(lab, ids(lab, 0, 3)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{
			Config: config(
				lab,
				ids(lab, 0, 3),
				`ownership = "exclusive"`,
			),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 0, 3)),
		},
	)
}

func TestAccTagAssociation_sessionExpiresInMidApply(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Traffic().Break(fault.Rule{Kind: attach, Times: 1, Before: func(*http.Request) { lab.ExpireSessions() }})
	lab.Run(t, resource.TestStep{
		Config: config(lab, ids(lab, 0, 4)),
		Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, 4)), func(*terraform.State) error {
			if got := lab.Traffic().Count(attach); got != 2 {
				return fmt.Errorf("%d attach requests, want one with the expired session and one with the fresh", got)
			}
			return nil
		}),
	})
}
