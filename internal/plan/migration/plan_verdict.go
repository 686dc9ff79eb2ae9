package migration

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const maxNamedVMs = 5

// judge sets the verdict, the findings and the summary.
func (r *PlanResult) judge(in PlanInput, s *scheduler) {
	r.WorstDowntimeVM, r.WorstDowntimeSeconds = r.worstDowntime()
	r.Summary = r.describe(in)
	limited := limitOfName(r.LimitedBy).reason().Finding()
	if len(s.moves) > 0 {
		r.Summary += " " + limited.Sentence
	}
	unsupported := r.judgeSupport(in, s)
	isLate := r.judgeDeadline(in)
	isOffTooLong := r.judgeDowntime(in)
	isUnplanned := r.judgeUnplanned(in)
	isUncertain := r.judgeUnknown(in, s)
	hasUnknownRates := r.judgeDirtyRates(in)
	isUnknown := isUncertain || isUnplanned || hasUnknownRates
	switch {
	case unsupported:
		r.Verdict = VerdictUnsupported
	case isLate || isOffTooLong:
		r.Verdict = plan.Misses
	case isUnknown && (in.hasPromise() || len(r.Unplanned) > 0):
		r.Verdict = plan.AtRisk
	case in.hasPromise():
		r.Verdict = plan.Meets
	default:
		r.Verdict = VerdictNoPromise
	}
	if len(s.moves) > 0 {
		r.Findings = append(r.Findings, limited)
	}
}

// find adds a finding, also to the summary.
func (r *PlanResult) find(reason calculator.Reason, args ...any) {
	finding := reason.Finding(args...)
	r.Findings = append(r.Findings, finding)
	r.Summary += " " + finding.Sentence
}

// judgeSupport reports whether a vMotion of the plan is not supported.
func (r *PlanResult) judgeSupport(in PlanInput, s *scheduler) bool {
	switch {
	case s.isTooSlow() && in.Profile == ProfileHCXVMotion:
		r.find(reasonBelow100Mbps, quantity.Rate(s.slowestVMotion))
	case s.isTooSlow():
		r.find(reasonBelow250Mbps, quantity.Rate(s.slowestVMotion))
	}
	if s.rttUnsupported {
		r.find(reasonRTTAbove150, plan.Thousands(in.RTTMs, -1))
	}
	return !s.isSupported()
}

// describe states how many VMs are migrated and how long that takes.
func (r *PlanResult) describe(in PlanInput) string {
	moved := len(in.VMs) - len(r.Unplanned)
	if moved == 0 {
		return "No VM is migrated."
	}
	order := "in " + plan.Count(float64(len(r.Waves)), "wave") + " and"
	if len(r.Waves) == moved && moved > 1 {
		order = "one by one in"
	}
	duration := quantity.Duration(r.DurationSeconds).Ceil()
	text := fmt.Sprintf("%s migrated %s %s", vmsWithVerb(moved, "is", "are"), order, duration)
	if r.LowerBoundSeconds != nil {
		text += ". No plan can be shorter than " + quantity.Duration(*r.LowerBoundSeconds).Ceil()
	}
	text += "."
	if r.WindowsNeeded != nil {
		text += fmt.Sprintf(" The plan takes %s of %s.", plan.Count(float64(*r.WindowsNeeded), "window"),
			in.Windows().lengthText(int(*r.WindowsNeeded)))
	}
	return text
}

func vmsWithVerb(n int, one, many string) string {
	verb := many
	if n == 1 {
		verb = one
	}
	return plan.Count(float64(n), "VM") + " " + verb
}

// hasPromise reports whether a deadline, a number of windows or a downtime is promised.
func (in PlanInput) hasPromise() bool {
	return in.DeadlineHours != nil || in.MaxWindows != nil || in.MaxDowntimeMinutes != nil ||
		len(in.vmsThat(func(v VM) bool { return v.MaxDowntimeMinutes != nil })) > 0
}

// worstDowntime returns the VM with the longest known downtime, and that downtime; nil if none is known.
func (r *PlanResult) worstDowntime() (string, *float64) {
	ranked := r.rankVMs(func(_ string, m Move) *float64 { return m.DowntimeSeconds })
	if len(ranked) == 0 {
		return "", nil
	}
	return ranked[0], r.Moves[ranked[0]].DowntimeSeconds
}

// meetsDeadline reports whether every VM is migrated within the promised time and windows.
func (r *PlanResult) meetsDeadline(in PlanInput) bool {
	return len(r.Unplanned) == 0 && len(r.lateVMs(in)) == 0
}

// lateVMs returns the VMs that are migrated after the promised time or windows, latest first.
func (r *PlanResult) lateVMs(in PlanInput) []string {
	return r.rankVMs(func(_ string, m Move) *float64 {
		if m.EndSeconds == nil ||
			(in.DeadlineHours == nil ||
				*m.EndSeconds <= *in.DeadlineHours*quantity.SecondsPerHour*(1+tolerance)) &&
				(in.MaxWindows == nil || float64(*m.Window) <= *in.MaxWindows) {
			return nil
		}
		return m.EndSeconds
	})
}

// rankVMs returns the VMs that have a measure, by descending measure and then by name.
func (r *PlanResult) rankVMs(measure func(name string, m Move) *float64) []string {
	by := map[string]float64{}
	for name, m := range r.Moves {
		if v := measure(name, m); v != nil {
			by[name] = *v
		}
	}
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
}

// judgeDeadline adds a finding if VMs are migrated too late, and reports whether there are any.
func (r *PlanResult) judgeDeadline(in PlanInput) bool {
	if in.DeadlineHours == nil && in.MaxWindows == nil || r.meetsDeadline(in) {
		return false
	}
	var promises []string
	if in.DeadlineHours != nil {
		promises = append(promises, quantity.Duration(*in.DeadlineHours*quantity.SecondsPerHour).String())
	}
	if in.MaxWindows != nil {
		promises = append(promises, plan.Count(*in.MaxWindows, "window"))
	}
	names := append(slices.Clone(r.Unplanned), r.lateVMs(in)...)
	r.find(reasonDeadlineMissed, vmsWithVerb(len(names), "is", "are"), strings.Join(promises, " and "),
		quantity.List(names, maxNamedVMs))
	r.remedyDeadline(in)
	return true
}

// exceedingDowntime returns the VMs with a longer downtime than promised, longest first.
func (r *PlanResult) exceedingDowntime(in PlanInput) []string {
	return r.rankVMs(func(name string, m Move) *float64 {
		most := in.promisedDowntime(name)
		if m.DowntimeSeconds == nil || most == nil ||
			*m.DowntimeSeconds <= *most*quantity.SecondsPerMinute*(1+tolerance) {
			return nil
		}
		return m.DowntimeSeconds
	})
}

// judgeDowntime adds a finding if downtimes are longer than promised, and reports whether there are any.
func (r *PlanResult) judgeDowntime(in PlanInput) bool {
	names := r.exceedingDowntime(in)
	if len(names) == 0 {
		return false
	}
	r.find(reasonDowntimeExceeded, vmsWithVerb(len(names), "is", "are"),
		quantity.ListOf(names, maxNamedVMs, func(name string) string {
			return name + " for " + FormatDowntime(*r.Moves[name].DowntimeSeconds)
		}))
	r.remedyDowntime(in, names)
	return true
}

// threadMbps is the lower of the published rates of one vMotion thread (Broadcom KB 323379, checked 2026-11-23: 18
// Gbit/s; VMware, How to Tune vMotion for Lower Migration Times: 15 Gbit/s).
const threadMbps = 15000

// judgeUnknown adds a finding for each input that is not known and matters, and reports whether there are any.
func (r *PlanResult) judgeUnknown(in PlanInput, s *scheduler) bool {
	before := len(r.Findings)
	if n := len(in.vmsThat(VM.changeIsUnknown)); n > 0 {
		r.find(reasonChangeNotCounted, plan.Count(float64(n), "replicated VM"))
	}
	if longer := in.setupIncrease(r, s); longer > 0 {
		percent := plan.Nearest.Round(longer*quantity.Percent, 0)
		r.find(reasonFixedCostUnknown, plan.Thousands(assumedSetupSeconds, 0), plan.Thousands(percent, 0))
	}
	if n := r.concurrentVMotions(); in.setupSeconds() > 0 && n > maxMeasuredConcurrent {
		r.find(reasonConcurrencyNotMeasured, plan.Thousands(float64(n), 0))
	}
	if in.ThreadsMbps == nil && s.fastestVMotion > threadMbps*quantity.BitsPerMbit*(1+tolerance) {
		r.find(reasonOneThread, quantity.Rate(s.fastestVMotion))
	}
	return len(r.Findings) > before
}

// judgeUnplanned adds findings for the VMs that are not migrated, and reports whether there are any.
func (r *PlanResult) judgeUnplanned(in PlanInput) bool {
	narrow := r.rankVMs(func(_ string, m Move) *float64 { return m.NeededWindowHours })
	endless := slices.DeleteFunc(slices.Clone(r.Unplanned), func(name string) bool {
		return r.Moves[name].NeededWindowHours != nil
	})
	if len(narrow) > 0 {
		reserve := plan.Thousands(in.WindowReservePercent, -1)
		needs := quantity.ListOf(narrow, maxNamedVMs, func(name string) string {
			return name + " requires " + hours(*r.Moves[name].NeededWindowHours)
		})
		r.find(reasonFitsNoWindow, vmsWithVerb(len(narrow), "does", "do"), reserve, needs)
	}
	if len(endless) > 0 {
		r.find(reasonDoesNotConverge, vmsWithVerb(len(endless), "changes", "change"),
			quantity.ListOf(endless, maxNamedVMs, in.coldAlternative))
	}
	return len(r.Unplanned) > 0
}

// coldAlternative returns the name of a VM whose copy never ends. If a cold migration has no more downtime than the
// last sync, its downtime is added to the name.
func (in PlanInput) coldAlternative(name string) string {
	v := in.VMs[name]
	c := in.clock()
	l := in.pathLimits()
	m := in.newMigration(name, v, l)
	v.Method = MethodCold
	cold := in.newMigration(name, v, l)
	cold.computeAt(cold.limitedRate(c.peakRate()), 0)
	if cold.soloSeconds > m.maxDowntime(m.limitedRate(c.peakRate())) {
		return name
	}
	return name + " (the downtime of a cold migration is " + FormatDowntime(cold.soloSeconds) +
		", no longer than that of its last synchronization)"
}

// assumedSetupSeconds is the fixed cost assumed for plans without setup_seconds. fixedCostShare is the largest relative
// increase in duration that is ignored. The values are this project's own assumptions.
const (
	assumedSetupSeconds = 30
	fixedCostShare      = 0.1
)

// setupIncrease returns the relative increase in duration caused by the assumed fixed cost. It returns 0 if the cost is
// given or the increase is tolerable.
func (in PlanInput) setupIncrease(r *PlanResult, s *scheduler) float64 {
	if in.SetupSeconds != nil || len(s.moves) == 0 {
		return 0
	}
	in.SetupSeconds = new(float64(assumedSetupSeconds))
	in.MaxConcurrent = new(float64(s.concurrent))
	with, _, err := in.schedule()
	if err != nil || with.DurationSeconds <= r.DurationSeconds*(1+fixedCostShare) {
		return 0
	}
	return with.DurationSeconds/r.DurationSeconds - 1
}

func hours(n float64) string {
	if n == 1 {
		return "1 hour"
	}
	return plan.Thousands(n, -1) + " hours"
}
