package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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
	// The default mirror in the home directory needs no configuration. A custom mirror needs the configuration printed by
	// the command.
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

func TestDemo(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "run", "./internal/dev/cmd/demo")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, out)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, quoted, _ := strings.Cut(string(readme), "The demo tags")
	quotes := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(quoted, -1)
	require.Len(t, quotes, 2)
	for _, quote := range quotes {
		// On a slow computer, the initial syncs may have progressed by the end of the apply.
		pattern := strings.ReplaceAll(regexp.QuoteMeta(quote[1]), "= 0 -> 100", `= \d+ -> 100`)
		assert.True(t, regexp.MustCompile(pattern).Match(out),
			"the demo does not print this quote of the README:\n%s\nThe demo:\n%s", quote[1], out)
	}
	rest := string(out)
	for _, want := range []string{
		"Plan: 7 to add",
		`"meets"`, // the verdicts are known before the apply
		"Apply complete! Resources: 7 added",
		"640 VMs were tagged with 3 attach requests.",
		"No changes.",
		// The initial syncs of 15 VMs are predicted to take 15m 40s. After half that time, only small VMs are in sync. After
		// the full time, all VMs are in sync.
		"Apply complete! Resources: 15 added",
		`predicted_initial_sync = "15m 40s"`,
		`"INITIAL_FULL_SYNC" = 15`,
		"~ INITIAL_FULL_SYNC = 15 -> ",
		" -> 100",
		"+ OK                = 15",
		" syncs and 0 violations of the RPO",
		"No changes.",
		"promises what this link cannot keep",
		"Destroy complete! Resources: 15 destroyed.",
		"Destroy complete! Resources: 7 destroyed.",
		"0 tags, categories and associations, 0 sessions",
		"0 replications, 0 replica disks, 0 sessions",
	} {
		_, after, ok := strings.Cut(rest, want)
		require.True(t, ok, "%q is missing, or out of order, in:\n%s", want, out)
		rest = after
	}
}
