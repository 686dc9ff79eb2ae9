//go:build unix

package e2e_test

import (
	"bytes"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// TestCLI_killed kills Terraform and the provider while tags are being created, so the state does not contain them. The
// next apply adopts them if allowed, and otherwise explains how to import them.
func TestCLI_killed(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	w, _ := acctest.Workspace(t, lab, "internal/dev/test/e2e/testdata/killed")
	kill := func() map[string]string {
		killApply(t, lab, w, fault.Rule{Kind: "POST tag", Skip: 100})
		ids := make(map[string]string)
		for _, tag := range lab.Tags().Tags() {
			ids[tag.Name] = tag.ID
		}
		// Ten requests run in parallel, so up to nine of the first 100 might still be running when request 101 arrives.
		require.GreaterOrEqual(t, len(ids), 91)
		assert.NotEqual(t, 300, len(ids))
		return ids
	}
	same := func(before map[string]string) {
		t.Helper()
		tags := lab.Tags().Tags()
		assert.Len(t, tags, 300)
		for _, tag := range tags {
			id, ok := before[tag.Name]
			if ok {
				assert.Equal(t, tag.ID, id)
			}
		}
		acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
		acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
	}

	before := kill()
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-var=adopt_existing=true")
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	same(before)

	before = kill()
	out := acctest.RunTerraform(t, w, 1, "apply", "-auto-approve", "-input=false", "-no-color")
	require.Contains(t, out, "Tags Already Exist")
	assert.Contains(t, out, `id = "`+category+`"`)
	acctest.RunTerraform(t, w, 0, "import", "-input=false", "vsla_tags.sla", "sla")
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	same(before)
}

func TestCLI_killedAndAdopted(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	lab.KeepObjects()
	w, _ := acctest.Workspace(t, lab, "internal/dev/test/e2e/testdata/adopt", "TF_VAR_vm="+lab.VMs()[0].ID)
	// The response to one create request is lost, and the client is killed when it sends the next request of the same
	// kind.
	lose := func(kind string, skip int) fault.Rule {
		lab.Traffic().Break(fault.Rule{
			Kind:        kind,
			Skip:        skip,
			Times:       1,
			HandleFirst: true,
			Status:      http.StatusServiceUnavailable,
		})
		return fault.Rule{Kind: kind, Skip: skip}
	}
	killApply(t, lab, w, lose("POST category", 0))
	categories := lab.Tags().Categories()
	require.Len(t, categories, 1)
	out := acctest.RunTerraform(t, w, 1, "apply", "-auto-approve", "-input=false", "-no-color")
	assert.Contains(t, out, "set adopt_existing = true to adopt the category")
	killApply(t, lab, w, lose("POST tag", 5), "-var=adopt_existing=true")
	before := lab.Tags().Tags()
	// The tag whose response was lost exists. Other tags might still be in progress.
	require.NotEmpty(t, before)
	require.NotEqual(t, 30, len(before))
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-var=adopt_existing=true")
	after := lab.Tags().Tags()
	ids := make(map[string]bool)
	for _, tag := range after {
		ids[tag.ID] = true
		assert.Len(t, lab.Tags().Objects(tag.ID), 1, tag.Name)
	}
	for _, tag := range before {
		assert.True(t, ids[tag.ID], "%s was created anew", tag.Name)
	}
	now := lab.Tags().Categories()
	assert.Len(t, after, 30)
	require.Len(t, now, 1)
	assert.Equal(t, categories[0].ID, now[0].ID)
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false", "-var=adopt_existing=true")
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}

func killApply(t *testing.T, lab *acctest.Lab, w *terraformcli.Workspace, at fault.Rule, args ...string) {
	t.Helper()
	gate := fault.NewGate()
	at.Before = gate.Hold
	lab.Traffic().Break(at)
	var out bytes.Buffer
	cmd := w.Command(t.Context(), append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-gate.Arrived():
	case err := <-ended:
		t.Fatalf("apply ended before the request: %v\n%s", err, out.String())
	}
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, <-ended, "a killed apply succeeded")
	gate.Open()
	lab.Traffic().Mend()
	lab.ExpireSessions() // the killed provider could not log out
}
