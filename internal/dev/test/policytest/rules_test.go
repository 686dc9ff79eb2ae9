// One table of plans with the codes that the gate answers, and what each rule is for.

package policytest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// row is a plan of testdata/plans.yaml.
type row struct {
	Name, Codes              string
	Plan                     document
	Results, Changes, Blocks map[string]document
	Gate                     document
	// Only are the results that the plan has, if not all.
	Only []string
}

const ours = "registry.terraform.io/vsla/vsla"

// instance returns what the JSON of a plan has for an address, without its values.
func instance(address string) document {
	parts := regexp.MustCompile(`^(data\.)?([a-z_]+)\.[a-z_0-9]+(?:\["(.+)"\])?$`).FindStringSubmatch(address)
	item := document{"address": address, "mode": "managed", "type": parts[2], "provider_name": ours}
	if parts[1] != "" {
		item["mode"] = "data"
	}
	if parts[3] != "" {
		item["index"] = parts[3]
	}
	return item
}

// merge merges objects.
func merge(into, from document) {
	for key, value := range from {
		inner, ok := value.(document)
		if old, both := into[key].(document); ok && both {
			merge(old, inner)
		} else {
			into[key] = value
		}
	}
}

// mergeAt merges values into the items of a list by address, and adds those with new addresses.
func mergeAt(t *testing.T, plan document, values map[string]document, key string, at ...string) {
	t.Helper()
	for _, address := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(list(t, plan, at...), func(item any) bool {
			return as[document](t, item)["address"] == address
		})
		if i < 0 {
			grow(t, plan, []any{instance(address)}, at...)
			i = len(list(t, plan, at...)) - 1
		}
		item := as[document](t, list(t, plan, at...)[i])
		if key == "" {
			item["provider_config_key"] = "vsla"
			merge(item, values[address])
			continue
		}
		if item[key] == nil {
			item[key] = document{}
		}
		merge(as[document](t, item[key]), values[address])
	}
}

// only leaves some of the results in a plan, and no replication.
func only(t *testing.T, plan document, addresses []string) {
	t.Helper()
	if len(addresses) == 0 {
		return
	}
	stays := func(item any) bool {
		address := as[string](t, as[document](t, item)["address"])
		return slices.Contains(addresses, address) || !strings.Contains(address, "vsla_")
	}
	for _, at := range [][]string{results, {"resource_changes"}, {"configuration", "root_module", "resources"}} {
		var left []any
		for _, item := range list(t, plan, at...) {
			if stays(item) {
				left = append(left, item)
			}
		}
		last := len(at) - 1
		object(t, plan, at[:last]...)[at[last]] = left
	}
}

// table returns the rows' plans and settings.
func table(t *testing.T) (rows []row, plans map[string]document, gates map[string]document) {
	t.Helper()
	rows = load[[]row](t, testdata, "plans.yaml")
	plans, gates = map[string]document{}, map[string]document{}
	base := withReplication(t, open(t, first(t), everything).plan(t, 0))
	settings := load[document](t, everything, "settings.yaml")
	for _, r := range rows {
		plan, gate := clone(t, base), clone(t, settings)
		mergeAt(t, plan, r.Results, "values", results...)
		mergeAt(t, plan, r.Changes, "change", "resource_changes")
		mergeAt(t, plan, r.Blocks, "", "configuration", "root_module", "resources")
		merge(plan, r.Plan)
		only(t, plan, r.Only)
		merge(object(t, gate, "gate"), r.Gate)
		if _, given := r.Gate["promises"]; !given && r.Gate["expected"] != nil {
			// Without data.vsla_sla_compliance.site.
			object(t, gate, "gate")["promises"] = []any{document{"address": "vsla_replication.db", "rpo_minutes": 15}}
		}
		maps.DeleteFunc(object(t, gate, "gate"), func(_ string, value any) bool { return value == nil })
		if _, twice := plans[r.Name]; twice {
			t.Fatalf("two rows are called %q", r.Name)
		}
		plans[r.Name], gates[r.Name] = clone(t, plan), clone(t, gate)
	}
	return rows, plans, gates
}

// TestTable asks about each plan of the table.
func TestTable(t *testing.T) {
	t.Parallel()
	rows, plans, gates := table(t)
	all, groups := document{}, map[string][]string{}
	for _, r := range rows {
		gate, err := json.Marshal(gates[r.Name])
		if err != nil {
			t.Fatal(err)
		}
		all[r.Name] = document{"plan": plans[r.Name], "gate": gates[r.Name]["gate"]}
		if withConftest {
			groups[string(gate)] = append(groups[string(gate)], r.Name)
		}
	}
	answers := askRows(t, all, nil)
	for gate, names := range groups {
		file := filepath.Join(t.TempDir(), "gate.json")
		if err := os.WriteFile(file, []byte(gate), 0o600); err != nil {
			t.Fatal(err)
		}
		group, own := map[string]document{}, map[string]answer{}
		for _, name := range names {
			group[name], own[name] = plans[name], answers[name]
		}
		agree(t, askConftest(t, group, []string{file}), own)
	}
	for _, r := range rows {
		if codes := strings.Join(answers[r.Name].codes(), " "); codes != r.Codes {
			t.Errorf("%s: denied %q, want codes %q", r.Name, answers[r.Name].denied, r.Codes)
		}
	}
}

// denies finds the rules that deny, collects those of them that only pass entries on, and codeOf the code of a rule
// that always has the same.
var (
	denies   = regexp.MustCompile(`(?ms)^(?:problems|defects|unbounded|pending|removed) contains .*?\n(?:\n|\z)`)
	collects = regexp.MustCompile(
		`(?m)contains p if|in (settings\.problems|plan\.defects)$|^\tsome \w+ in plan\.(pending|removed)$`)
	codeOf = regexp.MustCompile(`^[^\n]*\n?[^\n]*?(?:problem\(|"code": )"([a-z_]+)"`)
)

// TestTable_rules removes one rule after the other. Each is the only one that denies at least one plan of the table,
// and each plan that is denied has one such rule. A rule only adds entries with its code, so that without it only plans
// of this code can pass.
func TestTable_rules(t *testing.T) {
	t.Parallel()
	rows, plans, gates := table(t)
	cases := map[string]document{"": {}} // by code, and all of them
	for _, r := range rows {
		if r.Codes == "" {
			continue
		}
		if cases[r.Codes] == nil {
			cases[r.Codes] = document{}
		}
		of := document{"plan": plans[r.Name], "gate": gates[r.Name]["gate"]}
		cases[r.Codes][r.Name], cases[""][r.Name] = of, of
	}
	let, count := map[string][]string{}, 0
	sources, err := filepath.Glob(filepath.Join(root(t), kit, "*.rego"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.rego") {
			continue
		}
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range denies.FindAllIndex(content, -1) {
			text := string(content[at[0]:at[1]])
			if collects.MatchString(text) {
				continue
			}
			count++
			head, _, _ := strings.Cut(text, "\n")
			rule := fmt.Sprintf("%s:%d: %s", filepath.Base(source), 1+strings.Count(string(content[:at[0]]), "\n"), head)
			without := slices.Concat(content[:at[0]], content[at[1]:])
			code := ""
			if found := codeOf.FindStringSubmatch(text); found != nil {
				code = found[1]
			} else if filepath.Base(source) == "settings.rego" {
				code = "settings"
			}
			passing := passWithout(t, sources, source, without, cases[code])
			if len(passing) == 0 {
				t.Errorf("without this rule no plan passes: %s", rule)
			}
			for _, name := range passing {
				let[name] = append(let[name], rule)
			}
		}
	}
	for name := range cases[""] {
		if len(let[name]) != 1 {
			t.Errorf("%s: passes without one of %q, want one rule", name, let[name])
		}
	}
	if count < 80 {
		t.Errorf("%d rules, want at least 80", count)
	}
}

// passWithout returns the rows that pass with the kit in which a file has another content.
func passWithout(t *testing.T, sources []string, changed string, content []byte, rows document) []string {
	t.Helper()
	dir := t.TempDir()
	file, input := filepath.Join(dir, filepath.Base(changed)), filepath.Join(dir, "rows.json")
	write(t, input, document{"rows": rows})
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"eval", "--format=raw", "--data=" + input}
	for _, source := range sources {
		if source == changed {
			source = file
		}
		if !strings.HasSuffix(source, "_test.rego") {
			args = append(args, "--data="+source)
		}
	}
	query := `[name | some name, row in data.rows
		plan := row.plan
		gate := row.gate
		denied := data.vsla.deny with input as plan with data.gate as gate
		count(denied) == 0]`
	out, ok := opa.run(t, append(args, query)...)
	var passing []string
	if err := json.Unmarshal([]byte(out), &passing); err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	return passing
}
