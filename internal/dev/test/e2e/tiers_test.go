package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

type tierLab struct {
	*acctest.Lab
	*terraformcli.Workspace
	t   *testing.T
	dir string
	vms []string
}

func newTierLab(t *testing.T) tierLab {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 30})
	lab.KeepObjects()
	_, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	w, dir := acctest.Workspace(t, lab, "internal/dev/test/e2e/testdata/tiers")
	l := tierLab{Lab: lab, Workspace: w, t: t, dir: dir}
	for _, vm := range lab.VMs()[:30] {
		l.vms = append(l.vms, vm.ID)
	}
	return l
}

func (l tierLab) write(tiers map[string][]string) {
	l.t.Helper()
	text, err := json.Marshal(map[string]any{"tiers": tiers})
	require.NoError(l.t, err)
	require.NoError(l.t, os.WriteFile(filepath.Join(l.dir, "terraform.tfvars.json"), text, 0o600))
}

func (l tierLab) run(code int, args ...string) string {
	l.t.Helper()
	return acctest.RunTerraform(l.t, l.Workspace, code, append(args, "-input=false", "-no-color")...)
}

func (l tierLab) apply(tiers map[string][]string, args ...string) {
	l.t.Helper()
	l.write(tiers)
	l.run(0, append([]string{"apply", "-auto-approve"}, args...)...)
}

func (l tierLab) destroy() { l.run(0, "destroy", "-auto-approve", "-parallelism=1") }

func (l tierLab) tag(tier string) string {
	tags := l.Tags().Tags()
	return tags[slices.IndexFunc(tags, func(t tagging.Tag) bool { return t.Name == tier })].ID
}

func (l tierLab) assertTags(tiers map[string][]string) {
	l.t.Helper()
	tags := l.Tags().Tags()
	assert.Len(l.t, tags, len(tiers))
	for _, tag := range tags {
		assert.Equal(l.t, slices.Sorted(slices.Values(tiers[tag.Name])), l.Tags().Objects(tag.ID), tag.Name)
	}
}

// TestCLI_tierMoves rotates all VMs through three tiers, then replaces a tier. A single apply must suffice for each
// change, even with a parallelism of 1.
func TestCLI_tierMoves(t *testing.T) {
	t.Parallel()
	l := newTierLab(t)
	for _, tiers := range []map[string][]string{
		{"gold": l.vms[:10], "silver": l.vms[10:20], "bronze": l.vms[20:]},
		{"gold": l.vms[20:], "silver": l.vms[:10], "bronze": l.vms[10:20]},
		{"gold": l.vms[5:25], "platinum": slices.Concat(l.vms[:5], l.vms[25:]), "bronze": {}},
	} {
		l.apply(tiers, "-parallelism=1")
		l.assertTags(tiers)
		l.run(0, "plan", "-detailed-exitcode")
	}
	l.destroy()
	l.assertTags(nil)
}

func TestCLI_tierMovesTargeted(t *testing.T) {
	t.Parallel()
	l := newTierLab(t)
	l.apply(map[string][]string{"gold": l.vms[:10], "silver": l.vms[10:]})
	l.write(map[string][]string{"gold": l.vms[5:15], "silver": l.vms[15:]})
	out := l.run(0, "plan", "-target", `vsla_tag_association.tier["gold"]`)
	name := l.VMs()[10].Name
	for _, want := range []string{
		"Tag sla/gold Replaces Other Tags of sla", "sla/silver on 5 VMs: " + name + " (" + l.vms[10] + ")",
	} {
		assert.Contains(t, words(out), want)
	}
	l.run(0, "apply", "-auto-approve", "-target", `vsla_tag_association.tier["gold"]`)
	l.assertTags(map[string][]string{"gold": l.vms[5:15], "silver": l.vms[15:]})
	l.run(0, "plan", "-detailed-exitcode")
	l.destroy()
}

func TestCLI_tierMovesPastAFailure(t *testing.T) {
	t.Parallel()
	for _, parallelism := range []string{"1", "10"} {
		t.Run(parallelism, func(t *testing.T) {
			t.Parallel()
			l := newTierLab(t)
			l.apply(map[string][]string{"gold": l.vms[:15], "silver": l.vms[15:]})
			silver := l.tag("silver")
			l.Tags().RefuseAttach(silver, l.vms[3], true)
			after := map[string][]string{"gold": l.vms[15:], "silver": l.vms[:15]}
			l.write(after)
			out := l.run(1, "apply", "-auto-approve", "-parallelism="+parallelism)
			assert.Contains(t, words(out), "Attach tag sla/silver: vCenter refused 1 of the objects: "+l.vms[3])
			l.assertTags(map[string][]string{
				"gold":   append(slices.Clone(l.vms[15:]), l.vms[3]),
				"silver": slices.Concat(l.vms[:3], l.vms[4:15]),
			})
			l.Tags().RefuseAttach(silver, l.vms[3], false)
			l.run(0, "apply", "-auto-approve", "-parallelism="+parallelism)
			l.assertTags(after)
			l.run(0, "plan", "-detailed-exitcode")
			l.destroy()
		})
	}
}

// TestCLI_tierRetired removes a tier from which a VM was detached outside of Terraform. The destroyed association still
// lists the VM, but the VM must be in its new tier afterwards.
func TestCLI_tierRetired(t *testing.T) {
	t.Parallel()
	l := newTierLab(t)
	l.apply(map[string][]string{"gold": l.vms[:15], "silver": l.vms[15:]})
	require.NoError(t, l.Tags().Detach(l.tag("gold"), tagging.Object{Type: "VirtualMachine", ID: l.vms[3]}))
	after := map[string][]string{"silver": l.vms}
	l.apply(after, "-parallelism=1")
	l.assertTags(after)
	l.destroy()
}

func TestCLI_tierForced(t *testing.T) {
	t.Parallel()
	l := newTierLab(t)
	l.apply(map[string][]string{"gold": l.vms[:1], "silver": l.vms[2:]}, "-var=force_destroy=true")
	require.NoError(t, l.Tags().Attach(l.tag("gold"), tagging.Object{Type: "VirtualMachine", ID: l.vms[1]}))
	after := map[string][]string{"silver": l.vms}
	l.apply(after, "-parallelism=1", "-var=force_destroy=true")
	l.assertTags(after)
	l.destroy()
}

func TestCLI_exclusiveShowsWhatItTakes(t *testing.T) {
	t.Parallel()
	l := newTierLab(t)
	l.apply(map[string][]string{"gold": l.vms[:1]})
	for _, vm := range l.vms[1:] {
		require.NoError(t, l.Tags().Attach(l.Tags().Tags()[0].ID, tagging.Object{Type: "VirtualMachine", ID: vm}))
	}
	out := l.run(0, "plan", "-var=ownership=exclusive")
	// IDs sort as text: vm-100 before vm-99.
	first := slices.Sorted(slices.Values(l.vms[1:]))[0]
	at := slices.Index(l.vms, first)
	for _, want := range []string{
		"Tag sla/gold Is Detached from 29 VMs", l.VMs()[at].Name + " (" + first + ")", "and 19 more",
	} {
		assert.Contains(t, words(out), want)
	}
	l.run(0, "apply", "-auto-approve", "-var=ownership=exclusive")
	l.assertTags(map[string][]string{"gold": l.vms[:1]})
	l.run(0, "plan", "-detailed-exitcode", "-var=ownership=exclusive")
	l.destroy()
}

// TestCLI_warnsOfMissingVMs verifies that a plan names the listed VM that does not exist any more, but not the one from
// which another client has detached the tag: the apply attaches it again.
func TestCLI_warnsOfMissingVMs(t *testing.T) {
	t.Parallel()
	l := newTierLab(t)
	l.apply(map[string][]string{"gold": l.vms[:3]})
	require.NoError(t, l.Tags().Detach(l.tag("gold"), tagging.Object{Type: "VirtualMachine", ID: l.vms[0]}))
	require.NoError(t, l.DestroyVM(l.vms[1]))
	out := words(l.run(0, "plan"))
	assert.Contains(t, out, "Objects No Longer Exist")
	assert.Contains(t, out, "cannot attach the tag to them: "+l.vms[1]+". Remove their IDs.")
	l.destroy()
}

func words(out string) string {
	words := strings.FieldsFunc(out, func(r rune) bool { return strings.ContainsRune(" \n│╷╵", r) })
	return strings.Join(words, " ")
}

// TestCLI_replicasDeleted moves VMs between tiers that are separate resources. The plan must count the deleted
// replicas, because Terraform combines the warnings about individual replicas.
func TestCLI_replicasDeleted(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 12})
	g := lab.AddReplication(t, gateway.Config{Switches: gateway.Switches{SessionTTL: -1, SessionIdle: -1}})
	g.StepPerPoll(time.Minute)
	w, dir := acctest.Workspace(t, lab, "internal/dev/test/e2e/testdata/pertier",
		"VSLA_REPLICATION_REQUESTS_PER_MINUTE=0")
	l := tierLab{Lab: lab, Workspace: w, t: t, dir: dir}
	for _, vm := range lab.VMs() {
		l.vms = append(l.vms, vm.ID)
	}
	l.apply(map[string][]string{"gold": l.vms, "silver": {}})
	l.write(map[string][]string{"gold": {}, "silver": l.vms})
	out := l.run(0, "plan")
	for _, want := range []string{
		"Plan: 12 to add, 0 to change, 12 to destroy.", "Warning: Replica Will Be Deleted",
		"(and 11 more similar warnings elsewhere)", "Warning: 10 or More Replicas Will Be Deleted",
	} {
		assert.Contains(t, words(out), want)
	}
	l.write(map[string][]string{"gold": l.vms[:11], "silver": {}})
	out = l.run(0, "apply", "-auto-approve")
	last := lab.VMs()[11]
	want := fmt.Sprintf("The replica of %s (%.1f GiB) will be deleted", last.Name, float64(last.DiskBytes)/(1<<30))
	require.Contains(t, words(out), want)
	assert.NotContains(t, out, "similar warnings")

	g.Deny("getAllReplications")
	out = l.run(1, "plan")
	if strings.Count(out, "Error: Unable to Read Replication") != 1 ||
		!strings.Contains(words(out), "Warning: More Replications Cannot Be Read") ||
		!strings.Contains(words(out), "(and 9 more similar warnings elsewhere)") {
		t.Errorf("got a plan without one error and a warning about ten others:\n%s", out)
	}
	g.Allow()
	l.destroy()
}

const taggedEstate = `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}
variable "changed" { default = 0 }
resource "vsla_tag_category" "c" {
  count       = 10
  name        = "category-${count.index}"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "t" {
  count       = 10
  category_id = vsla_tag_category.c[count.index].id
  tags = { for i in range(1000) : format("tag-%04d", i) => "number ${i}${i == 0 ? var.changed : ""}" }
}
resource "vsla_tag_association" "a" {
  count      = 10
  tag_id     = vsla_tags.t[count.index].ids["tag-0000"]
  object_ids = jsondecode(file("vms.json"))
}
`
