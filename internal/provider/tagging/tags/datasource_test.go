package tags_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "data.vsla_tags.sla"

func TestAccTagsDataSource(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.KeepObjects()
	category := add(t, lab, "sla", 100)
	add(t, lab, "other", 3)
	empty := add(t, lab, "empty", 0)
	config := func(argument string) string {
		return lab.Provider() + "data \"vsla_tags\" \"sla\" {\n  " + argument + "\n}\n"
	}
	found := resource.ComposeTestCheckFunc(
		resource.TestCheckResourceAttr(address, "ids.%", "100"),
		resource.TestCheckResourceAttr(address, "category_id", category),
		resource.TestCheckResourceAttr(address, "category_name", "sla"),
		func(s *terraform.State) error {
			for _, tag := range lab.Tags().Tags() {
				if got := s.RootModule().Resources[address].Primary.Attributes["ids."+
					tag.Name]; tag.CategoryID == category &&
					got != tag.ID {
					return fmt.Errorf("%s is %q, want %q", tag.Name, got, tag.ID)
				}
			}
			// Each refresh lists the tags once and reads each tag.
			lists := lab.Traffic().Count("POST tag:list-tags-for-category")
			reads := lab.Traffic().Count("GET tag/{id}")
			assert.Positive(t, lists)
			assert.Equal(t, 100*lists, reads)
			lab.Traffic().Reset()
			return nil
		},
	)
	lab.Run(
		t,
		acctest.FailingStep(config(`category_name = "none"`), `category_name = "none".*object does not exist`),
		acctest.FailingStep(config(``), `Invalid Attribute Combination`),
		resource.TestStep{PreConfig: lab.Traffic().Reset, Config: config(`category_name = "sla"`), Check: found},
		resource.TestStep{Config: config(fmt.Sprintf("category_id = %q", category)), Check: found},
		resource.TestStep{
			Config: config(fmt.Sprintf("category_id = %q", empty)),
			Check:  resource.TestCheckResourceAttr(address, "ids.%", "0"),
		},
	)
}

func TestAccTagsDataSource_nameRegex(t *testing.T) {
	t.Parallel()
	for _, release := range []tagging.Release{tagging.Release80, tagging.Release91} {
		lab := acctest.Start(t, vcsim.Config{VMs: -1, Release: release})
		lab.KeepObjects()
		add(t, lab, "sla", 30)
		config := func(pattern string) string {
			return lab.Provider() + fmt.Sprintf(`
resource "terraform_data" "pattern" {
  input = %[1]q
}
data "vsla_tags" "sla" {
  category_name = "sla"
  name_regex    = %[1]q
}
data "vsla_tags" "late" {
  category_name = "sla"
  name_regex    = terraform_data.pattern.output
}
`, pattern)
		}
		matches := func(pattern, n string) resource.TestStep {
			return resource.TestStep{
				Config: config(pattern),
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr(address, "ids.%", n),
					resource.TestCheckResourceAttr("data.vsla_tags.late", "ids.%", n),
				),
			}
		}
		lab.Run(t,
			acctest.FailingStep(config("("), `Invalid Regular Expression.*\d: name_regex =`),
			matches("^tag-01", "10"), // tag-010 to tag-019
			matches("5", "3"),        // tag-005, tag-015, tag-025
			matches("none", "0"),
		)
	}
}

func add(t *testing.T, lab *acctest.Lab, name string, tags int) string {
	t.Helper()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: name, Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	for i := range tags {
		_, err := lab.Tags().AddTag(tagging.Tag{Name: fmt.Sprintf("tag-%03d", i), CategoryID: category})
		require.NoError(t, err)
	}
	return category
}
