//go:build clients

package foreign_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const vsphereConfig = `
provider "vsphere" {
  vsphere_server       = "%s"
  allow_unverified_ssl = true
}

data "vsphere_datacenter" "dc" {
  name = "DC0"
}

data "vsphere_virtual_machine" "vm" {
  name          = "%s"
  datacenter_id = data.vsphere_datacenter.dc.id
}

resource "vsphere_tag_category" "sla" {
  name             = "sla"
  description      = "promises"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}

resource "vsphere_tag" "gold" {
  name        = "gold"
  description = "%s"
  category_id = vsphere_tag_category.sla.id
}

data "vsphere_tag" "gold" {
  name        = vsphere_tag.gold.name
  category_id = vsphere_tag_category.sla.id
}

output "tag" {
  value = data.vsphere_tag.gold.id
}
`

const vslaConfig = `
data "vsla_tags" "sla" {
  category_id = vsphere_tag.gold.category_id
  name_regex  = "^go"
}

resource "vsla_tag_association" "gold" {
  tag_id     = data.vsla_tags.sla.ids["gold"]
  object_ids = data.vsla_virtual_machines.same.ids
}

data "vsla_virtual_machines" "same" {
  name_regex   = "^${data.vsphere_virtual_machine.vm.name}$"
  summary_only = true
}
`

func TestVSphereProvider(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	folder := filepath.Join(root, "build", "vsphere")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join(root, "internal/dev/tools/vsphere"),
		"-o", filepath.Join(folder, "terraform-provider-vsphere"), "github.com/hashicorp/terraform-provider-vsphere")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, release := range []tagging.Release{tagging.Release70, tagging.Release80, tagging.Release91} {
		for name, more := range map[string]string{"alone": "", "beside vsla": vslaConfig} {
			t.Run(name+" on "+string(release), func(t *testing.T) {
				t.Parallel()
				exerciseProvider(t, folder, release, more)
			})
		}
	}
}

func exerciseProvider(t *testing.T, folder string, release tagging.Release, more string) {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 2, Release: release})
	vm := lab.VMs()[0]
	w, dir := acctest.Workspace(t, lab, "internal/dev/test/foreign/testdata")
	installBoth(t, dir, folder)
	write := func(description string) {
		t.Helper()
		text := fmt.Sprintf(vsphereConfig, strings.TrimPrefix(lab.URL(), "https://"), vm.Name, description) + more
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600))
	}
	apply := func() { acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-no-color") }
	write("15 minutes")
	apply()
	write("fifteen minutes")
	apply()
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false", "-no-color")
	tags := lab.Tags().Tags()
	require.Len(t, tags, 1)
	assert.Equal(t, "gold", tags[0].Name)
	assert.Equal(t, "fifteen minutes", tags[0].Description)
	out := acctest.RunTerraform(t, w, 0, "output", "-raw", "tag")
	if !strings.HasSuffix(strings.TrimSpace(out), tags[0].ID) {
		t.Errorf("the vsphere provider reads the tag %q, want %s", out, tags[0].ID)
	}
	if got := lab.Tags().Objects(tags[0].ID); (more != "") != (len(got) == 1 && got[0] == vm.ID) {
		t.Errorf("the tag is on %v", got)
	}
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false", "-no-color")
	lab.ExpireSessions() // the vsphere provider does not log out
}

func installBoth(t *testing.T, dir, folder string) {
	t.Helper()
	config := filepath.Join(dir, "cli.tfrc")
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	both := strings.Replace(string(text), "dev_overrides {\n",
		fmt.Sprintf("dev_overrides {\n    \"hashicorp/vsphere\" = %q\n", folder), 1)
	require.NoError(t, os.WriteFile(config, []byte(both), 0o600))
}
