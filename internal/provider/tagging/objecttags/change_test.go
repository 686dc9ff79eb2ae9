package objecttags_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccObjectTags_exchange(t *testing.T) {
	t.Parallel()
	e := startAt(t, vcsim.Config{Release: tagging.Release91})
	const patch = "PATCH /api/vcenter/tagging/associations"
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "gold", "a"), Check: e.carries(2, "gold", "a")},
		acctest.After(func() {
			e.Traffic().Reset()
			e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, true)
		}, acctest.FailingStep(e.config("additive", "silver", "a"), `changed nothing`)),
		acctest.After(func() {
			assert.Equal(t, "[a gold]", fmt.Sprint(e.carried()))
			e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, false)
		}, resource.TestStep{Config: e.config("additive", "silver", "a"), Check: e.carries(2, "silver", "a")}),
	)
	assert.Equal(t, 2, e.Traffic().Count(patch))
	// The destroy uses the older detach request, which also shows that such requests are counted.
	attached := e.Traffic().Count(attach)
	detached := e.Traffic().Count(detach)
	require.Equal(t, 0, attached)
	assert.Equal(t, 1, detached)
}
