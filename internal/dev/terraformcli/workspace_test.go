package terraformcli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

//nolint:paralleltest // it changes the environment
func TestNewWorkspace_environment(t *testing.T) {
	for name, value := range map[string]string{
		"HTTPS_PROXY":        "http://proxy.example.com:3128",
		"NO_PROXY":           "localhost",
		"SSL_CERT_FILE":      "/etc/ca.pem",
		"TF_LOG":             "TRACE",
		"TF_VAR_tier":        "gold",
		"TF_CLI_CONFIG_FILE": "/home/me/own.tfrc",
		"TOFU_X":             "1",
		"VSPHERE_PASSWORD":   "secret",
		"VSLA_CA_FILE":       "/own.pem",
		"CHECKPOINT_DISABLE": "0",
	} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	w, err := terraformcli.NewWorkspace(
		terraformcli.CLI{Path: "/bin/terraform"}, dir, t.TempDir(), "VSPHERE_USER=lab", "TF_LOG_PATH=trace.log")
	require.NoError(t, err)
	env := w.Command(t.Context(), "plan").Env
	for _, want := range []string{
		"HTTPS_PROXY=http://proxy.example.com:3128", "NO_PROXY=localhost", "SSL_CERT_FILE=/etc/ca.pem",
		"PATH=" + os.Getenv("PATH"), "CHECKPOINT_DISABLE=1", "VSPHERE_USER=lab", "TF_LOG_PATH=trace.log",
		"TF_CLI_CONFIG_FILE=" + filepath.Join(dir, "cli.tfrc"),
	} {
		assert.Contains(t, env, want)
	}
	for _, banned := range []string{
		"TF_LOG=", "TF_VAR_tier=", "TF_CLI_CONFIG_FILE=/home", "TOFU_X=", "VSPHERE_PASSWORD=", "VSLA_CA_FILE=",
		"CHECKPOINT_DISABLE=0",
	} {
		assert.False(t, slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, banned) }),
			"the environment has %s, which configures Terraform or vsla", banned)
	}
}

// TestCopyFiles verifies that a copy does not contain the state of a run in the original folder.
func TestCopyFiles(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"main.tf", "terraform.tfstate", "terraform.tfstate.backup", "tfplan"} {
		require.NoError(t, os.WriteFile(filepath.Join(from, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(from, ".terraform"), 0o700))
	require.NoError(t, terraformcli.CopyFiles(from, to))
	copied, err := os.ReadDir(to)
	require.NoError(t, err)
	require.Len(t, copied, 1)
	assert.Equal(t, "main.tf", copied[0].Name())
}
