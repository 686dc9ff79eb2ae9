package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

const gated = `{"format_version": "1.2", "errored": false, "complete": true, "planned_values": {"root_module": {}},
  "configuration": {"root_module": {}}, "resource_changes": [{"address": "vsla_replication.a", "mode": "managed",
  "type": "vsla_replication", "provider_name": "registry.terraform.io/vsla/vsla", "change": {"actions": ["create"],
  "after": {"vm_id": "VirtualMachine:vm-1:x", "pairing_id": "p", "rpo_minutes": 15}}}]}`

func TestGate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := file("good.yaml", `promises: { "*": { max_rpo_minutes: 15 } }`)
	strict := file("strict.yaml", `promises: { "*": { max_rpo_minutes: 14 } }`)
	waived := file("waived.yaml",
		`{ promises: { "*": { max_rpo_minutes: 14 } }, changes: { approvers: [jo] }, waivers: [
		{ name: w, subject: vm-1, code: weaker_than_tier, reason: r, approved_by: jo, expires: "2026-11-21" }] }`)
	const denied = "vm-1 has an RPO of 15 minutes; tier * promises 14"
	checkAll(t, map[string]command{
		"passes": {args: "gate - --settings " + good, stdin: gated, out: "Passes"},
		"denied": {args: "gate - --settings " + strict, stdin: gated, code: cli.ExitMiss, out: denied},
		"waived": {
			args:  "gate - --today 2026-11-21 --settings " + waived,
			stdin: gated,
			out:   "Passes with 1 waived",
		},
		"waived too long ago": {
			args:  "gate - --today 2026-11-22 --settings " + waived,
			stdin: gated,
			code:  cli.ExitMiss,
			out:   denied,
		},
		"waived by its author": {
			args:  "gate - --today 2026-11-21 --author JO --settings " + waived,
			stdin: gated,
			code:  cli.ExitMiss,
			out:   "the author of this change",
		},
		"json": {
			args:  "gate - --format json --settings " + strict,
			stdin: gated,
			code:  cli.ExitMiss,
			out:   `"passes": false`,
		},
		"init": {args: "gate --init -", stdin: gated, out: "max_rpo_minutes: 15"},
		"init of a plan that moves to a longer RPO": {
			args: "gate --init -",
			stdin: strings.Replace(gated, `["create"],`, `["update"], "before": {"pairing_id": "p",
				"vm_id": "VirtualMachine:vm-1:x", "rpo_minutes": 5},`, 1),
			out:  "max_rpo_minutes: 15",
			errs: "The plan is denied by these settings. Denied: protection gets weaker.",
		},
		"init of a plan with an expression": {
			args: "gate --init -",
			stdin: strings.Replace(gated, `{"root_module": {}}, "resource_changes"`, `{"root_module": {"resources": [
				{"address": "vsla_replication.a", "mode": "managed", "type": "vsla_replication",
				"provider_config_key": "vsla", "expressions": {"disks": {"references": ["var.a"]}}}]}},
				"resource_changes"`, 1),
			out:  "max_rpo_minutes: 15",
			errs: "vsla_replication.a has expressions whose names cannot be seen without --plan-file (disks): ",
		},
		"init of a plan with sensitive values": {
			args: "gate --init -",
			stdin: strings.Replace(gated, `"planned_values"`, `"prior_state": {"format_version": "1.0", "values":
				{"root_module": {"resources": [{"address": "data.vsla_replication_estimate.x", "mode": "data",
				"type": "vsla_replication_estimate", "provider_name": "registry.terraform.io/vsla/vsla",
				"values": {"vm_size_gib": 777}, "sensitive_values": {"vm_size_gib": true}}]}}}, "planned_values"`, 1),
			code: cli.ExitError,
			errs: "marks some as sensitive: data.vsla_replication_estimate.x",
		},
		"init of a state": {
			args:  "gate --init -",
			stdin: nothing,
			code:  cli.ExitError,
			errs:  "is not the JSON of a plan",
		},
		"init of a failed plan": {
			args:  "gate --init -",
			stdin: strings.Replace(gated, `"errored": false`, `"errored": true`, 1),
			code:  cli.ExitError,
			errs:  "failed, or does not state that it succeeded",
		},
		"init of a partial plan": {
			args:  "gate --init -",
			stdin: strings.Replace(gated, `"complete": true`, `"complete": false`, 1),
			code:  cli.ExitError,
			errs:  "plan is partial",
		},
		"a state": {
			args:  "gate - --settings " + good,
			stdin: nothing,
			code:  cli.ExitMiss,
			out:   "is not the JSON of a plan",
		},
		"no JSON": {
			args:  "gate - --settings " + good,
			stdin: "x",
			code:  cli.ExitError,
			errs:  "this is not the output of `terraform show -json`",
		},
		"no plan": {
			args: "gate " + dir + "/none.json --settings " + good,
			code: cli.ExitError,
			errs: "none.json",
		},
		"no settings": {
			args:  "gate - --settings " + dir + "/none.yaml",
			stdin: gated,
			code:  cli.ExitError,
			errs:  "none.yaml",
		},
		"settings that are no YAML": {
			args:  "gate - --settings " + file("bad.yaml", "{"),
			stdin: gated,
			code:  cli.ExitError,
			errs:  "bad.yaml",
		},
		"a plan file that is none": {
			args:  "gate - --plan-file " + good + " --settings " + good,
			stdin: gated,
			code:  cli.ExitError,
			errs:  "good.yaml: this is not a plan file",
		},
		"a baseline": {
			args:  "gate - --format markdown --baseline " + file("state.json", nothing) + " --settings " + good,
			stdin: gated,
			out:   "## – Passes",
		},
		"no flags":  {args: "gate -", code: cli.ExitUsage, errs: "gate requires --settings"},
		"two plans": {args: "gate a b", code: cli.ExitUsage, errs: "got 2 arguments"},
		"init and judge": {
			args: "gate - --init --settings x",
			code: cli.ExitUsage,
			errs: "--settings judges, so it cannot be combined",
		},
		"init in a format": {
			args: "gate - --init --format json",
			code: cli.ExitUsage,
			errs: "--format judges, so it cannot be combined",
		},
		"a baseline that is none": {
			args:  "gate - --baseline " + good + " --settings " + good,
			stdin: gated,
			code:  cli.ExitError,
			errs:  "--baseline: " + good + ": this is not the output of `terraform show -json`",
		},
		"another day": {args: "gate - --settings x --today now", code: cli.ExitUsage, errs: "--today must be a day"},
		"another format": {
			args: "gate - --settings x --format pdf",
			code: cli.ExitUsage,
			errs: "--format must be json, junit, markdown, sarif, text",
		},
		"one stream": {
			args: "gate - --settings x --baseline -",
			code: cli.ExitUsage,
			errs: "only one of the plan and --baseline",
		},
	})
}

// TestGate_initial verifies that a plan passes with the settings that --init writes.
func TestGate_initial(t *testing.T) {
	t.Parallel()
	code, text, errs := run(t, gated, "gate", "--init", "-")
	require.Equal(t, cli.ExitOK, code, errs)
	file := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	code, out, _ := run(t, gated, "gate", "-", "--settings", file)
	assert.Equal(t, cli.ExitOK, code, out)
}
