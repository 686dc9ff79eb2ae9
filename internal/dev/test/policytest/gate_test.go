// Asking the gate: OPA and, with the tag conftest, conftest judge every plan, and their answers have to agree.

package policytest_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	kit      = "examples/policy/rego"
	settings = testdata + "/verdicts.yaml"
)

// answer is the gate's answer to one plan: "code address", sorted.
type answer struct{ denied, warned []string }

// codes returns the codes of the denials, sorted, each once.
func (a answer) codes() []string {
	codes := []string{}
	for _, f := range a.denied {
		code, _, _ := strings.Cut(f, " ")
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// finding is an entry of deny or warn, as OPA prints it and as conftest wraps it.
type finding struct {
	Code     string `json:"code"`
	Address  string `json:"address"`
	Metadata struct {
		Code    string `json:"code"`
		Address string `json:"address"`
	} `json:"metadata"`
}

func names(found []finding) []string {
	list := []string{}
	for _, f := range found {
		list = append(list, f.Code+f.Metadata.Code+" "+f.Address+f.Metadata.Address)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ask judges plans by the settings in the files.
func ask(t *testing.T, plans map[string]document, data ...string) map[string]answer {
	t.Helper()
	answers := askOPA(t, plans, data)
	if withConftest {
		agree(t, askConftest(t, plans, data), answers)
	}
	return answers
}

// agree compares the answers of conftest with those of OPA.
func agree(t *testing.T, conftest, opa map[string]answer) {
	t.Helper()
	for name, other := range opa {
		if a := conftest[name]; !slices.Equal(other.denied, a.denied) || !slices.Equal(other.warned, a.warned) {
			t.Errorf("%s: conftest has %+v, OPA %+v", name, a, other)
		}
	}
}

func askConftest(t *testing.T, plans map[string]document, data []string) map[string]answer {
	t.Helper()
	dir := t.TempDir()
	args := []string{"test", "--output=json", "--strict", "--policy=" + kit}
	for _, file := range data {
		args = append(args, "--data="+file)
	}
	files := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(plans)) {
		file := filepath.Join(dir, strconv.Itoa(i)+".json")
		files[file] = name
		args = append(args, file)
		write(t, file, plans[name])
	}
	out, passed := conftest.run(t, args...)
	var results []struct {
		Filename  string    `json:"filename"`
		Successes int       `json:"successes"`
		Failures  []finding `json:"failures"`
		Warnings  []finding `json:"warnings"`
	}
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		t.Fatalf("conftest: %v\n%s", err, out)
	}
	answers, clean := map[string]answer{}, true
	for _, r := range results {
		name := files[r.Filename]
		answers[name] = answer{denied: names(r.Failures), warned: names(r.Warnings)}
		clean = clean && len(r.Failures) == 0
		if r.Successes+len(r.Failures) == 0 {
			t.Errorf("%s: conftest applied no rule", name)
		}
	}
	if passed != clean {
		t.Errorf("conftest ended well: %t, and denied nothing: %t", passed, clean)
	}
	if len(answers) != len(plans) {
		t.Fatalf("conftest judged %d of %d plans:\n%s", len(answers), len(plans), out)
	}
	return answers
}

func askOPA(t *testing.T, plans map[string]document, data []string) map[string]answer {
	t.Helper()
	rows := document{}
	for name, plan := range plans {
		rows[name] = document{"plan": plan}
	}
	return askRows(t, rows, data)
}

// askRows judges rows, each with a plan, by the settings in the files; without files each has its own gate.
func askRows(t *testing.T, rows document, data []string) map[string]answer {
	t.Helper()
	all := filepath.Join(t.TempDir(), "rows.json")
	write(t, all, document{"rows": rows})
	args := []string{"eval", "--format=json", "--data=" + kit, "--data=" + all}
	for _, file := range data {
		args = append(args, "--data="+file)
	}
	// Within the comprehension the three share what the rules have computed.
	query := `{name: answer | some name, row in data.rows
		plan := row.plan
		gate := object.get(row, "gate", null)
		answer := [a | a := {"deny": data.vsla.deny, "warn": data.vsla.warn, "allow": [x | x := data.vsla.allow]}][0]
			with input as plan`
	if len(data) == 0 {
		query += " with data.gate as gate"
	}
	query += "}"
	out, ok := opa.run(t, append(args, query)...)
	var result struct {
		Result []struct {
			Expressions []struct {
				Value map[string]struct {
					Deny  []finding `json:"deny"`
					Warn  []finding `json:"warn"`
					Allow []bool    `json:"allow"`
				} `json:"value"`
			} `json:"expressions"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || !ok || len(result.Result) != 1 {
		t.Fatalf("opa: %v\n%s", err, out)
	}
	answers := map[string]answer{}
	for name, a := range result.Result[0].Expressions[0].Value {
		answers[name] = answer{denied: names(a.Deny), warned: names(a.Warn)}
		if allowed := slices.Equal(a.Allow, []bool{true}); allowed != (len(a.Deny) == 0) {
			t.Errorf("%s: allow is %v, and %d things are denied", name, a.Allow, len(a.Deny))
		}
	}
	if len(answers) != len(rows) {
		t.Fatalf("OPA judged %d of %d plans", len(answers), len(rows))
	}
	return answers
}

// check asks the gate and compares codes, separated by spaces.
func check(t *testing.T, plans map[string]document, want map[string]string, data ...string) {
	t.Helper()
	for name, got := range ask(t, plans, data...) {
		if codes := strings.Join(got.codes(), " "); codes != want[name] {
			t.Errorf("%s: denied %q, want codes %q", name, got.denied, want[name])
		}
	}
}

// byAddress returns the codes that are denied, by address.
func (a answer) byAddress() map[string][]string {
	codes := map[string][]string{}
	for _, d := range a.denied {
		code, address, _ := strings.Cut(d, " ")
		codes[address] = append(codes[address], code)
	}
	return codes
}

// judge asks OPA about plans with a gate for each, and returns the codes that are denied, by address.
func judge(t *testing.T, plan document, gates map[string]document) map[string]map[string][]string {
	t.Helper()
	rows, codes := document{}, map[string]map[string][]string{}
	for name, gate := range gates {
		rows[name] = document{"plan": plan, "gate": gate["gate"]}
	}
	for name, a := range askRows(t, rows, nil) {
		codes[name] = a.byAddress()
	}
	return codes
}
