// Plans of every CLI and the gate's decisions. The cases are in rego/cases.rego and testdata. OPA evaluates them, and
// so does conftest if the build tag conftest is set.

package policytest_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const (
	kit      = "examples/policy/rego"
	testdata = "internal/dev/test/policytest/testdata"
	cases    = "internal/dev/test/policytest/rego/cases.rego"
	example  = "examples/policy/plan"
	settings = testdata + "/verdicts.yaml"
)

type document = map[string]any

type planned struct {
	Name, From, Gate, Codes, Also, Says string
	Needs                               string // minimum version of Terraform
	Without, Add, Args                  []string
	Addresses                           []string
	Exit                                int
	Applied, State                      bool
	Set                                 document
	Grow                                []any
}

type row struct {
	Name      string   `json:"name"`
	Plan      document `json:"plan"`
	Gate      any      `json:"gate"`
	Codes     string   `json:"codes"`
	Addresses []string `json:"addresses,omitempty"`
}

func TestPlans(t *testing.T) {
	t.Parallel()
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		rows := append(plannedRows(t, cli), labRows(t, cli)...)
		file := writeCases(t, cli, rows)
		out, ok := opa.run(t, evaluate(file, kit, "data.vsla_cases.deny")...)
		require.True(t, ok, out)
		assert.JSONEq(t, "[]", out)
		if withConftest {
			out, ok := conftest.run(t, "test", "--strict", "--policy="+kit, "--policy="+filepath.Dir(cases),
				"--namespace=vsla_cases", "--data="+file, settings)
			assert.True(t, ok, out)
		}
	})
}

func evaluate(file, policies, query string) []string {
	return []string{"eval", "--format=raw", "--data=" + policies, "--data=" + cases, "--data=" + file, query}
}

func plannedRows(t *testing.T, cli terraformcli.CLI) []row {
	t.Helper()
	folders, rows := map[string]config{}, []row{}
	for _, p := range loadYAML[[]planned](t, testdata, "planned.yaml") {
		if p.Needs != "" && !cli.AtLeast(p.Needs) {
			continue
		}
		key := strings.Join(slices.Concat([]string{p.From}, p.Without, p.Add), " ")
		if p.Applied {
			key += " applied"
		}
		f, made := folders[key]
		if !made {
			f = openConfig(t, cli, p.From, p.Without...).with(t, p.Add...)
			f.run(t, 0, "get")
			if p.Applied {
				f.run(t, 0, "apply", "-auto-approve", "-input=false", "-no-color")
			}
			folders[key] = f
		}
		if !cli.OpenTofu {
			p.Codes += " " + p.Also
		}
		gate := loadYAML[map[string]document](t, p.Gate)["gate"]
		maps.Copy(gate, p.Set)
		if expected, ok := gate["expected"].([]any); ok {
			gate["expected"] = append(expected, p.Grow...)
		}
		r := row{Name: p.Name, Gate: gate, Codes: p.Codes, Addresses: p.Addresses}
		if p.State {
			r.Plan = f.show(t)
		} else {
			assert.Contains(t, flat(f.runPlan(t, p.Exit, p.Args...)), p.Says, p.Name)
			r.Plan = f.show(t, "tfplan")
		}
		rows = append(rows, r)
	}
	return rows
}

func writeCases(t *testing.T, cli terraformcli.CLI, rows []row) string {
	t.Helper()
	tables, gates := document{}, document{}
	for _, name := range []string{"plans", "replicated", "mutations", "tricks"} {
		tables[name] = loadYAML[any](t, testdata, name+".yaml")
	}
	gates["everything"] = loadYAML[any](t, testdata, "everything", "settings.yaml")
	gates["example"] = loadYAML[any](t, "examples/policy/settings.yaml")
	tables["settings"] = gates
	file := filepath.Join(t.TempDir(), "cases.json")
	writeJSON(t, file, document{"planned": rows, "cases": tables, "real": document{
		"everything": openConfig(t, cli, testdata+"/everything").plan(t),
		"tricks":     openConfig(t, cli, testdata+"/tricks").plan(t),
		"example":    withoutConditions(t, cli).plan(t),
	}})
	return file
}

// withoutConditions returns the example without its conditions, which would stop a plan before it reaches the gate.
func withoutConditions(t *testing.T, cli terraformcli.CLI) config {
	t.Helper()
	return openConfig(t, cli, example, "checks.tf", "preconditions.tf", "promises.tftest.hcl").with(t, "tier.tf")
}

// denyRule matches rules that deny a plan. forwardingRule matches rules that only forward entries. ruleCode matches a
// rule's code if it is constant.
var (
	denyRule       = regexp.MustCompile(`(?ms)^(?:problems|defects|unbounded|pending|removed) contains .*?\n(?:\n|\z)`)
	forwardingRule = regexp.MustCompile(
		`(?m)contains p if|in (settings\.problems|plan\.defects)$|^\tsome \w+ in plan\.(pending|removed)$`)
	ruleCode = regexp.MustCompile(`^[^\n]*\n?[^\n]*?(?:problem\(|"code": )"([a-z_]+)"`)
)

// TestPlans_rules removes one rule at a time. At least one plan of testdata/plans.yaml must pass without the rule, and
// each denied plan must be denied by exactly one rule.
func TestPlans_rules(t *testing.T) {
	t.Parallel()
	file, deniedBy, count := writeCases(t, firstCLI(t), nil), map[string][]string{}, 0
	sources, err := filepath.Glob(filepath.Join(root(t), kit, "*.rego"))
	require.NoError(t, err)
	for _, source := range sources {
		name := filepath.Base(source)
		text := read(t, kit, name)
		for _, rule := range denyRule.FindAllString(text, -1) {
			if forwardingRule.MatchString(rule) || strings.HasSuffix(name, "_test.rego") {
				continue
			}
			count++
			code := map[bool]string{true: "settings"}[name == "settings.rego"]
			if found := ruleCode.FindStringSubmatch(rule); found != nil {
				code = found[1]
			}
			passing := passWithout(t, file, name, strings.Replace(text, rule, "", 1), code)
			assert.NotEmpty(t, passing, "without this rule no plan passes: %s: %s", name, rule)
			for _, plan := range passing {
				deniedBy[plan] = append(deniedBy[plan], rule)
			}
		}
	}
	assert.GreaterOrEqual(t, count, 80, "rules")
	for _, p := range loadYAML[[]struct{ Name, Codes string }](t, testdata, "plans.yaml") {
		if p.Codes != "" {
			assert.Len(t, deniedBy[p.Name], 1, p.Name)
		}
	}
}

// passWithout returns the denied rows that pass once the text of a kit file is replaced. If code is not empty, it
// considers only the rows that are denied with this code alone.
func passWithout(t *testing.T, file, name, text, code string) (passing []string) {
	t.Helper()
	dir := copyKit(t, name, text)
	query := `[name | some name, row in data.vsla_cases.rows; row.codes != set(); row.codes - {"` + code + `"} == set()
		data.vsla_cases.codes(row.plan, row.gate) == set()]`
	if code == "" {
		query = strings.Replace(query, `row.codes - {""} == set()`, "true", 1)
	}
	out, ok := opa.run(t, evaluate(file, dir, query)...)
	require.True(t, ok, out)
	require.NoError(t, json.Unmarshal([]byte(out), &passing))
	return passing
}
