package assess

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/wording"
)

// Texts describes a result: its promise, its certainty, and remedies.
type Texts struct {
	// Promise states the promise; it can be empty.
	Promise string
	// Outcome states the result; it can be empty.
	Outcome string
	// Certainty states how certain the result is; it can be empty.
	Certainty string
	// Options lists the changes that would allow the promise to be met, for example "provide 1 Gbit/s".
	Options []string
	// Outlook states when the promise will no longer hold; nil if that is not computed.
	Outlook *Outlook
}

// Statement returns the outcome and the promise.
func (t *Texts) Statement() string {
	if t.Outcome == "" || t.Promise == "" {
		return t.Outcome + t.Promise
	}
	return t.Outcome + "; promised: " + t.Promise
}

func (a *Assessment) setTexts() {
	switch r := a.Answer.(type) {
	case Estimate:
		a.setEstimateTexts(&r)
	case VMotion:
		a.setVMotionTexts(&r)
	case Migration:
		a.setMigrationTexts(&r)
	case Limits:
		a.Texts.Promise = strings.TrimSpace("the limits of " + r.Input.Product + " " + r.Input.Version)
		a.Texts.Options = []string{"use fewer " + strings.ReplaceAll(strings.Join(r.Result.Exceeded, ", "), "_", " ")}
	case *Compliance:
		a.setComplianceTexts(r)
	case *History:
		a.setHistoryTexts(r)
	}
}

func (a *Assessment) setVMotionTexts(v *VMotion) {
	if v.NoInput == nil {
		a.Texts.Promise = "the guest stops for at most " + wording.Value("_ms", v.Input.SwitchoverGoalMs)
	}
	if v.Result.MinThroughputMbps != nil {
		a.Texts.Options = []string{
			"provide " + wording.Value("min_throughput_mbps", *v.Result.MinThroughputMbps),
			"move it while it writes less",
			"move it cold",
		}
	}
}

func rpoPromise(in replication.Input, totalGiB float64) string {
	text := "RPO " + wording.RPO(in.RPOMinutes) + ", " + wording.Count(int(in.VMCount), "VM")
	if totalGiB > 0 {
		text += ", " + wording.Value("_gib", totalGiB)
	}
	return text
}

func (a *Assessment) setEstimateTexts(e *Estimate) {
	in, r := e.Input, e.Result
	switch r.ChangeAssumption {
	case "whole_day":
		a.Texts.Certainty = "the peak is not known"
	case "peak_factor":
		a.Texts.Certainty = "change at a multiple of the daily mean"
		if in.PeakFactor != nil {
			a.Texts.Certainty = "change at " + wording.Decimal(*in.PeakFactor) + " times the daily mean"
		}
	case "curve":
		a.Texts.Certainty = "based on the change curve"
	}
	if a.Level == plan.Misses || a.Level == plan.AtRisk {
		a.Texts.Options = estimateOptions(e)
	}
	if len(a.Texts.Options) == 0 {
		a.Texts.Options = []string{"reduce the change or the sync overhead"}
	}
	if e.NoInput == nil {
		a.Texts.Promise = rpoPromise(in, r.TotalGiB)
		a.Texts.Outlook = &Outlook{
			HasGrowth:         in.GrowthPercentPerYear != nil,
			HorizonMonths:     in.HorizonMonths,
			MonthsUntilAtRisk: r.MonthsUntilAtRisk,
		}
	}
}

// estimateOptions returns the remedies of the plan that makes the same promise.
func estimateOptions(e *Estimate) []string {
	if e.NoInput != nil {
		return nil
	}
	remedies, err := promise.SingleRemedies(context.Background(), e.Input.Plan())
	if err != nil {
		return nil
	}
	options := make([]string, 0, len(remedies))
	for _, remedy := range remedies {
		options = append(options, Phrase(remedy))
	}
	return options
}

// Remedy returns a sentence that lists the options for meeting a promise that is missed or at risk. In any other case,
// or if there are no options, it returns an empty string.
func (a *Assessment) Remedy() string {
	options := a.Texts.Options
	if a.Hidden() || len(options) == 0 || a.Level != plan.Misses && a.Level != plan.AtRisk {
		return ""
	}
	if a.Level == plan.AtRisk {
		options = append(slices.Clip(options), "accept the risk")
	}
	return wording.Capital(joinAlternatives(options)) + "."
}

func joinAlternatives(options []string) string {
	n := len(options) - 1
	if n == 0 {
		return options[0]
	}
	mark := ", "
	if slices.ContainsFunc(options, func(option string) bool { return strings.ContainsAny(option, ",:") }) {
		mark = "; "
	}
	return strings.Join(options[:n], mark) + mark + "or " + options[n]
}

func (a *Assessment) setMigrationTexts(m *Migration) {
	r := &m.Result
	vms := wording.Count(len(r.Moves), "VM")
	if n := len(r.Unplanned); n > 0 {
		vms = fmt.Sprintf("%d of %s", len(r.Moves)-n, vms)
	}
	a.Texts.Outcome = vms + " moved in " + wording.Duration(r.DurationSeconds)
	if r.WindowsNeeded != nil {
		a.Texts.Outcome += ", " + wording.Count(int(*r.WindowsNeeded), "window")
	}
	a.Texts.Promise = strings.Join(promiseTexts(m), ", ")
	a.Texts.Options = migrationOptions(m)
	// The summary of a plan already contains its limits.
	a.Reasons = slices.DeleteFunc(a.Reasons, func(reason Reason) bool {
		return strings.HasPrefix(reason.Code, "limited_by_")
	})
	a.Reasons = slices.Concat(a.Blockers(), slices.DeleteFunc(a.Reasons, isBlocker))
}

func isBlocker(r Reason) bool { return migration.Blocks(r.Code) }

// Blockers returns the reasons why VMs of a migration are not moved, or why their moves are not supported.
func (a *Assessment) Blockers() []Reason {
	if _, ok := As[Migration](a); !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Reasons), func(r Reason) bool { return !isBlocker(r) })
}

// MovePromise is a promise in a migration plan, with its level.
type MovePromise struct {
	Text  string
	Level plan.Level
}

// MovePromises returns the promises in a migration plan, starting with the deadline.
func MovePromises(m *Migration) []MovePromise {
	var all []MovePromise
	reasons := plan.Codes(m.Result.Findings)
	add := func(missed, text string) {
		level := plan.Meets
		switch {
		case slices.Contains(reasons, missed), m.Result.Verdict == migration.VerdictUnsupported:
			level = plan.Misses
		case m.Result.Verdict == plan.AtRisk, len(m.Result.Unplanned) > 0:
			level = plan.AtRisk
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
		add(
			migration.DowntimeExceeded,
			"each VM down for at most "+wording.Duration(*minutes*quantity.SecondsPerMinute),
		)
	} else if own > 0 {
		add(migration.DowntimeExceeded, "individual downtime limits of "+wording.Count(own, "VM"))
	}
	return all
}

func promiseTexts(m *Migration) []string {
	var list []string
	if hours := m.Input.DeadlineHours; hours != nil {
		list = append(list, "within "+wording.Duration(*hours*quantity.SecondsPerHour))
	}
	if most := m.Input.MaxWindows; most != nil {
		list = append(list, "in "+wording.Count(int(*most), "window"))
	}
	if minutes := m.Input.MaxDowntimeMinutes; minutes != nil {
		list = append(list, "each VM down for at most "+wording.Duration(*minutes*quantity.SecondsPerMinute))
	}
	return list
}

func migrationOptions(m *Migration) []string {
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
		list = append(list, "move "+quantity.List(by[method], names)+" using "+method)
	}
	if most := m.Input.MaxWindows; most != nil && len(r.Unplanned) == 0 && float64(*r.WindowsNeeded) > *most {
		list = append(list, "promise "+wording.Count(int(*r.WindowsNeeded), "window"))
	}
	return list
}
