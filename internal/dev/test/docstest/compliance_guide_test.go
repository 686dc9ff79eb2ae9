package docstest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/plan/compliance"
)

// TestComplianceGuide plans the configurations of the guide "SLA compliance" while promises are kept and while one is
// broken, and finds every verdict and number in the text.
func TestComplianceGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "sla-compliance.md")
	blocks := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindAllSubmatch(guide, -1)
	said := regexp.MustCompile("(?s)```text\n(.*?)\n```").FindSubmatch(guide)
	require.Len(t, blocks, 4)
	require.NotNil(t, said)
	for _, verdict := range compliance.Verdicts() {
		assert.Contains(t, string(guide), "`"+verdict+"`")
	}

	lab, g := tiersLab(t)
	lab.Keep()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	for tier, machine := range map[string]string{"gold": "db-0003", "silver": "app-0002"} {
		tag, err := lab.Tags().AddTag(tagging.Tag{Name: tier, CategoryID: category})
		require.NoError(t, err)
		for _, vm := range lab.VMs() {
			if vm.Name != machine {
				continue
			}
			require.NoError(t, lab.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: vm.ID}))
			require.NoError(t, g.AddReplications(15, vm.ID))
		}
	}
	g.Advance(30 * time.Minute)
	w, dir := acctest.Workspace(t, lab, "examples/sla-tiers")
	for _, file := range []string{
		"main.tf", "compliance.tf", "outputs.tf", "variables.tf", "versions.tf", "terraform.tfvars", "README.md",
	} {
		require.NoError(t, os.Remove(filepath.Join(dir, file)))
	}
	write(t, dir, "main.tf", string(blocks[1][1])+string(blocks[3][1]))
	out := acctest.Terraform(t, w, 0, "plan", "-input=false", "-no-color")
	require.Contains(t, out, "broken")
	assert.Contains(t, out, "The last sync sent")
	// The lab has VMs without a tier, and no folder prod.
	uncovered := regexp.MustCompile(`folder +=.*`).ReplaceAllString(string(blocks[0][1]), "")
	write(t, dir, "main.tf", string(blocks[1][1])+uncovered)
	out = acctest.Terraform(t, w, 1, "plan", "-input=false", "-no-color")
	require.Contains(t, out, "VMs without a tier: ")
	assert.NotContains(t, out, "Of 2 VMs with a tier")
	write(t, dir, "main.tf", string(blocks[1][1])+string(blocks[3][1]))
	for _, r := range g.Replications() {
		if r.Name == "app-0002" {
			g.PauseReplication(r.VM, true)
		}
	}
	out = acctest.Terraform(t, w, 1, "plan", "-input=false", "-no-color")
	words := strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " ")
	assert.Contains(t, words, string(said[1]), out)
	// The other condition allows what it names, and nothing else.
	condition := strings.ReplaceAll(strings.TrimSpace(string(blocks[2][1])), "not_active", "paused")
	own := regexp.MustCompile(`condition +=.*`).ReplaceAllString(string(blocks[1][1]), condition)
	write(t, dir, "main.tf", own)
	acctest.Terraform(t, w, 0, "plan", "-input=false", "-no-color")
}
