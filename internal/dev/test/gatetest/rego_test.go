package gatetest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/gate/format"
)

// TestRego runs the tests of the policy for OPA, and the policy on a decision and on a plan.
func TestRego(t *testing.T) {
	t.Parallel()
	const rego = "examples/policy/gate.rego"
	program := filepath.Join(t.TempDir(), "opa")
	opa := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = root(t)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-modfile=internal/dev/tools/opa/go.mod",
		"-o", program, "github.com/open-policy-agent/opa")
	build.Dir = root(t)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	opa("check", "--strict", "examples/policy")
	opa("fmt", "--fail", "--list", "examples/policy")
	opa("test", "examples/policy/gate.rego", "examples/policy/gate_test.rego")

	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := openConfig(t, cli, example)
		plan := f.plan(t)
		dir := t.TempDir()
		decision, err := os.Create(filepath.Join(dir, "decision.json"))
		require.NoError(t, err)
		require.NoError(t, format.Report{Decision: decide(t, plan, policy)}.WriteJSON(decision))
		require.NoError(t, decision.Close())
		file := filepath.Join(dir, "plan.json")
		require.NoError(t, os.WriteFile(file, f.show(t, "tfplan"), 0o600))
		for _, input := range []string{decision.Name(), file} {
			opa("eval", "--strict-builtin-errors", "--fail", "--data="+rego, "--input="+input, "data.vsla.allow")
		}
	})
}
