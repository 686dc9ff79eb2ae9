package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

func historyTables(h *assess.History) []Table {
	if len(h.VMs) == 0 {
		return nil
	}
	compliance := func(id string) float64 {
		if percent := h.VMs[id].CompliancePercent; percent != nil {
			return *percent
		}
		return -1
	}
	ids := slices.SortedFunc(maps.Keys(h.VMs), wording.Natural)
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(compliance(x), compliance(y)) })
	t := newTable("VMs", "VM", "ID", "#RPO", "#Compliance", "#In violation", "#Not known", "#Daily change",
		"#95th percentile of a delta")
	for _, id := range ids[:min(len(ids), maxRows)] {
		vm := h.VMs[id]
		t.add(
			cmp.Or(vm.Name, id),
			id,
			valueOrNone("rpo_minutes", vm.RPOMinutes),
			assess.FloorPercent(vm.CompliancePercent),
			wording.Value("_minutes", vm.ViolationMinutes),
			wording.Value("_minutes", vm.UnknownMinutes),
			valueOrNone("_gib", vm.DailyChangeGiB),
			valueOrNone("_gib", vm.P95DeltaGiB),
		)
	}
	t.noteOmitted(len(ids), "VM")
	return []Table{t}
}

// complianceTables returns a table of tiers and a table of VMs that starts with the VMs that have problems.
func complianceTables(c *assess.Compliance) []Table {
	var tables []Table
	tiers := newTable("Tiers", "Tier", "#Promised RPO")
	for _, name := range slices.SortedFunc(maps.Keys(c.Tiers), wording.Natural) {
		tiers.add(name, valueOrNone("rpo_minutes", c.Tiers[name].RPOMinutes))
	}
	if len(tiers.Rows) > 0 {
		tables = append(tables, tiers)
	}
	complaints := c.FindingsByVM()
	ids := slices.Collect(maps.Keys(c.VMs))
	for id := range complaints {
		if _, listed := c.VMs[id]; !listed {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(x, y string) int {
		return cmp.Or(cmp.Compare(min(1, len(complaints[y])), min(1, len(complaints[x]))), wording.Natural(x, y))
	})
	t := newTable("VMs", "VM", "ID", "Tier", "#Promised RPO", "#Configured RPO", "Status", "Verdict", "Findings")
	for _, id := range ids[:min(len(ids), maxRows)] {
		vm := c.VMs[id]
		t.add(
			cmp.Or(vm.Name, id),
			id,
			cmp.Or(vm.Tier, wording.None),
			valueOrNone("rpo_minutes", vm.PromisedRPO),
			valueOrNone("rpo_minutes", vm.ConfiguredRPO),
			cmp.Or(vm.Status, wording.None),
			cmp.Or(vm.Verdict, wording.None),
			cmp.Or(strings.Join(complaints[id], ", "), wording.None),
		)
	}
	t.noteOmitted(len(ids), "VM")
	return append(tables, t)
}
