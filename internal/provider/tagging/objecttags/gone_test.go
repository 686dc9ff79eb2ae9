package objecttags_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
)

const listTags = "POST tag-association:list-attached-tags"

func (e estate) destroyVM(t *testing.T) {
	t.Helper()
	assert.NoError(t, e.DestroyVM(e.vm.ID))
}

// TestAccObjectTags_objectGone verifies that the resource is removed from state if its object was deleted, even though
// vCenter reports a missing privilege. Recreating the resource fails with an error that states the reason.
func TestAccObjectTags_objectGone(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Tags().ForbidGone(true)
	config := e.config("additive", "gold")
	e.Run(t,
		resource.TestStep{Config: config},
		acctest.After(func() { e.destroyVM(t) },
			acctest.FailingStep(config, `object does not exist[\s\S]*the object does not exist`)),
		resource.TestStep{Config: e.Provider()}, // nothing is left to destroy
	)
}

// TestAccObjectTags_goneWhileDestroying deletes the object between the refresh of a destroy and its detach. The destroy
// lists the tags for the refresh and for the detach.
func TestAccObjectTags_goneWhileDestroying(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Tags().ForbidGone(true)
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "gold")},
		resource.TestStep{
			PreConfig: func() {
				e.Traffic().Reset()
				e.Traffic().Break(fault.Rule{
					Kind:   listTags,
					Skip:   1, // the refresh
					Times:  1,
					Before: func(*http.Request) { e.destroyVM(t) },
				})
			},
			Config: e.Provider(),
		},
	)
	assert.Equal(t, 2, e.Traffic().Count(listTags))
}

// TestAccObjectTags_newObject tags an object created in the same apply, which vCenter rejects for the first few
// seconds.
func TestAccObjectTags_newObject(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Run(t, acctest.After(func() { e.Tags().RefuseNext(e.vm.ID, 3) }, resource.TestStep{
		Config: e.Provider() + fmt.Sprintf(`
resource "terraform_data" "vm" {
  input = %q
}
resource "vsla_object_tags" "vm" {
  object_id = terraform_data.vm.output
  tag_ids   = [%q]
}
`, e.vm.ID, e.ids["gold"]),
		Check: e.carries(1, "gold"),
	}))
}
