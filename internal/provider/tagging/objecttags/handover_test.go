package objecttags_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccObjectTags_handedOver moves a tag from one resource to another in one apply. The new resource is finished
// before the old one is destroyed, because the old one's destroy waits for that of another tag, which waits for the
// attach. The destroy must not detach the tag.
func TestAccObjectTags_handedOver(t *testing.T) {
	t.Parallel()
	for name, toObject := range map[string]bool{"to an association": false, "to the object's tags": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startAt(t, vcsim.Config{})
			association := e.Provider("") + fmt.Sprintf(
				"resource \"vsla_tag_association\" \"all\" {\n  tag_id = %q\n  object_ids = [%q]\n}\n", e.ids["a"],
				e.vm.ID)
			from := e.config("additive", "a")
			to := association
			old := address
			attached := "POST tag-association:attach-tag-to-multiple-objects"
			if toObject {
				from = association
				to = e.config("additive", "a", "b")
				old = "vsla_tag_association.all"
				attached = attach
			}
			marks := slices.IndexFunc(e.Tags().Categories(), func(c tagging.Category) bool { return c.Name == "marks" })
			category := e.Tags().Categories()[marks]
			last := fmt.Sprintf(
				"resource \"vsla_tag\" \"last\" {\n  name = \"last\"\n  category_id = %q\n  depends_on = [%s]\n}\n",
				category.ID, old)
			gate := fault.NewGate()
			e.Run(t,
				resource.TestStep{Config: from + last},
				acctest.After(func() {
					e.Traffic().Break(fault.Rule{Kind: attached, Times: 1, After: func(*http.Request) { gate.Open() }})
					e.Traffic().Break(fault.Rule{Kind: "DELETE tag/{id}", Times: 1, Before: gate.Hold})
				}, resource.TestStep{
					Config: to,
					Check: func(*terraform.State) error {
						if got := e.carried(); !slices.Contains(got, "a") {
							return fmt.Errorf("the VM carries %v, want a", got)
						}
						return nil
					},
				}),
			)
		})
	}
}
