package objecttags_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

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
				if got := fmt.Sprint(e.carried()); got != "[a gold]" {
					t.Errorf("after the refusal the VM carries %s", got)
				}
				e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, false)
			},
			Config: e.config("additive", "silver", "a"),
			Check:  e.carries(2, "silver", "a"),
		},
	)
	if n := e.Traffic().Count(patch); n != 2 {
		t.Errorf("%d requests exchanged tags, want 2", n)
	}
	// Destroying uses the older call, which shows that requests are counted.
	if attached, detached := e.Traffic().Count(attach), e.Traffic().Count(detach); attached != 0 || detached != 1 {
		t.Errorf("%d calls attached and %d detached, want 0 and 1", attached, detached)
	}
}
