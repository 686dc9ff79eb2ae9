// What replication did, by vCenter's event log.

package report

import (
	"cmp"
	"maps"
	"slices"
)

func historyKind() kind {
	return kind{
		name: historyType, id: idHistory, title: "Replication history",
		intro: "What vSphere Replication did, by vCenter's event log. Missing events are never taken for success.",
		fill:  fillHistory, source: "the replication's history",
		arguments: []string{"vm_ids", "tag_id", "lookback_hours", "rpo_minutes", "vm_details", "read_minutes_max"},
		signature: []string{"total", "days", "event_count", "from", "to"},
	}
}

// fillHistory shows the sums as facts, and the VMs, those with the lowest compliance first.
func fillHistory(in *instance, s *Subject) {
	total := &instance{kind: in.kind, values: in.object("total")}
	s.Facts = in.facts(inputsOf(in.kind)...)
	s.Facts = append(s.Facts, in.facts("from", "to", "event_count")...)
	s.Facts = append(s.Facts, total.facts(slices.Sorted(maps.Keys(total.values))...)...)
	vms := in.vms()
	s.Summary = "Within the RPO for " + atMost(total.values["compliance_percent"]) + " of the time that is known."
	if total.values["compliance_percent"] == nil {
		s.Summary = "Nothing of the period is known."
	}
	if len(vms) == 0 {
		return
	}
	slices.SortStableFunc(vms, func(a, b vm) int { return cmp.Compare(a.kept(), b.kept()) })
	t := newTable("VMs", "VM", "Id", "#RPO", "#Compliance", "#In violation", "#Not known", "#Daily change",
		"#95th percentile of a delta")
	for _, m := range vms {
		t.add(
			m.format("name"), clean(m.key), m.format("rpo_minutes"), atMost(m.values["compliance_percent"]),
			m.format("violation_minutes"), m.format("unknown_minutes"), m.format("daily_change_gib"), m.format("p95_delta_gib"),
		)
	}
	t.keep(maxRows, "VM")
	s.Tables = append(s.Tables, t)
}

// kept is the compliance; that of a VM of which nothing is known is below all.
func (m vm) kept() float64 {
	if percent, ok := m.number("compliance_percent"); ok {
		return percent
	}
	return -1
}
