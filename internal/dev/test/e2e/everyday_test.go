package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
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

// taggedLab returns the example of the guide "Protection by tag" with an appliance and a vCenter whose VMs 0, 1 and 2
// have the tag gold. VM 1 is not in the example's cluster.
func taggedLab(
	t *testing.T, env ...string,
) (lab *acctest.Lab, a *snapservice.Appliance, w *terraformcli.Workspace, dir string) {
	t.Helper()
	lab = acctest.Start(t, vcsim.Config{VMs: 8})
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	gold, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	for _, vm := range lab.VMs()[:3] {
		require.NoError(t, lab.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: vm.ID}))
	}
	a = lab.AddProtection(t, snapservice.Config{})
	w, dir = acctest.Workspace(t, lab, "examples/protection-by-tag", append(env, "TF_IN_AUTOMATION=1")...)
	return lab, a, w, dir
}

// TestCLI_protectionByTag checks the guide's example: the plan fails if the link is too slow, and otherwise shows the
// number of members before the group exists. The group is compliant after a day, and a destroy keeps its snapshots
// until they expire.
func TestCLI_protectionByTag(t *testing.T) {
	t.Parallel()
	lab, a, w, _ := taggedLab(t)
	run := func(code int, args ...string) string {
		t.Helper()
		return words(acctest.RunTerraform(t, w, code, append(args, "-input=false", "-no-color")...))
	}
	says := func(out string, wanted ...string) {
		t.Helper()
		for _, want := range wanted {
			assert.Contains(t, out, want)
		}
	}
	// 0.01 Mbit/s is too slow to transfer 15 minutes of changes from two VMs.
	says(run(1, "plan", "-var=link_mbps=0.01"), "Resource precondition failed")
	assert.Equal(t, 0, a.Traffic().Count("create"))
	says(run(0, "plan", "-out=plan"), "Plan: 1 to add, 0 to change, 0 to destroy.", "VMs that would be members: 2.",
		"+ compliant = false")
	acctest.RunTerraform(t, w, 0, "apply", "-input=false", "plan")
	group := a.GroupByName("gold")
	require.Len(t, group.Info.VMs, 2)
	assert.Equal(t, lab.VMs()[0].ID, group.Info.VMs[0])
	a.Advance(24 * time.Hour)
	// VM 1 has the tag but is in another cluster, so compliance fails until the tag is detached.
	says(run(0, "apply", "-auto-approve"), "compliant = false")
	tag := lab.Tags().Tags()[0].ID
	require.NoError(t, lab.Tags().Detach(tag, tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[1].ID}))
	says(run(0, "apply", "-auto-approve"), "compliant = true", "0 added, 0 changed, 0 destroyed",
		"members: 2. Added: 0; removed: 0; excluded: 0; in other groups: 0.")
	run(0, "plan", "-detailed-exitcode")
	a.AddSnapshots(group.ID, 3)
	says(run(0, "destroy", "-auto-approve"), "Its 3 snapshots remain until they expire",
		"The API does not document what happens to the replicas", "Destroy complete! Resources: 1 destroyed.")
	left := a.Groups()
	require.Len(t, left, 1)
	assert.Equal(t, "MARKED_FOR_DELETE", left[0].Info.Status)
	a.Advance(25 * time.Hour)
	assert.Empty(t, a.Groups())
}

// TestCLI_protectionKeepsSecrets checks that no output or log contains the token, session IDs or the password, although
// the STS and the appliance repeat them in errors.
func TestCLI_protectionKeepsSecrets(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "trace.log")
	lab, a, w, dir := taggedLab(t, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	var (
		mu      sync.Mutex
		secrets = map[string]bool{lab.Password(): true}
	)
	note := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for _, name := range []string{"Authorization", "Vmware-Api-Session-Id"} {
			if value := r.Header.Get(name); value != "" {
				secrets[strings.Trim(strings.TrimPrefix(value, "SIGN token="), `"`)] = true
			}
		}
	}
	a.Traffic().Break(fault.Rule{Kind: "preview", Times: 1, Before: note})
	a.Traffic().Break(fault.Rule{Kind: "POST session", Times: 1, Before: note})
	var written strings.Builder
	written.WriteString(acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false", "-no-color"))
	a.Traffic().Mend()
	for _, kind := range []string{"POST session", "list"} {
		a.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusBadRequest, Echo: true, Before: note})
		written.WriteString(acctest.RunTerraform(t, w, 1, "plan", "-input=false", "-no-color"))
		a.Traffic().Mend()
	}
	lab.Traffic().Break(fault.Rule{Kind: "POST /sts/STSService", Status: http.StatusBadRequest, Echo: true})
	written.WriteString(acctest.RunTerraform(t, w, 1, "plan", "-input=false", "-no-color"))
	lab.Traffic().Mend()
	for _, file := range []string{log, filepath.Join(dir, "tfplan")} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		written.Write(content)
	}
	text := written.String()
	// As a control, requests must be logged and sessions opened.
	require.Contains(t, text, "Data protection request")
	require.GreaterOrEqual(t, len(secrets), 4)
	for secret := range secrets {
		assert.NotContains(t, text, secret)
	}
}
