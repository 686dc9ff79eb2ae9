package objecttags_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccObjectTags_exchange: since 9.1 a tag takes another's place in one request. When vCenter refuses it, the VM
// keeps the former tag and state records it.
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
			ExpectError: regexp.MustCompile(`changed nothing`),
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
	// The positive control is the end: destroying detaches both tags with the older call.
	if attached, detached := e.Traffic().Count(attach), e.Traffic().Count(detach); attached != 0 || detached != 1 {
		t.Errorf("%d calls attached and %d detached, want 0 and 1", attached, detached)
	}
}
