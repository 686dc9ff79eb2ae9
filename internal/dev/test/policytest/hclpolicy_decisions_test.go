// The Terraform Policy kit decides as the Rego gate does, and names nothing that does not exist.

package policytest_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// kindOf is the data source of each input of the kit.
var kindOf = map[string]string{
	"estimates": "vsla_replication_estimate", "schedules": "vsla_replication_schedule",
	"confidences": "vsla_replication_confidence", "storages": "vsla_replica_storage",
	"vmotions": "vsla_vmotion_estimate", "migrations": "vsla_migration_plan", "limits": "vsla_configuration_limits",
	"latencies": "vsla_latency_impact", "calibrations": "vsla_replication_calibration",
	"compliances": "vsla_sla_compliance", "histories": "vsla_replication_history",
}

// given returns the arguments of a data source of the root module that the configuration has.
func given(t *testing.T, plan document, address any) document {
	t.Helper()
	for _, r := range list(t, plan, "configuration", "root_module", "resources") {
		if block := as[document](t, r); block["address"] == address {
			return object(t, block, "expressions")
		}
	}
	t.Fatalf("%v is not in the configuration", address)
	return nil
}

// asked leaves the results out of a map of objects.
func asked(t *testing.T, f calculator.Field, value any) any {
	t.Helper()
	if f.Kind != calculator.Objects {
		return value
	}
	elements := document{}
	for name, element := range as[document](t, value) {
		inputs := document{}
		for _, member := range f.Fields {
			if found := as[document](t, element)[member.Name]; member.Input && found != nil {
				inputs[member.Name] = found
			}
		}
		elements[name] = inputs
	}
	return elements
}

// calculated returns the policy input that makes the kit compute a result of a plan again.
func calculated(t *testing.T, plan, record document) map[string]any {
	t.Helper()
	kind := as[string](t, record["type"])
	c, ok := registry.OfDataSource(kind)
	if !ok {
		return nil
	}
	config, arguments := document{}, given(t, plan, record["address"])
	for _, f := range c.Inputs() {
		if _, ok := arguments[f.Name]; ok {
			config[f.Name] = asked(t, f, object(t, record, "values")[f.Name])
		}
	}
	for input, of := range kindOf {
		if of == kind {
			return map[string]any{input: document{"it": config}}
		}
	}
	return nil
}

// TestHCLKit_calculators computes every honest and every tricky result again, and compares what the two kits deny.
func TestHCLKit_calculators(t *testing.T) {
	t.Parallel()
	file, seen := readHCLKit(t), map[string]bool{}
	text, expected := "", []any{}
	add := func(s source, name string, changed map[string]string) {
		text += s.block(label(name), changed)
		expected = append(expected, document{"address": "data." + s.kind + "." + label(name)})
	}
	for _, name := range slices.Sorted(maps.Keys(honest)) {
		add(honest[name], name, nil)
	}
	for _, c := range tricks {
		add(honest[c.of], c.name, c.args)
	}
	growing := honest["estimate"]
	growth := map[string]string{"throughput_mbps": "7000", "growth_percent_per_year": "200"}
	add(growing, "growing", growth) // 12 * ln(450 / 92) / ln 3 are 17.3 months
	add(honest["nearly full"], "filling", map[string]string{"target_free_gib": "4000", "growth_percent_per_year": "100"})
	add(honest["nearly full"], "unmeasured", map[string]string{"target_free_gib": ""})
	plan := open(t, first(t), "internal/dev/test/policytest/testdata/tricks").add(t, "results.tf", text).plan(t, 0)

	const months = 24
	denied := judge(t, plan, gateOf(expected, []any{}))
	lasting := judge(t, plan, gateOf([]any{
		document{"address": "data.vsla_replication_estimate.growing", "holds_months": months},
		document{"address": "data.vsla_replica_storage.filling", "holds_months": months},
	}, []any{}))
	for _, r := range list(t, plan, "prior_state", "values", "root_module", "resources") {
		record := as[document](t, r)
		inputs, address := calculated(t, plan, record), as[string](t, record["address"])
		if inputs == nil {
			continue
		}
		want := denied[address]
		if name := as[string](t, record["name"]); name == "growing" || name == "filling" {
			inputs["holds_months"], want = months, lasting[address]
		}
		got := file.codes(t, hclTarget{kind: "vsla_object_tags", operation: "no-op", inputs: inputs})
		slices.Sort(want)
		if !slices.Equal(got, slices.Compact(append([]string{}, want...))) {
			t.Errorf("%s: %v, Rego denies %v", address, got, want)
		}
		for _, code := range got {
			seen[code] = true
		}
	}
	for _, code := range []string{
		"rpo_missed", "at_risk", "low_confidence", "storage_exceeded", "low_headroom", "exhausts_before", "not_measured",
		"below_vmotion_floor", "unsupported", "limit_exceeded", "latency_loss", "plan_optimistic",
	} {
		if !seen[code] {
			t.Errorf("no result is denied for %s, so nothing was compared", code)
		}
	}
}

// TestHCLKit_resources compares what the two kits deny of replications, tiers and tags.
func TestHCLKit_resources(t *testing.T) {
	t.Parallel()
	file := readHCLKit(t)
	base := withReplication(t, open(t, first(t), everything).plan(t, 0))
	tags := document{"removes": []any{"vm-2"}, "replaces": document{"vm-3": "urn:1"}, "summary": "Two."}
	none := document{"removes": []any{}, "replaces": document{}, "summary": "None."}
	gold := func(c document, of string) document { return object(t, c, of, "gold") }
	period := func(c document) document { return gold(c, "periods") }
	lists := func(name string) func(document) {
		return func(c document) { c["compliant"], c[name] = false, []any{"vm-1"} }
	}
	same := func(document) {}
	after := func(key string, value any) func(document) {
		return func(change document) { as[document](t, change["after"])[key] = value }
	}
	for name, run := range map[string]struct {
		kind       string
		change     func(change document)
		compliance func(values document)
		want       []string
	}{
		"as promised":  {"vsla_replication", same, same, nil},
		"longer RPO":   {"vsla_replication", after("rpo_minutes", 16), same, []string{"weaker_than_tier"}},
		"paused":       {"vsla_replication", after("paused", true), same, []string{"weaker_than_tier"}},
		"of no tier":   {"vsla_replication", after("vm_id", "VirtualMachine:vm-421:x"), same, []string{"no_promise"}},
		"another site": {"vsla_replication", after("pairing_id", "another"), same, []string{"no_promise"}},
		"ended": {"vsla_replication", func(c document) {
			c["actions"], c["before"], c["after"] = []any{"delete"}, c["after"], nil
		}, same, []string{"protection_removed"}},
		"violated":    {"vsla_replication", same, lists("in_violation"), []string{"rpo_missed"}},
		"unprotected": {"vsla_replication", same, lists("unprotected"), []string{"unprotected"}},
		"weaker":      {"vsla_replication", same, lists("weaker_than_promised"), []string{"weaker_than_tier"}},
		"two tiers":   {"vsla_replication", same, lists("several_tiers"), []string{"several_tiers"}},
		"no tier": {"vsla_replication", same, func(c document) {
			c["uncovered"] = []any{"vm-9"}
		}, []string{"uncovered"}},
		"period broken": {"vsla_replication", same, func(c document) {
			c["compliant"] = false
			maps.Copy(period(c), document{"verdict": "broken", "compliance_percent": 98.9})
		}, []string{"period_broken"}},
		"period not known": {"vsla_replication", same, func(c document) {
			c["compliant"] = false
			maps.Copy(period(c), document{"verdict": "unknown", "unknown_vm_count": 1})
		}, []string{"not_measured"}},
		"period without a promise": {"vsla_replication", same, func(c document) {
			maps.Copy(gold(c, "tiers"), document{"compliance_percent": nil})
			maps.Copy(period(c), document{"verdict": "not_promised", "promised_compliance_percent": nil})
		}, nil},
		"no period": {"vsla_replication", same, func(c document) {
			c["periods"] = nil
			maps.Copy(gold(c, "tiers"), document{"compliance_percent": nil})
		}, nil},
		"tags taken off": {"vsla_tag_association", func(c document) {
			c["actions"], c["before"], c["after"] = []any{"update"}, document{"object_ids": []any{"vm-1"}}, tags
		}, same, []string{"tags_removed"}},
		"tags kept": {"vsla_tag_association", func(c document) {
			c["actions"], c["before"], c["after"] = []any{"update"}, document{"object_ids": []any{"vm-1"}}, none
		}, same, nil},
		"association destroyed": {"vsla_tag_association", func(c document) {
			c["actions"], c["before"], c["after"] = []any{"delete"}, document{"object_ids": []any{"vm-1"}}, nil
		}, same, []string{"tags_removed"}},
		"tag of an object": {"vsla_object_tags", func(c document) {
			c["actions"], c["before"], c["after"] = []any{"update"}, document{"tag_ids": []any{"a"}}, tags
		}, same, []string{"tags_removed"}},
		"object destroyed": {"vsla_object_tags", func(c document) {
			c["actions"], c["before"], c["after"] = []any{"delete"}, document{"tag_ids": []any{"a"}}, nil
		}, same, []string{"tags_removed"}},
	} {
		plan := clone(t, base)
		changed, values := changeOf(t, plan, run.kind), measuredOf(t, plan, "vsla_sla_compliance")
		run.change(object(t, changed, "change"))
		run.compliance(values)
		target := hclTarget{
			kind: run.kind, operation: as[string](t, list(t, changed, "change", "actions")[0]),
			measured: map[string]any{"vsla_sla_compliance": values},
			attrs:    object(t, changed, "change")["after"], prior: object(t, changed, "change")["before"],
			inputs: map[string]any{"compliances": document{"site": document{}}, "max_uncovered": 0},
		}
		gate := gateOf([]any{document{"address": "data.vsla_sla_compliance.site"}}, []any{})
		object(t, gate, "gate")["max_uncovered"] = 0
		rego := judge(t, plan, gate)
		denied := slices.Concat(rego[as[string](t, changed["address"])], rego["data.vsla_sla_compliance.site"])
		got := file.codes(t, target)
		if want := append([]string{}, run.want...); !slices.Equal(got, want) || !slices.Equal(denied, run.want) {
			t.Errorf("%s: %v, Rego denies %v, want %v", name, got, denied, want)
		}
	}
	for source, want := range map[string][]string{
		"registry.terraform.io/vsla/vsla": {}, "registry.terraform.io/elsewhere/vsla": {"foreign_provider"},
	} {
		if got := file.codes(t, hclTarget{source: source}); !slices.Equal(got, want) {
			t.Errorf("%s: %v", source, got)
		}
	}
}

// changeOf returns the change of the plan's replication, or a copy of it with the type of another resource.
func changeOf(t *testing.T, plan document, kind string) document {
	t.Helper()
	for _, c := range list(t, plan, "resource_changes") {
		change := as[document](t, c)
		if change["type"] != "vsla_replication" {
			continue
		}
		if kind == "vsla_replication" {
			return change
		}
		other := clone(t, change)
		other["type"], other["address"], other["name"] = kind, kind+".it", "it"
		grow(t, plan, other, "resource_changes")
		changes := list(t, plan, "resource_changes")
		return as[document](t, changes[len(changes)-1])
	}
	t.Fatal("the plan has no replication")
	return nil
}

// measuredOf returns the result of a data source.
func measuredOf(t *testing.T, plan document, kind string) document {
	t.Helper()
	for _, r := range list(t, plan, "prior_state", "values", "root_module", "resources") {
		if record := as[document](t, r); record["type"] == kind {
			return object(t, record, "values")
		}
	}
	t.Fatalf("the plan has no %s", kind)
	return nil
}

// TestHCLKit_codes: each code of the README is in the kit, or in its list of those without a counterpart, and what a
// waiver may name can be overridden.
func TestHCLKit_codes(t *testing.T) {
	t.Parallel()
	out, ok := opaTool.run(t, "eval", "--format=raw", "--data="+kit, "[c | some c in data.vsla.settings.waivable]")
	var waivable []string
	if err := json.Unmarshal([]byte(out), &waivable); err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	inKit := map[string]bool{}
	message := regexp.MustCompile(`\(code ([a-z_]+)\)`)
	text := read(t, filepath.Join(root(t), hclKit))
	for _, block := range strings.Split(text, "\nresource_policy ")[1:] {
		for _, found := range message.FindAllStringSubmatch(block, -1) {
			overridable := strings.Contains(block, `"mandatory_overridable"`)
			if inKit[found[1]] = true; found[1] != "foreign_provider" && overridable != slices.Contains(waivable, found[1]) {
				t.Errorf("%s can be overridden: %t", found[1], overridable)
			}
		}
	}
	head, _, _ := strings.Cut(text, "\npolicy {")
	_, without, _ := strings.Cut(head, "have no counterpart:")
	readme := read(t, filepath.Join(root(t), "examples", "policy", "README.md"))
	_, table, _ := strings.Cut(readme, "## What it denies")
	table, _, _ = strings.Cut(table, "Each message ends")
	codes := regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+) \\|").FindAllStringSubmatch(table, -1)
	if len(codes) < 25 {
		t.Fatalf("%d codes only", len(codes))
	}
	for _, row := range codes {
		for code := range strings.SplitSeq(strings.ReplaceAll(row[1], "`", ""), ", ") {
			if listed := strings.Contains(without, code); listed == inKit[code] {
				t.Errorf("%s: in the kit %t, listed without a counterpart %t", code, inKit[code], listed)
			}
			delete(inKit, code)
		}
	}
	if len(inKit) > 0 {
		t.Errorf("the README does not have %v", inKit)
	}
}

// TestHCLKit_names: each attribute that the kit reads of a resource or a result is in the provider's schema.
func TestHCLKit_names(t *testing.T) {
	t.Parallel()
	file, schema, read := readHCLKit(t), providerSchema(t), 0
	known := func(what, kind, attribute string, attributes map[string]bool) {
		if read++; !attributes[attribute] {
			t.Errorf("%s reads %s, which %s does not have", what, attribute, kind)
		}
	}
	check := func(what, target string, e hcl.Expression) {
		for _, traversal := range e.Variables() {
			if root := traversal.RootName(); root == "attrs" || root == "prior_attrs" {
				step, _ := second(traversal)
				known(what, target, step, schema.resources[target])
			}
		}
		node, ok := e.(hclsyntax.Node)
		if !ok {
			t.Fatalf("%s is a %T", what, e)
		}
		_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
			loop, ok := n.(*hclsyntax.ForExpr)
			if !ok {
				return nil
			}
			over, ok := loop.CollExpr.(*hclsyntax.ScopeTraversalExpr)
			if !ok || over.Traversal.RootName() != "local" {
				return nil
			}
			step, _ := second(over.Traversal)
			kind, ok := kindOf[step]
			if !ok {
				return nil
			}
			for _, part := range []hclsyntax.Expression{loop.KeyExpr, loop.ValExpr, loop.CondExpr} {
				if part == nil {
					continue
				}
				for _, traversal := range part.Variables() {
					if attribute, ok := second(traversal); ok && traversal.RootName() == loop.ValVar {
						known(what, kind, attribute, schema.dataSources[kind])
					}
				}
			}
			return nil
		})
	}
	for _, p := range file.policies {
		for name, local := range p.locals {
			check(p.label+" "+name, p.target, local.Expr)
		}
		for _, rule := range p.enforce {
			check(p.label, p.target, rule["condition"].Expr)
			check(p.label, p.target, rule["error_message"].Expr)
		}
	}
	if read < 40 {
		t.Errorf("%d names only", read)
	}
	if _, err := os.Stat(filepath.Join(root(t), hclKit)); err != nil {
		t.Error(err)
	}
}
