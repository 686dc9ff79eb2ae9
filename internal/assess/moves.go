package assess

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

func (a *Assessment) tellMigration(m *Migration) {
	r := &m.Result
	vms := wording.Count(len(r.Moves), "VM")
	if n := len(r.Unplanned); n > 0 {
		vms = fmt.Sprintf("%d of %s", len(r.Moves)-n, vms)
	}
	a.Told.Promise = vms + " moved in " + wording.Duration(r.DurationSeconds)
	if r.WindowsNeeded != nil {
		a.Told.Promise += ", " + wording.Count(int(*r.WindowsNeeded), "window")
	}
	if promises := promises(m); len(promises) > 0 {
		a.Told.Promise += "; promised: " + strings.Join(promises, ", ")
	}
	a.Told.Options = options(m)
	// What limits a plan is in its summary.
	kept := a.Reasons[:0]
	for _, reason := range a.Reasons {
		if !strings.HasPrefix(reason.Code, "limited_by_") {
			kept = append(kept, reason)
		}
	}
	a.Reasons = kept
}

// MovePromise is a promise of a migration plan with its level.
type MovePromise struct {
	Text  string
	Level wording.Level
}

// MovePromises returns what a migration plan promises, the deadline first: what is not missed is as sure as the plan.
func MovePromises(m *Migration) []MovePromise {
	var all []MovePromise
	reasons := plan.Codes(m.Result.Findings)
	add := func(missed, text string) {
		level := wording.Holds
		switch {
		case slices.Contains(reasons, missed), m.Result.Verdict == migration.VerdictUnsupported:
			level = wording.Misses
		case m.Result.Verdict == migration.VerdictAtRisk, len(m.Result.Unplanned) > 0:
			level = wording.AtRisk
		}
		all = append(all, MovePromise{text, level})
	}
	if hours := m.Input.DeadlineHours; hours != nil {
		add(migration.DeadlineMissed, "all moved within "+wording.Duration(*hours*quantity.SecondsPerHour))
	}
	if most := m.Input.MaxWindows; most != nil {
		add(migration.DeadlineMissed, "all moved in "+wording.Count(int(*most), "window"))
	}
	own := 0
	for _, vm := range m.Input.VMs {
		if vm.MaxDowntimeMinutes != nil {
			own++
		}
	}
	if minutes := m.Input.MaxDowntimeMinutes; minutes != nil {
		add(migration.DowntimeExceeded, "each off for at most "+wording.Duration(*minutes*quantity.SecondsPerMinute))
	} else if own > 0 {
		add(migration.DowntimeExceeded, wording.Count(own, "VM")+" off for at most its own downtime")
	}
	return all
}

func promises(m *Migration) []string {
	var list []string
	if hours := m.Input.DeadlineHours; hours != nil {
		list = append(list, "within "+wording.Duration(*hours*quantity.SecondsPerHour))
	}
	if most := m.Input.MaxWindows; most != nil {
		list = append(list, "in "+wording.Count(int(*most), "window"))
	}
	if minutes := m.Input.MaxDowntimeMinutes; minutes != nil {
		list = append(list, "each off for at most "+wording.Duration(*minutes*quantity.SecondsPerMinute))
	}
	return list
}

func options(m *Migration) []string {
	r := &m.Result
	var list []string
	if mbps := r.ThroughputForDeadlineMbps; mbps != nil {
		list = append(list, "provide "+wording.Value("throughput_for_deadline_mbps", *mbps))
	}
	if most := r.MaxConcurrentForDeadline; most != nil {
		list = append(list, fmt.Sprintf("move %d at a time", *most))
	}
	by := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(r.MethodsForDowntime)) {
		method := r.MethodsForDowntime[name]
		by[method] = append(by[method], name)
	}
	const names = 5
	for _, method := range slices.Sorted(maps.Keys(by)) {
		list = append(list, "move "+quantity.List(by[method], names)+" by "+method)
	}
	if most := m.Input.MaxWindows; most != nil && len(r.Unplanned) == 0 && float64(*r.WindowsNeeded) > *most {
		list = append(list, "promise "+wording.Count(int(*r.WindowsNeeded), "window"))
	}
	return list
}
