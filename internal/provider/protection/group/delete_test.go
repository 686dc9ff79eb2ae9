package group_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestDestroyWithSnapshots(t *testing.T) {
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

func TestDeleteSnapshotsOnDestroy(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t,
		step(gold(p, byID(p, 0), "delete_snapshots_on_destroy = true")),
		resource.TestStep{PreConfig: func() { p.AddSnapshots(p.GroupByName("gold").ID, 3) }, Config: p.Provider()},
	)
	assert.Empty(t, p.Groups())
}

func TestDestroyAllWithOneLocked(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	config := gold(p, byID(p, 0)) + group(p, "silver", byID(p, 2))
	lock := func(locked bool) func() {
		return func() { p.Edit(p.GroupByName("silver").ID, func(g *lab.Group) { g.Info.Locked = locked }) }
	}
	p.Run(t,
		step(config),
		resource.TestStep{
			PreConfig: lock(true),
			Config:    gold(p, byID(p, 0)) + group(p, "silver", byID(p, 2), "locked = true"),
		},
		acctest.FailingStep(p.Provider(), `A locked group cannot be deleted`),
		acctest.After(func() {
			assert.Equal(t, 0, p.Traffic().Count("delete"))
			lock(false)()
		}, resource.TestStep{Config: config}),
	)
}

// TestRemoved verifies that a removed block, which the error for a locked group suggests, releases the group from state
// and leaves it as it is. A removed block that deletes is refused like any other destroy.
func TestRemoved(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	removed := func(destroy bool) string {
		return p.Provider() + fmt.Sprintf("removed {\n  from = %s\n  lifecycle {\n    destroy = %t\n  }\n}\n", name,
			destroy)
	}
	p.Run(t,
		step(gold(p, byID(p, 0), "locked = true", `lock_confirmation = "gold"`)),
		acctest.FailingStep(removed(true), `A locked group cannot be deleted`),
		resource.TestStep{
			Config: removed(false),
			Check: func(s *terraform.State) error {
				assert.Empty(t, s.RootModule().Resources)
				assert.True(t, p.GroupByName("gold").Info.Locked)
				assert.Zero(t, p.Traffic().Count("delete"))
				return nil
			},
		},
	)
}
