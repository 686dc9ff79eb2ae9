// Mutations: every value that the gate relies on is changed in a plan that passes, and the answer has to change.

package policytest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const everything = "internal/dev/test/policytest/testdata/everything"

// reliedOn are the values of each kind of result that the gate relies on, each with bad ones of the right type.
var reliedOn = map[string]map[string][]any{
	"vsla_replication_estimate": {
		"verdict": {"at_risk", "misses", "MEETS"}, "meets_rpo": {false}, "violation_free": {false}, "rpo_minutes": {16},
		"growth_percent_per_year": {}, "horizon_months": {23}, "months_until_at_risk": {23},
		// Two estimates share the link.
		"throughput_mbps": {6999}, "rpo_used_percent": {40, 90}, "daily_link_use_percent": {100},
	},
	"vsla_replication_schedule": {
		"verdict": {"at_risk", "misses"}, "violations": {1}, "p5_compliance_percent": {99.9},
	},
	"vsla_vmotion_estimate": {
		"verdict": {"at_risk", "unsupported"}, "reasons": {[]any{"below_250_mbps_per_migration"}}, "throughput_mbps": {999},
		"concurrent_migrations": {29, 0},
	},
	"vsla_migration_plan":       {"throughput_mbps": {249}}, // one at a time
	"vsla_link_throughput":      {"throughput_mbps": {999}},
	"vsla_configuration_limits": {"within_limits": {false}, "exceeded": {[]any{"replications"}}, "counts": {document{}}},
	"vsla_latency_impact": {
		"move_together": {true}, "reasons": {[]any{"loss_above_tolerance"}},
	},
	"vsla_replication_calibration": {
		"optimistic": {true}, "reasons": {[]any{"throughput_below_assumed"}},
	},
	// 15 * (100 + 100 * 5 % * 15 / 1,440) are 1,500.8 GiB of 4,000; of 1,600 they leave 6 %.
	"vsla_replica_storage": {
		"fits": {false}, "target_gib": {4001, 3900}, "target_free_gib": {1500, 1600}, "reasons": {[]any{"target_too_small"}},
		"growth_percent_per_year": {}, "horizon_months": {23}, "months_until_full": {23},
	},
	"vsla_replication_confidence": {
		"probability_meets_rpo_percent": {94.9, 100.1}, "probability_violation_free_percent": {94.9, 100.1, -1},
		"rpo_minutes": {16},
	},
	"vsla_sla_compliance": {
		"compliant": {
			false,
		},
		"unprotected":          {[]any{"vm-1"}},
		"weaker_than_promised": {[]any{"vm-1"}},
		"in_violation":         {[]any{"vm-1"}},
		"several_tiers":        {[]any{"vm-1"}},
		"uncovered":            {[]any{"vm-1"}},
		"uncovered_unknown":    {[]any{"vm-1"}},
		"virtual_machines":     {document{}},
		"periods":              {document{}, document{"gold": document{}}},
		"pairing_id":           {"another"},
	},
	"vsla_replication_history": {"total": {
		document{},
		document{"compliance_percent": 98.9, "known_minutes": 1, "unknown_minutes": 0},
		document{"compliance_percent": nil, "known_minutes": 0, "unknown_minutes": 1},
	}},
}

// optional are the keys whose absence is an answer: the default, or that it does not happen within the horizon.
var optional = []string{
	"vsla_vmotion_estimate.concurrent_migrations",
	"vsla_replication_estimate.horizon_months", "vsla_replication_estimate.months_until_at_risk",
	"vsla_replica_storage.horizon_months", "vsla_replica_storage.months_until_full",
}

// outputs are what the results of functions hold of it: not what the function was asked.
var outputs = map[string]map[string][]any{
	"move":   {"verdict": {"at_risk", "unsupported"}, "reasons": {[]any{"below_250_mbps_per_migration"}}},
	"limits": {"within_limits": {false}, "exceeded": {[]any{"replications"}}},
	"space":  {"fits": {false}, "target_gib": {}, "reasons": {[]any{"target_too_small"}}},
	"chance": {"probability_meets_rpo_percent": {94.9}, "probability_violation_free_percent": {94.9, 101}},
}

func TestGate_mutations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plan := withReplication(t, open(t, cli, everything).plan(t, 0))
		m := mutations{t: t, base: plan, plans: map[string]document{"the plan itself": plan}}
		m.records()
		m.outputs()
		m.replication()
		m.checks()
		m.envelope()
		if len(m.plans) < 150 {
			t.Errorf("%d mutations only", len(m.plans))
		}
		got := ask(t, m.plans, everything+"/settings.yaml")
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

// withReplication adds what the plan of a replicated VM with a tier contains: a vsla_replication to be created and
// the compliance of the site. Their shape is that of the provider's schema; nothing is asked of an appliance.
func withReplication(t *testing.T, plan document) document {
	t.Helper()
	compliance := document{
		"address": "data.vsla_sla_compliance.site", "mode": "data", "type": "vsla_sla_compliance", "name": "site",
		"provider_name": "registry.terraform.io/vsla/vsla", "schema_version": 0,
		"values": document{
			"pairing_id": "5f1f4c1e-0000-4000-8000-000000000001",
			"tiers": document{"gold": document{
				"tag_id": "urn:vmomi:InventoryServiceTag:1:GLOBAL", "rpo_minutes": 15, "compliance_percent": 99,
			}},
			"periods": document{"gold": document{
				"vm_count": 1, "unknown_vm_count": 0, "promised_compliance_percent": 99, "compliance_percent": 99.5,
				"violations": 1, "violation_minutes": 216, "known_minutes": 43200, "unknown_minutes": 0, "verdict": "kept",
			}},
			"compliant": true,
			"virtual_machines": document{"vm-42": document{
				"name":                   "db-1",
				"tier":                   "gold",
				"promised_rpo_minutes":   15,
				"configured_rpo_minutes": 15,
				"status":                 "OK",
				"verdict":                "ok",
			}},
			"unprotected":             []any{},
			"weaker_than_promised":    []any{},
			"in_violation":            []any{},
			"untagged_but_replicated": []any{},
			"several_tiers":           []any{},
			"uncovered":               []any{},
			"uncovered_unknown":       []any{},
		},
	}
	history := document{
		"address": "data.vsla_replication_history.gold", "mode": "data", "type": "vsla_replication_history", "name": "gold",
		"provider_name": "registry.terraform.io/vsla/vsla", "schema_version": 0,
		"values": document{
			"total": document{"compliance_percent": 99.5, "known_minutes": 43200, "unknown_minutes": 0},
		},
	}
	after := document{
		"pairing_id":          "5f1f4c1e-0000-4000-8000-000000000001",
		"vm_id":               "VirtualMachine:vm-42:e594ad24-0000-4000-8000-000000000001",
		"rpo_minutes":         15,
		"paused":              nil,
		"target_datastore_id": "Datastore:datastore-1:e594ad24-0000-4000-8000-000000000002",
	}
	replication := document{
		"address":       "vsla_replication.db",
		"mode":          "managed",
		"type":          "vsla_replication",
		"name":          "db",
		"provider_name": "registry.terraform.io/vsla/vsla",
	}
	planned, changed := maps.Clone(replication), maps.Clone(replication)
	planned["values"] = after
	changed["change"] = document{
		"actions":       []any{"create"},
		"before":        nil,
		"after":         after,
		"after_unknown": document{"id": true, "name": true},
	}
	grow(t, plan, compliance, "prior_state", "values", "root_module", "resources")
	grow(t, plan, history, "prior_state", "values", "root_module", "resources")
	grow(t, plan, planned, "planned_values", "root_module", "resources")
	grow(t, plan, changed, "resource_changes")
	block := document{
		"address": "data.vsla_sla_compliance.site",
		"mode":    "data",
		"type":    "vsla_sla_compliance",
		"name":    "site",
	}
	grow(t, plan, block, "configuration", "root_module", "resources")
	block = document{
		"address": "data.vsla_replication_history.gold", "mode": "data", "type": "vsla_replication_history", "name": "gold",
	}
	grow(t, plan, block, "configuration", "root_module", "resources")
	return clone(t, plan)
}

// mutations collects changed copies of a plan.
type mutations struct {
	t     *testing.T
	base  document
	plans map[string]document
}

// change makes one copy; the name says what was done to it.
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

// records changes the results that were read at plan.
func (m mutations) records() {
	m.t.Helper()
	at := []string{"prior_state", "values", "root_module", "resources"}
	seen := map[string]bool{}
	for i, r := range list(m.t, m.base, at...) {
		record := as[document](m.t, r)
		kind := as[string](m.t, record["type"])
		if record["mode"] != "data" {
			continue
		}
		seen[kind] = true
		of := func(p document) document { return as[document](m.t, list(m.t, p, at...)[i]) }
		name := as[string](m.t, record["address"])
		for _, key := range []string{"mode", "type", "address", "provider_name"} {
			m.change(name+" without "+key, func(p document) { delete(of(p), key) })
		}
		m.change(name+" without values", func(p document) { delete(of(p), "values") })
		m.change(name+" values null", func(p document) { of(p)["values"] = nil })
		m.change(name+" not there", func(p document) { remove(m.t, p, i, at...) })
		m.change(name+" deferred", func(p document) {
			remove(m.t, p, i, at...)
			grow(m.t, p, deferred(record), "resource_changes")
		})
		m.change(name+" in state and deferred", func(p document) { grow(m.t, p, deferred(record), "resource_changes") })
		for key, bad := range reliedOn[kind] {
			m.values(
				name,
				key,
				bad,
				slices.Contains(optional, kind+"."+key),
				func(p document) document { return object(m.t, of(p), "values") },
			)
		}
	}
	for kind := range reliedOn {
		if !seen[kind] {
			m.t.Errorf("the plan has no %s", kind)
		}
	}
}

// deferred is the change of a data source that has to wait for apply.
func deferred(record document) document {
	return document{
		"address":       record["address"],
		"mode":          "data",
		"type":          record["type"],
		"name":          record["name"],
		"action_reason": "read_because_dependency_pending",
		"change": document{
			"actions":       []any{"read"},
			"before":        nil,
			"after":         document{},
			"after_unknown": document{"verdict": true},
		},
	}
}

func (m mutations) outputs() {
	m.t.Helper()
	for name, keys := range outputs {
		of := func(p document) document { return object(m.t, p, "planned_values", "outputs", name) }
		m.change("output "+name+" unknown", func(p document) { delete(of(p), "value") })
		m.change("output "+name+" not there", func(p document) { delete(object(m.t, p, "planned_values", "outputs"), name) })
		for key, bad := range keys {
			m.values("output "+name, key, bad, false, func(p document) document { return object(m.t, of(p), "value") })
		}
	}
}

func (m mutations) replication() {
	m.t.Helper()
	var at int
	for i, c := range list(m.t, m.base, "resource_changes") {
		if as[document](m.t, c)["type"] == "vsla_replication" {
			at = i
		}
	}
	of := func(p document) document { return as[document](m.t, list(m.t, p, "resource_changes")[at]) }
	change := func(p document) document { return object(m.t, of(p), "change") }
	after := func(p document) document { return object(m.t, change(p), "after") }
	m.values("replication", "rpo_minutes", []any{16, 60}, false, after)
	m.values("replication", "vm_id", []any{"VirtualMachine:vm-4:x", "VirtualMachine:vm-421:x"}, false, after)
	m.values("replication", "pairing_id", []any{"another"}, false, after)
	m.change("replication paused", func(p document) { after(p)["paused"] = true })
	m.change("replication paused by text", func(p document) { after(p)["paused"] = "true" })
	m.change("replication pause unknown", func(p document) {
		delete(after(p), "paused")
		object(m.t, change(p), "after_unknown")["paused"] = true
	})
	m.change("replication RPO unknown", func(p document) {
		delete(after(p), "rpo_minutes")
		object(m.t, change(p), "after_unknown")["rpo_minutes"] = true
	})
	for _, action := range []string{"delete", "forget"} {
		m.change("replication "+action, func(p document) {
			change(p)["actions"], change(p)["after"] = []any{action}, nil
		})
	}
	for _, key := range []string{"mode", "type", "address", "change"} {
		m.change("replication without "+key, func(p document) { delete(of(p), key) })
	}
	m.change("replication without after", func(p document) { delete(change(p), "after") })
	m.change("replication not there", func(p document) { remove(m.t, p, at, "resource_changes") })
	vm := func(p document) document {
		for _, r := range list(m.t, p, "prior_state", "values", "root_module", "resources") {
			if as[document](m.t, r)["type"] == "vsla_sla_compliance" {
				return object(m.t, as[document](m.t, r), "values", "virtual_machines", "vm-42")
			}
		}
		return nil
	}
	m.values("compliance vm-42", "promised_rpo_minutes", []any{14, 5}, false, vm)
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
	m.change("errored", func(p document) { p["errored"] = true })
	m.change("not complete", func(p document) { p["complete"] = false })
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
	m.change("deferred change", func(p document) {
		p["deferred_changes"] = []any{
			document{
				"reason":          "provider_config_unknown",
				"resource_change": deferred(document{"type": "vsla_sla_compliance", "address": "data.vsla_sla_compliance.other"}),
			},
		}
	})
	m.change("a source without result", func(p document) {
		grow(
			m.t,
			p,
			document{"address": "data.vsla_replication_estimate.new", "mode": "data", "type": "vsla_replication_estimate"},
			"configuration",
			"root_module",
			"resources",
		)
	})
}
