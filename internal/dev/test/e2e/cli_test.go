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

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestCLI_interrupt sends Ctrl-C while an attach is in progress.
func TestCLI_interrupt(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 40})
	w, dir := acctest.Workspace(t, lab, "examples/demo")
	gate := fault.NewGate()
	// Hold only one attach: calls that start just after the interrupt are not cancelled.
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
	assert.Error(t, <-ended, "an interrupted apply succeeded")
	gate.Open()
	assert.Equal(t, 1, cmd.ProcessState.ExitCode(), out.String())
	assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), "The operation was canceled.",
		"the message does not explain the interrupt:\n%s", out.String())
	rest, soap := lab.Sessions()
	assert.LessOrEqual(t, rest+soap, 0)
	// The state contains everything that may have been created, so the next runs can clean up.
	_, err := os.Stat(filepath.Join(dir, "terraform.tfstate"))
	require.NoError(t, err)
	lab.Traffic().Mend()
	acctest.Terraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	acctest.Terraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
	assert.Equal(t, 40, len(lab.Tags().Associations()))
	acctest.Terraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}

// TestCLI_keepsSecrets searches all output and logs of a run for the password and every session ID.
func TestCLI_keepsSecrets(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 40, Password: "p4ssw0rd-of-the-lab"})
	log := filepath.Join(t.TempDir(), "trace.log")
	w, dir := acctest.Workspace(t, lab, "examples/demo", "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	var written strings.Builder
	written.WriteString(acctest.Terraform(t, w, 0, "plan", "-out=tfplan", "-input=false"))
	written.WriteString(acctest.Terraform(t, w, 0, "show", "-json", "tfplan"))
	written.WriteString(acctest.Terraform(t, w, 0, "apply", "-input=false", "tfplan"))
	written.WriteString(acctest.Terraform(t, w, 0, "show", "-json"))
	// Include an error of each kind of login.
	lab.Traffic().Break(fault.Rule{Kind: "POST session", Status: 503})
	written.WriteString(acctest.Terraform(t, w, 1, "plan", "-input=false"))
	lab.Traffic().Mend()
	written.WriteString(acctest.Terraform(t, w, 0, "destroy", "-auto-approve", "-input=false"))
	state := filepath.Join(dir, "terraform.tfstate")
	for _, file := range []string{log, state, state + ".backup", filepath.Join(dir, "tfplan")} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		written.Write(content)
	}
	text := written.String()
	// Control: requests and framework messages were logged, which requires TF_LOG.
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
