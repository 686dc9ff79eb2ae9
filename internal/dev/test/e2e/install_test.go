package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	clone, home := filepath.Join(t.TempDir(), "clone"), t.TempDir()
	command(t, root, nil, "git", "clone", "--quiet", root, clone)
	// Variables inherited from an outer make would add messages to the output.
	env := []string{"HOME=" + home, "GOBIN=" + filepath.Join(home, "bin"), "MAKEFLAGS=", "MAKELEVEL=0"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
		env = append(env, name+"="+strings.TrimSpace(command(t, root, nil, "go", "env", name)))
	}
	printed := command(t, clone, env, "make", "install")
	for _, want := range []string{
		filepath.Join(home, ".terraform.d", "plugins", "registry.terraform.io", "vsla", "vsla"),
		filepath.Join(home, ".terraform.d", "plugins", "registry.opentofu.org", "vsla", "vsla"),
		"filesystem_mirror {", filepath.Join(home, "bin", "vsla"), "is not in PATH",
	} {
		assert.Contains(t, printed, want)
	}
	hash := strings.TrimSpace(command(t, clone, nil, "git", "rev-parse", "--short=12", "HEAD"))
	got := command(t, clone, nil, filepath.Join(home, "bin", "vsla"), "version")
	require.True(t, strings.HasPrefix(got, "vsla 0.0."),
		"vsla version prints %q, want vsla 0.0.N (commit %s, go...)", got, hash)
	assert.Contains(t, got, "(commit "+hash+", go")
	// The default mirror in the home directory needs no configuration. A custom mirror needs the configuration printed
	// by the command.
	mirror := filepath.Join(t.TempDir(), "mirror")
	printed = command(t, clone, env, "make", "install", "MIRROR="+mirror)
	_, config, ok := strings.Cut(printed, "\nprovider_installation {")
	require.True(t, ok, "make install prints no configuration for another folder:\n%s", printed)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		for _, at := range []struct{ home, config string }{
			{home, ""},
			{t.TempDir(), "provider_installation {" + config},
		} {
			dir := t.TempDir()
			require.NoError(t, terraformcli.CopyFiles(filepath.Join(clone, "examples", "stretched"), dir))
			file := filepath.Join(dir, "own.tfrc")
			require.NoError(t, os.WriteFile(file, []byte(at.config), 0o600))
			w, err := terraformcli.NewWorkspace(cli, dir, clone, "HOME="+at.home, "TF_CLI_CONFIG_FILE="+file)
			require.NoError(t, err)
			out := acctest.RunTerraform(t, w, 0, "init", "-input=false", "-no-color")
			assert.Contains(t, out, "Installed vsla/vsla v")
			out = acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
			require.Contains(t, out, "+ application")
			assert.NotContains(t, out, "Provider development overrides")
		}
	})
}

func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%v, %v, %v, %v", name, args, out, errs.String())
	return string(out)
}
