package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
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
