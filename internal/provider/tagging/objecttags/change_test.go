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

// TestAccObjectTags_exchange verifies that release 9.1 replaces a tag in one request. If vCenter rejects it, the VM
// and state keep the former tag.
func TestAccObjectTags_exchange(t *testing.T) {
	t.Parallel()
	e := startAt(t, vcsim.Config{Release: tagging.Release91})
	const patch = "PATCH /api/vcenter/tagging/associations"
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "gold", "a"), Check: e.carries(2, "gold", "a")},
		resource.TestStep{
			PreConfig: func() {
				e.Traffic().Reset()
				e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, true)
			},
			Config:      e.config("additive", "silver", "a"),
			ExpectError: acctest.Says(`changed nothing`),
		},
		resource.TestStep{
			PreConfig: func() {
				assert.Equal(t, "[a gold]", fmt.Sprint(e.carried()))
				e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, false)
			},
			Config: e.config("additive", "silver", "a"),
			Check:  e.carries(2, "silver", "a"),
		},
	)
	assert.Equal(t, 2, e.Traffic().Count(patch))
	// Destroying uses the older call, which shows that requests are counted.
	attached, detached := e.Traffic().Count(attach), e.Traffic().Count(detach)
	require.Equal(t, 0, attached)
	assert.Equal(t, 1, detached)
}
