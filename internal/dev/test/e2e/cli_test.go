package e2e_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

func TestCLI_interrupt(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 40})
	w, dir := acctest.Workspace(t, lab, "examples/demo")
	gate := fault.NewGate()
	// Block only one attach request, because requests sent just after the interrupt are not canceled.
	lab.Traffic().
		Break(fault.Rule{Kind: "POST tag-association:attach-tag-to-multiple-objects", Times: 1, Before: gate.Hold})

	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out bytes.Buffer
	cmd := w.Command(ctx, "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-gate.Arrived():
	case err := <-ended:
		t.Fatalf("apply ended before an attach: %v\n%s", err, out.String())
	}
	interrupt()
	require.Error(t, <-ended, "an interrupted apply succeeded")
	gate.Open()
	assert.Equal(t, 1, cmd.ProcessState.ExitCode(), out.String())
	assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), "The operation was canceled.",
		"the message does not explain the interrupt:\n%s", out.String())
	rest, soap := lab.Sessions()
	assert.LessOrEqual(t, rest+soap, 0)
	// The state must contain everything that might have been created, so that the next runs can clean up.
	_, err := os.Stat(filepath.Join(dir, "terraform.tfstate"))
	require.NoError(t, err)
	lab.Traffic().Mend()
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
	assert.Len(t, lab.Tags().Associations(), 40)
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}

func TestCLI_keepsSecrets(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 40, Password: "p4ssw0rd-of-the-lab"})
	log := filepath.Join(t.TempDir(), "trace.log")
	w, dir := acctest.Workspace(t, lab, "examples/demo", "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	var written strings.Builder
	written.WriteString(acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "show", "-json", "tfplan"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "apply", "-input=false", "tfplan"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "show", "-json"))
	lab.Traffic().Break(fault.Rule{Kind: "POST session", Status: 503})
	written.WriteString(acctest.RunTerraform(t, w, 1, "plan", "-input=false"))
	lab.Traffic().Mend()
	written.WriteString(acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false"))
	state := filepath.Join(dir, "terraform.tfstate")
	for _, file := range []string{log, state, state + ".backup", filepath.Join(dir, "tfplan")} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		written.Write(content)
	}
	text := written.String()
	// As a control, the log must contain requests and framework messages, which are logged only if TF_LOG is set.
	if !strings.Contains(text, "vCenter request") || !strings.Contains(text, "sdk.framework") ||
		!strings.Contains(text, "attach-tag-to-multiple-objects") && !strings.Contains(text, "tag-association") {
		t.Fatal("the log has no request, so the check is void")
	}
	secrets := append(lab.SessionIDs(), lab.Password())
	require.GreaterOrEqual(t, len(secrets), 5)
	for i, secret := range secrets {
		assert.NotContains(t, text, secret, "secret %d of %d is in what was written", i+1, len(secrets))
	}
}

func TestCLI_warnsOfEncoding(t *testing.T) {
	t.Parallel()
	w, dir := acctest.Workspace(t, nil, "examples/data-sources/vsla_change_rates")
	for name, text := range map[string]string{
		"vms.csv": "VM;In Use MiB\nB\xfcro;1024\n",
		"data-source.tf": `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

data "vsla_inventory_file" "all" {
  path = "vms.csv"
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	out := acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
	assert.Regexp(t, acctest.ErrorPattern("Inventory File Is Not UTF-8.*vms.csv was read as Windows-1252"), out)
}

func TestWhatIf_planned(t *testing.T) {
	t.Parallel()
	model := page.Example()
	model.Plan["days"], model.Plan["runs"] = 4.0, 1.0
	first, err := whatif.Open(model)
	require.NoError(t, err)
	changes := whatif.Changes{
		"link/metro/throughput_mbps":   333.3,
		"tier/gold/rpo_minutes":        20.0,
		"plan/growth_percent_per_year": nil,
		"without":                      []any{"db-001"},
		"tier/silver/vm_count":         61.0,
	}
	want, err := first.Compute(t.Context(), changes, whatif.Callbacks{})
	require.NoError(t, err)
	text, err := first.Write(whatif.FormatHCL, changes)
	require.NoError(t, err)
	w, dir := acctest.Workspace(t, nil, "internal/report/testdata/scenarios/tiers/branch")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600))
	acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-out=tfplan")
	shown, err := w.Command(t.Context(), "show", "-json", "tfplan").Output()
	require.NoError(t, err)
	d, err := document.Read(strings.NewReader(string(shown)))
	require.NoError(t, err)
	again, result := page.FromDocument("plan.json", d)
	require.NotNil(t, result, "got no plan")
	second, err := whatif.Open(again)
	require.NoError(t, err)
	planned, err := second.View(t.Context(), *result)
	require.NoError(t, err)
	assert.Equal(t, want.Answer, planned.Answer)
	assert.Equal(t, want.Headline, planned.Headline)
	computed, err := second.Compute(t.Context(), nil, whatif.Callbacks{})
	require.NoError(t, err)
	assert.Equal(t, want.Answer, computed.Answer)
}
