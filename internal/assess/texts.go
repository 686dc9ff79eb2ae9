package assess

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/interactive"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/wording"
)

// Texts describes a result: its promise, its certainty, and remedies.
type Texts struct {
	// Promise states the promise, and Certainty states how certain the result is. Either can be empty.
	Promise, Certainty string
	// Brief explains why the promise does not hold, in a form that fits in a headline. It is empty if the promise holds.
	Brief string
	// Options lists the changes that would allow the promise to be met, for example "provide 1 Gbit/s".
	Options []string
	// Outlook states when the promise will no longer hold; nil if that is not computed.
	Outlook *Outlook
}

// Outlook states in how many months a promise will no longer hold.
type Outlook struct {
	// HasGrowth reports whether a growth rate was given. HorizonMonths is the last month for which growth was computed.
	HasGrowth     bool
	HorizonMonths float64
	// MonthsUntilAtRisk, MonthsUntilMiss and MonthsUntilFull are nil if they are beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss, MonthsUntilFull *float64
}

// First returns the smallest number of months, or nil if all are beyond the horizon.
func (o *Outlook) First() *float64 {
	var first *float64
	for _, at := range []*float64{o.MonthsUntilAtRisk, o.MonthsUntilMiss, o.MonthsUntilFull} {
		if at != nil && (first == nil || *at < *first) {
			first = at
		}
	}
	return first
}

type (
	// Estimate contains the input and result of vsla_replication_estimate.
	Estimate = calculator.Answer[replication.Input, replication.Result]
	// Confidence contains the input and result of vsla_replication_confidence.
	Confidence = calculator.Answer[replication.ConfidenceInput, replication.ConfidenceResult]
	// Schedule contains the input and result of vsla_replication_schedule.
	Schedule = calculator.Answer[replication.ScheduleInput, replication.ScheduleResult]
	// Storage contains the input and result of vsla_replica_storage.
	Storage = calculator.Answer[replication.StorageInput, replication.StorageResult]
	// VMotion contains the input and result of vsla_vmotion_estimate.
	VMotion = calculator.Answer[migration.VMotionInput, migration.VMotionResult]
	// Migration contains the input and result of vsla_migration_plan.
	Migration = calculator.Answer[migration.PlanInput, migration.PlanResult]
	// Latency contains the input and result of vsla_latency_impact.
	Latency = calculator.Answer[interactive.Input, interactive.Result]
	// Limits contains the input and result of vsla_configuration_limits.
	Limits = calculator.Answer[limits.Input, limits.Result]
)

func (a *Assessment) setTexts() {
	switch r := a.Answer.(type) {
	case Estimate:
		a.setEstimateTexts(&r)
	case Confidence:
		a.setConfidenceTexts(&r)
	case Schedule:
		a.setScheduleTexts(&r)
	case Storage:
		a.setStorageTexts(&r)
	case VMotion:
		a.setVMotionTexts(&r)
	case Migration:
		a.setMigrationTexts(&r)
	case Latency:
		if r.NoInput == nil {
			a.Texts.Promise = "at most " + wording.Value("_percent", r.Input.TolerancePercent) + " less throughput"
		}
		if a.Level == wording.Misses {
			a.Verdict = "move together"
		}
		a.Texts.Options = []string{
			"move the application with its database",
			"accept a throughput change of " + wording.Value("_percent", r.Result.ThroughputChangePercent),
		}
	case Limits:
		a.Texts.Promise = strings.TrimSpace("the limits of " + r.Input.Product + " " + r.Input.Version)
		a.Texts.Options = []string{"use fewer " + strings.ReplaceAll(strings.Join(r.Result.Exceeded, ", "), "_", " ")}
	case *Compliance:
		a.setComplianceTexts(r)
	case *History:
		a.setHistoryTexts(r)
	}
}

func (a *Assessment) setConfidenceTexts(c *Confidence) {
	share := wording.Value("probability_percent", c.Result.ViolationFreePercent)
	a.Texts.Certainty = "violation-free in " + share + " of samples"
	if c.NoInput == nil {
		a.Texts.Promise = rpoPromise(c.Input.Likely, 0)
	}
}

func (a *Assessment) setVMotionTexts(v *VMotion) {
	if v.NoInput == nil {
		a.Texts.Promise = "the guest stops for at most " + wording.Value("_ms", v.Input.SwitchoverGoalMs)
	}
	if v.Result.MinThroughputMbps != nil {
		a.Texts.Options = []string{
			"provide " + wording.Value("min_throughput_mbps", *v.Result.MinThroughputMbps), "move it while it writes less",
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
		a.Texts.Certainty = "worst case: a day's change in one cycle"
	case "peak_factor":
		a.Texts.Certainty = "change at a multiple of the daily mean"
		if in.PeakFactor != nil {
			a.Texts.Certainty = "change at " + wording.Decimal(*in.PeakFactor) + " times the daily mean"
		}
	case "curve":
		a.Texts.Certainty = "based on the change curve"
	}
	if r.ThroughputViolationFreeMbps != nil {
		a.Texts.Options = append(a.Texts.Options, "provide "+
			wording.Value("throughput_violation_free_mbps", *r.ThroughputViolationFreeMbps)+currentRate(in.ThroughputMbps))
	}
	if r.MinRPOMinutes != nil {
		a.Texts.Options = append(a.Texts.Options, "promise an RPO of "+wording.RPO(float64(*r.MinRPOMinutes)))
	}
	if r.MaxVMCount != nil && *r.MaxVMCount > 0 {
		a.Texts.Options = append(a.Texts.Options, "replicate at most "+wording.Count(int(*r.MaxVMCount), "VM"))
	}
	if len(a.Texts.Options) == 0 {
		a.Texts.Options = []string{"reduce the change or the sync overhead"}
	}
	if e.NoInput == nil {
		a.Texts.Promise = rpoPromise(in, r.TotalGiB)
		a.Texts.Outlook = &Outlook{
			HasGrowth: in.GrowthPercentPerYear != nil, HorizonMonths: in.HorizonMonths,
			MonthsUntilAtRisk: r.MonthsUntilAtRisk, MonthsUntilMiss: r.MonthsUntilMiss,
		}
	}
}

func currentRate(mbps float64) string {
	if mbps <= 0 {
		return ""
	}
	return " (now " + wording.Value("_mbps", mbps) + ")"
}

func (a *Assessment) setScheduleTexts(s *Schedule) {
	in, r := s.Input, s.Result
	a.Texts.Certainty = "at least " + wording.Value("within_rpo_percent", r.WithinRPOPercent) + " of the time in " +
		wording.Count(int(r.RunsSimulated), "run")
	if need, flat := r.ThroughputForTargetMbps, in.ThroughputMbps; need != nil && (flat == nil || *need > *flat) {
		a.Texts.Options = append(a.Texts.Options, "provide "+wording.Value("throughput_for_target_mbps", *need))
	}
	a.Texts.Options = append(a.Texts.Options, "promise longer RPOs")
	if s.NoInput == nil {
		a.Texts.Promise = "the RPOs of " + wording.Count(len(in.Groups), "group")
		if in.TargetCompliancePercent != nil {
			a.Texts.Promise += " for " + wording.Value("target_compliance_percent", *in.TargetCompliancePercent) + " of the time"
		}
		a.Texts.Outlook = &Outlook{
			HasGrowth: in.GrowthPercentPerYear != nil, HorizonMonths: in.HorizonMonths,
			MonthsUntilAtRisk: months(r.MonthsUntilAtRisk), MonthsUntilMiss: months(r.MonthsUntilMiss),
		}
	}
}

func months(n *int64) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func (a *Assessment) setStorageTexts(s *Storage) {
	in, r := s.Input, s.Result
	if s.NoInput != nil {
		return
	}
	if free := in.TargetFreeGiB; free != nil {
		a.Texts.Promise = "replicas fit in " + wording.Value("_gib", *free)
		a.Texts.Options = []string{
			"provide " + wording.Value("target_gib", r.TargetGiB-*free) + " more on the target", "keep fewer instances",
		}
		a.Texts.Outlook = &Outlook{
			HasGrowth: in.GrowthPercentPerYear != nil, HorizonMonths: in.HorizonMonths, MonthsUntilFull: r.MonthsUntilFull,
		}
	}
}

// Remedy returns a sentence that lists the options for meeting a promise that is missed or at risk. In any other case,
// or if there are no options, it returns an empty string.
func (a *Assessment) Remedy() string {
	options := a.Texts.Options
	if a.Hidden() || len(options) == 0 || a.Level != wording.Misses && a.Level != wording.AtRisk {
		return ""
	}
	if a.Level == wording.AtRisk {
		options = append(slices.Clip(options), "accept the risk")
	}
	return wording.Capital(joinAlternatives(options)) + "."
}

func joinAlternatives(options []string) string {
	n := len(options) - 1
	if n == 0 {
		return options[0]
	}
	return strings.Join(options[:n], ", ") + ", or " + options[n]
}

func (a *Assessment) setMigrationTexts(m *Migration) {
	r := &m.Result
	vms := wording.Count(len(r.Moves), "VM")
	if n := len(r.Unplanned); n > 0 {
		vms = fmt.Sprintf("%d of %s", len(r.Moves)-n, vms)
	}
	a.Texts.Promise = vms + " moved in " + wording.Duration(r.DurationSeconds)
	if r.WindowsNeeded != nil {
		a.Texts.Promise += ", " + wording.Count(int(*r.WindowsNeeded), "window")
	}
	if promises := promiseTexts(m); len(promises) > 0 {
		a.Texts.Promise += "; promised: " + strings.Join(promises, ", ")
	}
	a.Texts.Options = migrationOptions(m)
	// The summary of a plan already contains its limits.
	kept := a.Reasons[:0]
	for _, reason := range a.Reasons {
		if !strings.HasPrefix(reason.Code, "limited_by_") {
			kept = append(kept, reason)
		}
	}
	a.Reasons = kept
}

// MovePromise is a promise in a migration plan, with its level.
type MovePromise struct {
	Text  string
	Level wording.Level
}

// MovePromises returns the promises in a migration plan, starting with the deadline.
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
		add(migration.DowntimeExceeded, "each VM down for at most "+wording.Duration(*minutes*quantity.SecondsPerMinute))
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
