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

// TestAccTaken verifies that a plan reports names that are taken, with the import block. A name of an object in state
// is not taken, because the apply can free it.
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
	tags := "resource \"vsla_tags\" \"all\" {\n  category_id = \"" + id + "\"\n  tags = { tag-3 = \"\", new = \"\" }\n}\n"
	plan := func(config, pattern string) resource.TestStep {
		return resource.TestStep{Config: lab.Provider() + config, PlanOnly: true, ExpectError: acctest.ErrorPattern(pattern)}
	}
	many := make([]string, 20)
	for n := range many {
		many[n] = tag(fmt.Sprintf("t%d", n), fmt.Sprintf("new-%d", n))
	}
	free := resource.TestStep{Config: lab.Provider() + strings.Join(many, ""), PlanOnly: true, ExpectNonEmptyPlan: true}
	lab.Run(t,
		plan(category("sla"), `\d: name = "sla".*to = vsla_tag_category.NAME id = "sla".*adopt_existing = true`),
		plan(tag("t", "tag-3"), `\d: name = "tag-3".*to = vsla_tag.NAME id = "sla/tag-3".*adopt_existing = true`),
		plan(tags, `\d: tags =.*1 of these tags already exist.*"tag-3".*adopt_existing = true.*import`),
		acctest.After(lab.Traffic().Reset, free),
		acctest.After(func() {
			runs := lab.Traffic().Count("POST session") // each run logs in once, and reads the category once for 20 tags
			assert.Equal(t, runs, lab.Traffic().Count("POST tag:list-tags-for-category"))
			assert.Equal(t, 30*runs, lab.Traffic().Count("GET tag/{id}"))
		}, resource.TestStep{Config: lab.Provider() + tag("one", "first")}),
		resource.TestStep{Config: lab.Provider() + tag("one", "second") + // frees the name
			strings.Replace(tag("two", "first"), "{", "{\n  depends_on = [vsla_tag.one]", 1)},
	)
}

// TestCLI_takenReplaced verifies that the names of objects to replace are not taken, although no refresh shows them.
func TestCLI_takenReplaced(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	w, dir := acctest.Workspace(t, lab, "examples/readme")
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
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600))
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	for _, address := range []string{"vsla_tag.t", "vsla_tags.all", "vsla_tag_category.c"} {
		acctest.RunTerraform(t, w, 0, "apply", "-refresh=false", "-replace="+address, "-auto-approve", "-input=false")
	}
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}
