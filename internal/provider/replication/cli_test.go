package replication_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const example = "examples/resources/vsla_replication"

// workspace prepares the example for the real Terraform CLI and provider binary. The virtual clock advances with each
// poll, so that each wait ends after one poll.
func workspace(t *testing.T, s *acctest.Sites, env ...string) (*terraformcli.Workspace, string) {
	t.Helper()
	s.StepPerPoll(20 * time.Second)
	w, dir := acctest.Workspace(t, nil, example, append(s.Environment(), env...)...)
	for _, file := range []string{"import-by-string-id.tf", "import-by-identity.tf"} {
		require.NoError(t, os.Remove(filepath.Join(dir, file)))
	}
	// Delete replicas on destroy. Otherwise, the VM could not be replicated again.
	resource := filepath.Join(dir, "resource.tf")
	content, err := os.ReadFile(resource)
	require.NoError(t, err)
	content = bytes.ReplaceAll(content, []byte("retain_replica_disks_on_destroy = true"), nil)
	require.NoError(t, os.WriteFile(resource, content, 0o600))
	block := "terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "providers.tf"), []byte(block), 0o600))
	return w, dir
}

// TestCLI_killed kills Terraform while the replication is being configured. The next apply fails with an error that
// contains an import block for the replication, and the import succeeds.
func TestCLI_killed(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	w, dir := workspace(t, s)
	gate := fault.NewGate()
	s.Traffic().Break(fault.Rule{Kind: "configureReplication", Times: 1, After: gate.Hold})
	var out bytes.Buffer
	cmd := w.Command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.Stdout = &out
	cmd.Stderr = &out
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // fails, because the process was killed
	gate.Open()
	s.Advance(time.Minute)

	said := acctest.RunTerraform(t, w, 1, "apply", "-auto-approve", "-input=false", "-no-color")
	found := regexp.MustCompile(`id = "([^"]+)"`).FindStringSubmatch(said)
	require.Len(t, found, 2, "no import block in:\n%s", said)
	block := "import {\n  to = vsla_replication.database\n  id = \"" + found[1] + "\"\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "import.tf"), []byte(block), 0o600))
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
	assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
	s.ExpireSessions() // the killed provider could not log out
}

func TestCLI_interrupted(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	w, _ := workspace(t, s)
	gate := fault.NewGate()
	s.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Times: 1, Before: gate.Hold})
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out bytes.Buffer
	cmd := w.Command(ctx, "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.Stdout = &out
	cmd.Stderr = &out
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	interrupt()
	require.Error(t, cmd.Wait(), "an interrupted apply ended well")
	gate.Open()
	assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), "The operation was canceled.",
		"the message does not say what happened:\n%s", out.String())
	assert.Equal(t, 0, s.Sessions())
	assert.Contains(t, acctest.RunTerraform(t, w, 0, "show", "-no-color"), "vsla_replication.database")
	s.Advance(time.Minute)
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
	// The replication is resumed instead of being configured again.
	if r := only(t, s); r.Configured != 1 || s.Traffic().Count("configureReplication") != 1 ||
		s.Traffic().Count("unconfigureReplication") != 0 {
		t.Errorf("%+v, after %v", r, s.Traffic().Counts())
	}
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}

func TestCLI_keepsSecrets(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 40, gateway.Switches{})
	log := filepath.Join(t.TempDir(), "trace.log")
	w, dir := workspace(t, s, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	var written strings.Builder
	written.WriteString(acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "show", "-json", "tfplan"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "apply", "-input=false", "tfplan"))
	written.WriteString(acctest.RunTerraform(t, w, 0, "show", "-json"))
	// For a failed login, the error contains only the status, because the response might quote the password.
	for operation, quote := range map[string]string{
		"login":               "HTTP 400",
		"createRemoteSession": "HTTP 400",
		"getAllReplications":  "quoted: ",
	} {
		s.Traffic().Break(fault.Rule{Kind: operation, Status: http.StatusBadRequest, Echo: true})
		failed := acctest.RunTerraform(t, w, 1, "plan", "-input=false")
		s.Traffic().Mend()
		assert.Contains(t, failed, quote, operation)
		written.WriteString(failed)
	}
	written.WriteString(acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false"))
	for _, file := range []string{
		log,
		filepath.Join(dir, "terraform.tfstate"),
		filepath.Join(dir, "terraform.tfstate.backup"),
		filepath.Join(dir, "tfplan"),
	} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		written.Write(content)
	}
	text := written.String()
	if !strings.Contains(text, "Replication request") ||
		!strings.Contains(text, "/pairings/{pairing_id}/remote-session") { // verify that the log contains requests
		t.Fatal("the log holds no request, so nothing was shown")
	}
	secrets := append(s.SessionIDs(), s.Password(), s.RemotePassword())
	require.GreaterOrEqual(t, len(secrets), 6)
	for i, secret := range secrets {
		assert.NotContains(t, text, secret, "secret %d of %d is in what was written", i+1, len(secrets))
	}
}
