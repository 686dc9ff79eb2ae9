// Mutations: every value that the gate relies on is changed in a plan that passes, and the answer has to change.

package policytest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const everything = testdata + "/everything"

var results = []string{"prior_state", "values", "root_module", "resources"}

func TestGate_mutations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plan := withReplication(t, open(t, cli, everything).plan(t, 0))
		m := mutations{t: t, base: plan, plans: map[string]document{"the plan itself": plan}}
		m.records()
		m.replication()
		m.checks()
		m.envelope()
		if len(m.plans) < 150 {
			t.Errorf("%d mutations, want at least 150", len(m.plans))
		}
		got := askOPA(t, m.plans, []string{everything + "/settings.yaml"})
		if denied := got["the plan itself"].denied; len(denied) > 0 {
			t.Fatalf("the plan itself is denied: %q", denied)
		}
		delete(got, "the plan itself")
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if len(got[name].denied) == 0 {
				t.Errorf("passes: %s", name)
			}
		}
	})
}

// withReplication adds a vsla_replication to be created, the compliance of its site and a history to a plan.
func withReplication(t *testing.T, plan document) document {
	t.Helper()
	added := load[document](t, testdata, "replicated.yaml")
	grow(t, plan, list(t, added, "results"), results...)
	grow(t, plan, list(t, added, "planned"), "planned_values", "root_module", "resources")
	grow(t, plan, list(t, added, "changes"), "resource_changes")
	grow(t, plan, list(t, added, "blocks"), "configuration", "root_module", "resources")
	return clone(t, plan)
}

// mutations collects changed copies of a plan.
type mutations struct {
	t     *testing.T
	base  document
	plans map[string]document
}

// change makes one copy under the name of the change.
func (m mutations) change(name string, change func(plan document)) {
	m.t.Helper()
	name = strings.NewReplacer("/", " ", "\"", "").Replace(name)
	if _, twice := m.plans[name]; twice {
		m.t.Fatalf("two mutations are called %q", name)
	}
	plan := clone(m.t, m.base)
	change(plan)
	m.plans[name] = plan
}

// values makes copies in which a value of an object is missing, null, of another type and bad.
func (m mutations) values(what, key string, bad []any, mayMiss bool, object func(plan document) document) {
	m.t.Helper()
	if _, ok := object(m.base)[key]; !ok {
		m.t.Errorf("%s has no %s, so nothing is changed", what, key)
	}
	if !mayMiss {
		m.change(what+" "+key+" missing", func(p document) { delete(object(p), key) })
		m.change(what+" "+key+" null", func(p document) { object(p)[key] = nil })
	}
	for i, value := range append([]any{"?", document{"x": "y"}, []any{[]any{}}}, bad...) {
		m.change(what+" "+key+" "+string(rune('a'+i)), func(p document) { object(p)[key] = value })
	}
}

// records changes the results that were read at plan, and those of functions in outputs.
func (m mutations) records() {
	m.t.Helper()
	bad := load[struct {
		Results, Outputs map[string]map[string][]any
		Optional         []string
	}](m.t, testdata, "mutations.yaml")
	for i, r := range list(m.t, m.base, results...) {
		record := as[document](m.t, r)
		if record["mode"] != "data" {
			continue
		}
		kind, name := as[string](m.t, record["type"]), as[string](m.t, record["address"])
		of := func(p document) document { return as[document](m.t, list(m.t, p, results...)[i]) }
		for _, key := range []string{"mode", "type", "address", "provider_name"} {
			m.change(name+" without "+key, func(p document) { delete(of(p), key) })
		}
		waits := []any{deferred(record)}
		m.change(name+" without values", func(p document) { delete(of(p), "values") })
		m.change(name+" values null", func(p document) { of(p)["values"] = nil })
		m.change(name+" not there", func(p document) { remove(m.t, p, i, results...) })
		m.change(name+" deferred", func(p document) {
			remove(m.t, p, i, results...)
			grow(m.t, p, waits, "resource_changes")
		})
		m.change(name+" in state and deferred", func(p document) { grow(m.t, p, waits, "resource_changes") })
		values := func(p document) document { return object(m.t, of(p), "values") }
		for key, bad2 := range bad.Results[kind] {
			m.values(name, key, bad2, slices.Contains(bad.Optional, kind+"."+key), values)
		}
		if kind == "vsla_sla_compliance" {
			vm := func(p document) document { return object(m.t, values(p), "virtual_machines", "vm-42") }
			m.values("compliance vm-42", "promised_rpo_minutes", []any{14, 5}, false, vm)
		}
		if kind != "vsla_migration_plan" || strings.HasSuffix(name, ".unlimited") { // two have this type
			delete(bad.Results, kind)
		}
	}
	if len(bad.Results) > 0 {
		m.t.Errorf("the plan has no %v", slices.Sorted(maps.Keys(bad.Results)))
	}
	for name, keys := range bad.Outputs {
		of := func(p document) document { return object(m.t, p, "planned_values", "outputs", name) }
		m.change("output "+name+" unknown", func(p document) { delete(of(p), "value") })
		m.change("output "+name+" not there", func(p document) { delete(object(m.t, p, "planned_values", "outputs"), name) })
		for key, values := range keys {
			m.values("output "+name, key, values, false, func(p document) document { return object(m.t, of(p), "value") })
		}
	}
}

// deferred is the change of a data source that has to wait for apply.
func deferred(record document) document {
	return document{
		"address": record["address"], "mode": "data", "type": record["type"], "name": record["name"],
		"action_reason": "read_because_dependency_pending",
		"change": document{
			"actions": []any{"read"}, "before": nil, "after": document{}, "after_unknown": document{"verdict": true},
		},
	}
}

func (m mutations) replication() {
	m.t.Helper()
	at := slices.IndexFunc(list(m.t, m.base, "resource_changes"), func(c any) bool {
		return as[document](m.t, c)["type"] == "vsla_replication"
	})
	of := func(p document) document { return as[document](m.t, list(m.t, p, "resource_changes")[at]) }
	change := func(p document) document { return object(m.t, of(p), "change") }
	after := func(p document) document { return object(m.t, change(p), "after") }
	m.values("replication", "rpo_minutes", []any{16, 60}, false, after)
	m.values("replication", "vm_id", []any{"VirtualMachine:vm-4:x", "VirtualMachine:vm-421:x"}, false, after)
	m.values("replication", "pairing_id", []any{"another"}, false, after)
	m.change("replication paused by text", func(p document) { after(p)["paused"] = "true" })
	for _, key := range []string{"mode", "type", "address", "change"} {
		m.change("replication without "+key, func(p document) { delete(of(p), key) })
	}
	m.change("replication without after", func(p document) { delete(change(p), "after") })
	m.change("replication not there", func(p document) { remove(m.t, p, at, "resource_changes") })
}

func (m mutations) checks() {
	m.t.Helper()
	for i := range list(m.t, m.base, "checks") {
		of := func(p document) document { return as[document](m.t, list(m.t, p, "checks")[i]) }
		m.values("check", "status", []any{"fail", "error", "unknown"}, false, of)
		m.change("check without address", func(p document) { delete(of(p), "address") })
		m.change("check not there", func(p document) { remove(m.t, p, i, "checks") })
	}
	m.change("no checks", func(p document) { delete(p, "checks") })
}

// envelope changes what surrounds the results.
func (m mutations) envelope() {
	m.t.Helper()
	for _, key := range []string{
		"format_version", "errored", "configuration", "planned_values", "prior_state", "resource_changes",
	} {
		m.change("no "+key, func(p document) { delete(p, key) })
		m.change(key+" null", func(p document) { p[key] = nil })
		m.change(key+" a text", func(p document) { p[key] = "?" })
	}
	m.change("complete by text", func(p document) { p["complete"] = "true" })
	m.change("outputs left out", func(p document) {
		delete(p, "complete")
		delete(p, "output_changes")
	})
	m.change("one output left out", func(p document) {
		delete(p, "complete")
		delete(object(m.t, p, "output_changes"), "move")
	})
	m.change("no output declared", func(p document) {
		delete(p, "complete")
		delete(object(m.t, p, "configuration", "root_module"), "outputs")
	})
}
