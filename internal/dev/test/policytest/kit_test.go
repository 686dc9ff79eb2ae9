// Unit tests of the kit, and the commands in its README.

package policytest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	reviewed "terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/report"
)

func TestKit(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "--strict", kit, cases}, {"fmt", "--fail", "--list", kit, cases}, {"test", "--timeout=5m", kit},
	} {
		out, ok := opa.run(t, args...)
		assert.True(t, ok, "opa %v failed:\n%s", args, out)
	}
}

func TestKit_calls(t *testing.T) {
	t.Parallel()
	cli := firstCLI(t)
	dir := t.TempDir()
	path := func(name string, plan document) string {
		writeJSON(t, filepath.Join(dir, name), plan)
		return filepath.Join(dir, name)
	}
	good := path("good.json", withoutConditions(t, cli).plan(t))
	bad := path("bad.json", withoutConditions(t, cli).plan(t, missesRPO...))
	risky := path("risky.json", withoutConditions(t, cli).plan(t, isAtRisk...))
	none := path("none.json", document{})
	for _, run := range []struct {
		name   string
		tool   tool
		passes bool
		args   []string
	}{
		{"conftest, good", conftest, true, conftestArgs(good)},
		{"conftest, bad", conftest, false, conftestArgs(bad)},
		{"conftest, not a plan", conftest, false, conftestArgs(none)},
		{"conftest, its own namespace", conftest, false, conftestArgs("--namespace=vsla", bad)},
		{"conftest, no settings", conftest, false, []string{"test", "--policy=" + kit, good}},
		{"conftest, no such folder", conftest, false, []string{
			"test", "--policy=" + kit + "/none", "--data=" + settings, good,
		}},
		{"conftest, no such plan", conftest, false, conftestArgs(dir + "/gone.json")},
		{"opa, good", opa, true, opaArgs(good, "data.vsla.allow")},
		{"opa, bad", opa, false, opaArgs(bad, "data.vsla.allow")},
		{"opa, not a plan", opa, false, opaArgs(none, "data.vsla.allow")},
		{"opa, no settings", opa, false, evalArgs("--data="+kit, good, "data.vsla.allow")},
		{"opa, no policy", opa, false, evalArgs("--data="+settings, good, "data.vsla.allow")},
		{"opa, misspelt", opa, false, opaArgs(good, "data.vsla.allows")},
		// The README warns about these commands, which succeed without evaluating anything.
		{"conftest, another namespace", conftest, true, conftestArgs("--namespace=visla", bad)},
		{"opa eval, fail-defined, misspelt", opa, true, []string{
			"eval", "--fail-defined", "--data=" + kit, "--data=" + settings, "--input=" + bad, "data.vsla.denny",
		}},
		{"opa exec, misspelt", opa, true, []string{
			"exec", "--fail-non-empty", "--decision=vsla/denny", "--bundle=" + kit, bad,
		}},
	} {
		if strings.HasPrefix(run.name, "conftest") && !withConftest {
			continue
		}
		out, passed := run.tool.run(t, run.args...)
		assert.Equal(t, run.passes, passed, "%s:\n%s", run.name, out)
	}
	if !withConftest {
		return
	}
	for plan, says := range map[string]string{
		bad: "(code rpo_missed; cannot be waived)", risky: "(code at_risk; can be waived)",
	} {
		out, passed := conftest.run(t, append(conftestArgs(plan), "--no-color")...)
		assert.False(t, passed)
		assert.Contains(t, out, says)
	}
}

func conftestArgs(args ...string) []string {
	return append([]string{"test", "--policy=" + kit, "--data=" + settings}, args...)
}

func opaArgs(plan, query string) []string {
	return slices.Insert(evalArgs("--data="+kit, plan, query), 1, "--data="+settings)
}

func evalArgs(data, plan, query string) []string {
	return []string{"eval", "--strict-builtin-errors", "--fail", data, "--input=" + plan, query}
}

func TestKit_bundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "make", "policy-bundle", "VERSION=1.2.3", "BUILD="+dir)
	build.Dir, build.Env = root(t), append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=0")
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	file := filepath.Join(dir, "vsla-policies.tar.gz")
	out, ok := opa.run(t, "inspect", "--format=json", file)
	require.True(t, ok, out)
	var about struct {
		Manifest struct {
			Revision string   `json:"revision"`
			Roots    []string `json:"roots"`
		} `json:"manifest"`
		Namespaces map[string][]string `json:"namespaces"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &about))
	assert.Equal(t, "1.2.3", about.Manifest.Revision)
	assert.Equal(t, []string{"main", "vsla"}, about.Manifest.Roots)
	assert.NotContains(t, about.Namespaces, "data.vsla_test")
	assert.GreaterOrEqual(t, len(about.Namespaces), 9)
}

func copyKit(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	sources, err := filepath.Glob(filepath.Join(root(t), kit, "*.rego"))
	require.NoError(t, err)
	for _, source := range sources {
		base := filepath.Base(source)
		if strings.HasSuffix(base, "_test.rego") {
			continue
		}
		content := read(t, kit, base)
		if base == name {
			content = text
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, base), []byte(content), 0o600))
	}
	return dir
}

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, old), old)
	return strings.Replace(text, old, with, 1)
}

const guideFile = "templates/guides/gate-a-pipeline.md"

func TestGuide_quickStart(t *testing.T) {
	t.Parallel()
	needConftest(t)
	_, guide, _ := strings.Cut(read(t, guideFile), "## Quick start\n")
	quick, _, _ := strings.Cut(guide, "\n## ")
	assert.LessOrEqual(t, strings.Count(quick, "\n"), 40, "lines of the quick start")
	blocks := regexp.MustCompile("(?s)```(?:shell|text)\n(.*?)```").FindAllStringSubmatch(quick, -1)
	require.Len(t, blocks, 3)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		r := newRunner(t, cli, map[string]string{})
		require.NoError(t, os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS(filepath.Join(root(t), "examples"))))
		r.mustRun(r.dir, replaceOnce(t, blocks[0][1], "make install\n", fromMirror))
		out, ok := r.script(filepath.Join(r.dir, "examples", "policy"), "sh", blocks[1][1])
		assert.False(t, ok)
		assert.Contains(t, flat(out), flat(blocks[2][1]))
	})
}

func TestPipelines_capacity(t *testing.T) {
	t.Parallel()
	_, guide, _ := strings.Cut(read(t, guideFile), "## The gate as an OPA bundle")
	_, commands, _ := strings.Cut(guide, "```shell\n")
	commands, _, _ = strings.Cut(commands, "```")
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		r := newRunner(t, cli, map[string]string{"opa": opa.path(t)})
		dir := r.tree("capacity", nil)
		require.NoError(t, os.Symlink(root(t), filepath.Join(dir, "vsla")))
		r.mustRun(dir, fromMirror+"terraform init -input=false\nterraform apply -input=false -auto-approve\n")
		why := strings.ReplaceAll(strings.ReplaceAll(commands, " --fail ", " "), "data.vsla.allow", "data.vsla.deny")
		for _, test := range []struct{ variable, says string }{
			{"", ""},
			// Tier gold has 546 GiB of data and changes by 2% per day, and tier silver has 568.5 GiB and changes by 4%. With
			// recovery points kept for 4 days, the replicas need 546 * 1.08 + 568.5 * 1.16 = 1,249.14 GiB. One delta per tier
			// needs another 0.11 + 0.95 GiB. The total of 1,250.2 GiB leaves 18.3% of 1,530 GiB free. With growth of 20% per
			// year, 95% of the space (1,453.5 GiB) is used after 12 * ln(1453.5 / 1250.2) / ln 1.2 = 9.9 months.
			{"TF_VAR_target_free_gib=1530", "leaves 18% of the free space of target dr; the settings require 20%"},
			{"TF_VAR_target_free_gib=1530", "keeps the promise of tier gold for 10 months; the settings require 12"},
			{"^db-000", `tier[\"gold\"] detaches 8 tags; the settings allow 2`},
		} {
			if strings.HasPrefix(test.variable, "^") {
				file := filepath.Join(dir, "main.tf")
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				narrow := replaceOnce(t, string(text), `"^db-"`, `"`+test.variable+`"`)
				require.NoError(t, os.WriteFile(file, []byte(narrow), 0o600))
			}
			out, ok := r.script(dir, "sh", commands, test.variable)
			assert.Equal(t, test.says == "", ok, "%s: %s", test.variable, out)
			out, ok = r.script(dir, "sh", why, test.variable)
			assert.True(t, ok)
			assert.Contains(t, out, test.says)
		}
	})
}

// TestExpiredEvents checks that the data source, the gate and the review report a tier's compliance as unknown if
// vCenter has events for only 2 of 48 hours, even if the RPO was met during those hours. `vsla compliance` and its
// metrics do not evaluate a period.
func TestExpiredEvents(t *testing.T) {
	t.Parallel()
	s := acctest.StartSitesWith(t, vcsim.Config{VMs: 1}, gateway.Switches{})
	s.KeepReplications()
	vm := s.Protected.VMs()[0].ID
	category, err := s.Protected.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	gold, err := s.Protected.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	require.NoError(t, s.Protected.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: vm}))
	s.SetChangeRate(vm, 1e5)
	require.NoError(t, s.AddReplications(15, vm))
	s.Advance(72 * time.Hour)
	w, dir := acctest.WorkspaceWithCLI(t, firstCLI(t), nil, testdata+"/nothing", append(s.Environment(),
		"VSPHERE_SERVER="+s.Protected.URL(), "VSPHERE_USER="+s.Protected.User(),
		"VSPHERE_PASSWORD="+s.Protected.Password())...)
	f := config{w, dir}.add(t, "main.tf", `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}
data "vsla_sla_compliance" "main" {
  pairing_id     = "`+s.PairingID()+`"
  lookback_hours = 48
  tiers = { gold = { tag_id = "`+gold+`", rpo_minutes = 15, compliance_percent = 99 } }
}
`)
	const address = "data.vsla_sla_compliance.main"
	gate := filepath.Join(t.TempDir(), "gate.json")
	writeJSON(t, gate, document{"gate": document{"expected": []any{
		document{"address": address, "tiers": document{"gold": document{}}},
	}}})
	for _, test := range []struct {
		lost                 time.Duration
		verdict, gate, shown string
	}{{0, "kept", "", "holds"}, {70 * time.Hour, "unknown", "not_measured", "not known"}} {
		s.Protected.Events().DeleteEvents(vcsim.Epoch, vcsim.Epoch.Add(test.lost))
		plan := f.plan(t)
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"verdict":"`+test.verdict+`"`)

		file := filepath.Join(t.TempDir(), "plan.json")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		codes, ok := opa.run(t, "eval", "--format=raw", "--data="+kit, "--data="+gate, "--input="+file,
			"concat(\" \", {d.code | some d in data.vsla.deny})")
		require.True(t, ok, codes)
		assert.Equal(t, test.gate, strings.TrimSpace(codes))

		d, err := reviewed.Read(bytes.NewReader(text))
		require.NoError(t, err)
		review := report.Cover{}.Build(d)
		i := slices.IndexFunc(review.Sections, func(s report.Section) bool { return s.ID == "sla" })
		require.GreaterOrEqual(t, i, 0)
		row := review.Sections[i].Tables[0].Rows[0]
		assert.Equal(t, []string{"gold", test.shown}, []string{row[0].Text, row[len(row)-1].Text})
	}
}
