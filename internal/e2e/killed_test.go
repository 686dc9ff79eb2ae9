//go:build unix

package e2e_test

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"terraform-provider-vsla/internal/acctest"
	"terraform-provider-vsla/internal/lab/fault"
	"terraform-provider-vsla/internal/lab/tagging"
	"terraform-provider-vsla/internal/lab/vcsim"
	"terraform-provider-vsla/internal/terraformcli"
)

// TestCLI_killed ends Terraform and the provider with kill -9 while tags are being created: state knows of none of
// them. The next apply heals that where it may adopt, and explains the one import where it may not.
func TestCLI_killed(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Keep()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	if err != nil {
		t.Fatal(err)
	}
	w, _ := acctest.Workspace(t, lab, "internal/e2e/testdata/killed")
	kill := func() map[string]string {
		killApply(t, lab, w)
		ids := make(map[string]string)
		for _, tag := range lab.Tags().Tags() {
			ids[tag.Name] = tag.ID
		}
		if len(ids) < 100 || len(ids) == 300 {
			t.Errorf("%d tags were created before the kill", len(ids))
		}
		return ids
	}
	same := func(before map[string]string) {
		t.Helper()
		tags := lab.Tags().Tags()
		if len(tags) != 300 {
			t.Errorf("%d tags", len(tags))
		}
		for _, tag := range tags {
			if id, ok := before[tag.Name]; ok && id != tag.ID {
				t.Errorf("%s was created anew", tag.Name)
			}
		}
		acctest.Terraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
		acctest.Terraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
	}

	before := kill()
	acctest.Terraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-var=adopt_existing=true")
	acctest.Terraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	same(before)

	before = kill()
	out := acctest.Terraform(t, w, 1, "apply", "-auto-approve", "-input=false", "-no-color")
	if !strings.Contains(out, "Tags Exist Already") || !strings.Contains(out, `id = "`+category+`"`) {
		t.Errorf("the way out is not explained:\n%s", out)
	}
	acctest.Terraform(t, w, 0, "import", "-input=false", "vsla_tags.sla", "sla")
	acctest.Terraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	same(before)
}

// killApply runs an apply and kills it, and the provider with it, when 100 tags have been created.
func killApply(t *testing.T, lab *acctest.Lab, w *terraformcli.Workspace) {
	t.Helper()
	gate := fault.NewGate()
	lab.Traffic().Break(fault.Rule{Kind: "POST tag", Skip: 100, Before: gate.Hold})
	var out bytes.Buffer
	cmd := w.Command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-gate.Arrived():
	case err := <-ended:
		t.Fatalf("apply ended before 100 creates: %v\n%s", err, out.String())
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a killed apply ended well")
	}
	gate.Open()
	lab.Traffic().Mend()
	lab.ExpireSessions() // nobody could log out
}
