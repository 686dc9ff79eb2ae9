package tagging_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccTaken verifies that a plan warns about names that are taken, with the import block, and that the apply fails.
// A name of an object in state is not taken, because the apply can free it.
func TestAccTaken(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.KeepObjects()
	id, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	for n := range 30 {
		_, err = lab.Tags().AddTag(tagging.Tag{Name: fmt.Sprintf("tag-%d", n), CategoryID: id})
		require.NoError(t, err)
	}
	category := func(name string) string {
		return fmt.Sprintf("resource \"vsla_tag_category\" \"c\" {\n  name = %q\n  cardinality = \"SINGLE\"\n}\n", name)
	}
	tag := func(resource, name string) string {
		return fmt.Sprintf("resource \"vsla_tag\" %q {\n  category_id = %q\n  name = %q\n}\n", resource, id, name)
	}
	tags := fmt.Sprintf(`resource "vsla_tags" "all" {
  category_id = %q
  tags        = { tag-3 = "", new = "" }
}
`, id)
	plan := func(config, pattern string) resource.TestStep {
		return resource.TestStep{Config: lab.Provider() + config, ExpectError: acctest.ErrorPattern(pattern)}
	}
	many := make([]string, 20)
	for n := range many {
		many[n] = tag(fmt.Sprintf("t%d", n), fmt.Sprintf("new-%d", n))
	}
	free := resource.TestStep{Config: lab.Provider() + strings.Join(many, ""), PlanOnly: true, ExpectNonEmptyPlan: true}
	lab.Run(t,
		plan(category("sla"), `name = "sla".*to = vsla_tag_category.NAME id = "sla".*adopt_existing = true`),
		plan(tag("t", "tag-3"), `name = "tag-3".*to = vsla_tag.NAME id = "sla/tag-3".*adopt_existing = true`),
		plan(tags, `tags =.*1 of these tags already exist.*"tag-3".*adopt_existing = true.*import`),
		acctest.After(lab.Traffic().Reset, free),
		acctest.After(func() {
			// Each run logs in once, and reads the category once for 20 tags.
			runs := lab.Traffic().Count("POST session")
			assert.Equal(t, runs, lab.Traffic().Count("POST tag:list-tags-for-category"))
			assert.Equal(t, 30*runs, lab.Traffic().Count("GET tag/{id}"))
		}, resource.TestStep{Config: lab.Provider() + tag("one", "first")}),
		resource.TestStep{Config: lab.Provider() + tag("one", "second") + // frees the name
			strings.Replace(tag("two", "first"), "{", "{\n  depends_on = [vsla_tag.one]", 1)},
	)
}

// TestCLI_takenReplaced verifies that the plan warns about a name of another object, but not about the name of an
// object to replace, although no refresh shows it.
func TestCLI_takenReplaced(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.KeepObjects()
	_, err := lab.Tags().AddCategory(tagging.Category{Name: "other", Cardinality: "SINGLE"})
	require.NoError(t, err)
	w, dir := acctest.Workspace(t, lab, "examples/readme")
	write := func(more string) {
		config := `terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

resource "vsla_tag_category" "c" {
  name        = "sla"
  cardinality = "SINGLE"
}

resource "vsla_tag" "t" {
  category_id = vsla_tag_category.c.id
  name        = "gold"
}

resource "vsla_tags" "all" {
  category_id = vsla_tag_category.c.id
  tags        = { silver = "" }
}
` + more
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600))
	}
	write("")
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	for _, address := range []string{"vsla_tag.t", "vsla_tags.all", "vsla_tag_category.c"} {
		said := acctest.RunTerraform(
			t,
			w,
			0,
			"apply",
			"-refresh=false",
			"-replace="+address,
			"-auto-approve",
			"-input=false",
		)
		assert.NotContains(t, said, "already exist", address)
	}
	write(`
resource "vsla_tag_category" "d" {
  name        = "other"
  cardinality = "SINGLE"
}
`)
	said := acctest.RunTerraform(t, w, 0, "plan", "-refresh=false", "-input=false", "-no-color")
	assert.Contains(t, said, `Unable to Create Tag Category "other"`)
	assert.Contains(t, said, "add depends_on")
	write("")
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}

// TestCLI_renamed verifies that a tag and its category can be renamed in the apply that changes what has the tag.
func TestCLI_renamed(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 4})
	w, dir := acctest.Workspace(t, lab, "examples/readme")
	config := `terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

variable "name" {
  type    = string
  default = "gold"
}

variable "ids" {
  type = list(string)
}

resource "vsla_tag_category" "c" {
  name        = "sla-${var.name}"
  cardinality = "MULTIPLE"
}

resource "vsla_tag" "t" {
  category_id = vsla_tag_category.c.id
  name        = var.name
}

resource "vsla_tags" "all" {
  category_id  = vsla_tag_category.c.id
  tags         = { "s-${var.name}" = "" }
  renamed_from = var.name == "gold" ? {} : { "s-${var.name}" = "s-gold" }
}

resource "vsla_tag_association" "a" {
  tag_id     = vsla_tag.t.id
  object_ids = var.ids
}

resource "vsla_object_tags" "o" {
  object_id = var.ids[0]
  tag_ids   = length(var.ids) == 1 ? [vsla_tag.t.id] : concat([vsla_tag.t.id], values(vsla_tags.all.ids))
}

output "names" {
  value = [vsla_tag_association.a.category_name, vsla_tag_association.a.tag_name, values(vsla_object_tags.o.tag_names)]
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600))
	ids := []string{lab.VMs()[0].ID, lab.VMs()[1].ID}
	apply := []string{"apply", "-auto-approve", "-input=false", "-no-color"}
	acctest.RunTerraform(t, w, 0, append(apply, "-var", fmt.Sprintf("ids=[%q]", ids[0]))...)
	both := []string{"-var", fmt.Sprintf("ids=[%q,%q]", ids[0], ids[1]), "-var", "name=platinum"}
	said := acctest.RunTerraform(t, w, 0, append(apply, both...)...)
	assert.Contains(t, said, `"sla-platinum",`)
	assert.Contains(t, said, `"sla-platinum/s-platinum"`)
	acctest.RunTerraform(t, w, 0, append([]string{"plan", "-detailed-exitcode", "-input=false"}, both...)...)
	acctest.RunTerraform(t, w, 0, append([]string{"destroy", "-auto-approve", "-input=false"}, both...)...)
}
