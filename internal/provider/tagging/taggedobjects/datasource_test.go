package taggedobjects_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTaggedObjects(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "marks", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	vm := func(i int) tagging.Object { return tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[i].ID} }
	host := tagging.Object{Type: "HostSystem", ID: lab.VMs()[0].HostID}
	tag := func(name string, on ...tagging.Object) string {
		id, err := lab.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
		require.NoError(t, err)
		for _, o := range on {
			require.NoError(t, lab.Tags().Attach(id, o))
		}
		return id
	}
	a := tag("a", vm(0), vm(1), host)
	b := tag("b", vm(1), vm(2))
	none := tag("none")
	config := func(match, extra string, ids ...string) string {
		return fmt.Sprintf("%sdata \"vsla_tagged_objects\" \"x\" {\n  tag_ids = [\"%s\"]\n  tag_match = %q\n  %s\n}\n",
			lab.Provider(), strings.Join(ids, `", "`), match, extra)
	}
	are := func(want ...tagging.Object) resource.TestCheckFunc {
		const address = "data.vsla_tagged_objects.x"
		checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(address, "objects.#",
			strconv.Itoa(len(want)))}
		for i, o := range want {
			at := "objects." + strconv.Itoa(i)
			checks = append(checks, resource.TestCheckResourceAttr(address, at+".type", o.Type),
				resource.TestCheckResourceAttr(address, at+".id", o.ID))
		}
		return resource.ComposeTestCheckFunc(checks...)
	}
	lab.Run(t, acctest.FailingStep(config("some", "", a), `"all" "any"`),
		acctest.FailingStep(config("all", "", a, "urn:vmomi:InventoryServiceTag:none:GLOBAL"),
			`tag_ids = .*object does not exist`),
		resource.TestStep{Config: config("all", "", a), Check: are(host, vm(0), vm(1))},
		resource.TestStep{
			Config: strings.Replace(config("all", "", a, b), `tag_match = "all"`, "", 1),
			Check:  are(vm(1)),
		},
		resource.TestStep{Config: config("all", "", a, b), Check: are(vm(1))},
		resource.TestStep{Config: config("any", "", a, b), Check: are(host, vm(0), vm(1), vm(2))},
		resource.TestStep{Config: config("any", `object_type = "HostSystem"`, a, b), Check: are(host)},
		resource.TestStep{Config: config("all", "", a, none), Check: are()})
}
