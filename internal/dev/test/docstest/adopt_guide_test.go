package docstest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestCLI_query follows the guide on adoption for a whole vCenter: its list blocks find everything, and the
// configuration that Terraform writes plans imports and nothing else. It needs a Terraform that has the command: name
// one in TERRAFORM where the one on PATH is older.
func TestCLI_query(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 20})
	lab.Keep()
	w, dir := acctest.Workspace(t, lab, "internal/dev/test/docstest/testdata/query")
	if cli := w.CLI(); cli.OpenTofu ||
		version.Must(version.NewVersion(cli.Version)).LessThan(version.Must(version.NewVersion("1.14.0"))) {
		t.Skipf("%s has no query command", cli)
	}
	for _, name := range []string{"sla", "SRM-com.vmware.vcDr:::group", `odd "name" ${x} 100%{`} {
		category, err := lab.Tags().
			AddCategory(tagging.Category{Name: name, Cardinality: "MULTIPLE", AssociableTypes: []string{"VirtualMachine"}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			id, err := lab.Tags().AddTag(tagging.Tag{
				Name: fmt.Sprintf("tag/%02d", i), Description: `says "${x}"` + "\nand more", CategoryID: category,
			})
			if err != nil {
				t.Fatal(err)
			}
			if i < 3 {
				if err := lab.Tags().Attach(id, tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[i].ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	guide := read(t, "templates", "guides", "adopt.md")
	block := regexp.MustCompile("(?s)```terraform\n(list \"vsla_tag_category\".*?)```").FindSubmatch(guide)
	if block == nil {
		t.Fatal("the guide has no list blocks")
	}
	if err := os.WriteFile(filepath.Join(dir, "estate.tfquery.hcl"), block[1], 0o600); err != nil {
		t.Fatal(err)
	}
	acctest.Terraform(t, w, 0, "query", "-no-color", "-generate-config-out=generated.tf")
	out := acctest.Terraform(t, w, 0, "plan", "-no-color", "-input=false")
	// Two categories, 60 tags in each, and three of each on a VM; those of Site Recovery Manager are left out.
	if !strings.Contains(out, "Plan: 128 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Error(out[max(0, len(out)-3000):])
	}
}
