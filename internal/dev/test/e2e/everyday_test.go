package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

func TestAdopted_everyday(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 130, 0)
	w, dir := b.imported(t, 3+3+6, "--tier-category", "sla")
	plan := func(changes string) string {
		t.Helper()
		out := acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false", "-out=plan")
		require.Contains(t, out, "Plan: "+changes)
		return out
	}
	apply := func() { acctest.RunTerraform(t, w, 0, "apply", "-input=false", "plan") }

	// Moving 25 VMs changes 50 lines of the plan, because each VM is removed from one list and added to another.
	for _, tiers := range [][2]string{{"gold", "silver"}, {"bronze", "gold"}} {
		edit(t, filepath.Join(dir, "virtual_machines.json"), func(vms map[string]map[string]any) {
			left := 25
			for _, vm := range vms {
				if left > 0 && vm["tier"] == tiers[0] {
					vm["tier"] = tiers[1]
					left--
				}
			}
		})
		out := plan("0 to add, 2 to change, 0 to destroy.")
		assert.Equal(t, 50, listed(out), "%v, %v, %v", tiers[0], tiers[1], out)
		apply()
	}

	// When a tier is removed, the plan warns about the tag and states how many VMs have it.
	n := len(b.Tags().Objects(b.tags["bronze"]))
	edit(t, filepath.Join(dir, "virtual_machines.json"), func(vms map[string]map[string]any) {
		for _, vm := range vms {
			if vm["tier"] == "bronze" {
				delete(vm, "tier")
			}
		}
	})
	out := flat(plan("0 to add, 0 to change, 1 to destroy."))
	assert.Contains(t, out, fmt.Sprintf("Tag sla/bronze Is Detached from %d VMs", n))
	apply()
	assert.Empty(t, b.Tags().Objects(b.tags["bronze"]))

	// Drift on one VM changes one line of the plan.
	gold := b.Tags().Objects(b.tags["gold"])
	require.NoError(t, b.Tags().Detach(b.tags["gold"], tagging.Object{Type: "VirtualMachine", ID: gold[len(gold)/2]}))
	assert.Equal(t, 1, listed(plan("0 to add, 1 to change, 0 to destroy.")))
	apply()

	// When a tier is renamed, the plan warns that the tag will be lost and prints an entry that keeps it.
	tiers := filepath.Join(dir, "tiers.tf")
	replace(t, tiers, "gold", "platinum")
	edit(t, filepath.Join(dir, "virtual_machines.json"), func(vms map[string]map[string]any) {
		for _, vm := range vms {
			if vm["tier"] == "gold" {
				vm["tier"] = "platinum"
			}
		}
	})
	entry := `renamed_from = { "platinum" = "gold" }`
	out = plan("1 to add, 1 to change, 1 to destroy.")
	require.Contains(t, flat(out), `Tag "gold" Is Deleted and "platinum" Is Created`)
	assert.Contains(t, flat(out), entry)
	replace(t, tiers, "renamed_from = {}", `renamed_from = { sla = { platinum = "gold" } }`)
	moved := `moved {
  from = vsla_tag_association.tag["sla/gold"]
  to   = vsla_tag_association.tag["sla/platinum"]
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "moved.tf"), []byte(moved), 0o600))
	out = plan("0 to add, 1 to change, 0 to destroy.")
	assert.NotContains(t, out, "Is Deleted")
	apply()
}

var objectIDs = regexp.MustCompile(`(?s)object_ids\s+= \[.*?\n {8}\]`)

func listed(plan string) (n int) {
	for _, list := range objectIDs.FindAllString(plan, -1) {
		n += strings.Count(list, "\n          + ") + strings.Count(list, "\n          - ")
	}
	return n
}

func flat(out string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " ")
}

func edit(t *testing.T, file string, change func(map[string]map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var vms map[string]map[string]any
	require.NoError(t, json.Unmarshal(text, &vms))
	change(vms)
	if text, err = json.Marshal(vms); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	require.NoError(t, err)
}

func replace(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.ReplaceAll(string(text), from, to)), 0o600)
	}
	require.NoError(t, err)
	require.Contains(t, string(text), from)
}
