package replication

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (in ScheduleInput) names() []string { return slices.Sorted(maps.Keys(in.Groups)) }

// estate returns the groups as tiers on one link. If TargetWriteMbps is set, they also share a target.
func (in ScheduleInput) estate() simulation.Estate {
	e := simulation.Estate{
		SourceReadRate: quantity.BitsPerSecond(in.SourceReadMbps), ChecksumRate: quantity.BitsPerSecond(in.ChecksumMbps),
		ColdStart: !in.StartInSync, StartTogether: in.StartTogether, JitterPercent: in.JitterPercent,
	}
	if in.DeadlineHours != nil {
		e.DeadlineHours = *in.DeadlineHours
	}
	var target *int
	if in.TargetWriteMbps != nil {
		e.Targets = []simulation.Target{{
			WriteRate: quantity.BitsPerSecond(in.TargetWriteMbps), WriteFactor: in.TargetWriteFactor,
		}}
		target = new(0)
	}
	e.Links = []simulation.Link{in.link()}
	for _, name := range in.names() {
		t := in.Groups[name].tier(name)
		t.Target, t.PerSyncRate, t.TargetPercent = target, quantity.BitsPerSecond(in.PerSyncMbps), in.TargetCompliancePercent
		e.Tiers = append(e.Tiers, t)
	}
	return e
}

func (in ScheduleInput) link() simulation.Link {
	var l simulation.Link
	for h := range l.HourlyRates {
		if in.ThroughputMbps != nil {
			l.HourlyRates[h] = *in.ThroughputMbps
		} else {
			l.HourlyRates[h] = in.HourlyThroughputMbps[h]
		}
		l.HourlyRates[h] = l.HourlyRates[h] * quantity.BitsPerMbit * in.EfficiencyPercent / quantity.Percent
	}
	if in.OutageMinutes != nil {
		l.OutageFrom = in.OutageStartHours * quantity.SecondsPerHour
		l.OutageTo = l.OutageFrom + *in.OutageMinutes*quantity.SecondsPerMinute
	}
	if in.MaxConcurrentSyncs != nil {
		l.MaxSyncs = int(*in.MaxConcurrentSyncs)
	}
	return l
}

func (g Group) tier(name string) simulation.Tier {
	t := simulation.Tier{
		Name: name, RPOMinutes: g.RPOMinutes, OverheadSeconds: g.OverheadSeconds + g.QuiesceSeconds,
		CompressionRatio: g.CompressionRatio, Curve: g.ChangeCurve, HourlyWeights: g.HourlyWeights,
		PeakStartHour: g.PeakStartHour,
	}
	if g.PeakFactor != nil {
		t.PeakFactor = *g.PeakFactor
	}
	vm := simulation.VM{
		SizeGiB: g.VMSizeGiB, DailyChangePercent: g.DailyChangePercent, SeededPercent: g.SeededPercent,
		Count: int(g.VMCount),
	}
	if g.VMSizesGiB == nil {
		t.VMs = []simulation.VM{vm}
	}
	for _, size := range g.VMSizesGiB {
		vm.SizeGiB, vm.Count = size, 1
		t.VMs = append(t.VMs, vm)
	}
	return t
}

// Count returns the number of VMs.
func (g Group) Count() float64 {
	if g.VMSizesGiB != nil {
		return float64(len(g.VMSizesGiB))
	}
	return g.VMCount
}

func (g Group) largestGiB() float64 {
	if g.VMSizesGiB != nil {
		return slices.Max(g.VMSizesGiB)
	}
	return g.VMSizeGiB
}

func (in ScheduleInput) options() simulation.Options {
	var o simulation.Options
	if in.Days != nil {
		o.Days = int(*in.Days)
	}
	if in.Runs != nil {
		o.Runs = int(*in.Runs)
	}
	return o
}

func (in ScheduleInput) result(a *simulation.Result) ScheduleResult {
	link := a.Links[0]
	r := ScheduleResult{
		Groups: map[string]Totals{}, DaysSimulated: int64(a.Days), RunsSimulated: int64(a.Runs), Converged: a.Converged,
		LinkUsePercent: link.UsePercent, PeakHourLinkUsePercent: link.BusiestHourPercent,
		RecoveredAfterMinutes: link.RecoveredAfterMinutes, InSyncAfterMinutes: a.InSyncAfterMinutes,
		DeadlineMet: a.DeadlineMet,
	}
	for _, h := range link.Hours {
		r.Hours = append(r.Hours, Hour{
			TransferredGiB: h.TransferredGiB, LinkUsePercent: h.UsePercent, ViolationMinutes: h.ViolationMinutes,
		})
	}
	r.Totals = totals(a.Figures, a.CompliancePercents)
	r.Verdict, r.WithinRPOPercent = a.Verdict, math.Inf(1)
	vmDays, alarms := 0.0, 0.0
	for i, name := range in.names() {
		t := &a.Tiers[i]
		g := in.Groups[name]
		of := totals(t.Figures, t.CompliancePercents)
		of.Verdict, of.WithinRPOPercent, of.LateVMCount = t.Verdict, t.WithinRPOPercent, int64(len(t.LateVMs))
		of.DecidedBy, of.DaysPerAlarm = g.decided(t), t.DaysPerAlarm
		of.VMLinkSharePercent, of.AloneRecoveryPointMinutes = in.alone(g)
		r.Groups[name] = of
		r.LateVMCount += of.LateVMCount
		if days := g.Count() * float64(a.Days*a.Runs); of.DaysPerAlarm != nil {
			alarms += days / *of.DaysPerAlarm
		}
		vmDays += g.Count() * float64(a.Days*a.Runs)
		if of.WithinRPOPercent < r.WithinRPOPercent {
			r.WithinRPOPercent, r.DecidedBy = of.WithinRPOPercent, ""
			if of.DecidedBy != "" {
				r.DecidedBy = name + ", " + of.DecidedBy
			}
		}
		in.find(&r, name, t)
	}
	if alarms > 0 {
		r.DaysPerAlarm = new(vmDays / alarms)
	}
	return r
}

func totals(f simulation.Figures, of []float64) Totals {
	return Totals{
		CompliancePercent: f.CompliancePercent, AllWithinRPOPercent: f.AllWithinRPOPercent, Violations: f.Violations,
		Alarms: f.Alarms, ViolationMinutes: f.ViolationMinutes, WorstRecoveryPointMinutes: f.WorstRecoveryPointMinutes,
		P95SyncSeconds: f.P95SyncSeconds, TransferredGiB: f.TransferredGiB, MeanCompliancePercent: simulation.Mean(of),
		P5CompliancePercent: simulation.Percentile(of, 0.05), P95CompliancePercent: simulation.Percentile(of, 0.95),
	}
}

func (g Group) decided(t *simulation.TierResult) string {
	if t.WithinRPOPercent == quantity.Percent {
		return ""
	}
	vm := fmt.Sprintf("VM %d", t.DecidedBy.VM+1)
	if g.VMSizesGiB != nil {
		vm += " of " + quantity.FromGiB(g.VMSizesGiB[t.DecidedBy.VM]).String()
	}
	return vm + ", " + t.DecidedBy.String()
}

// alone returns the share of the link that the group's largest VM uses, and the maximum age of its recovery points if
// no other VM uses the link.
func (in ScheduleInput) alone(g Group) (percent float64, minutes *float64) {
	rate := in.link().Mean()
	if in.PerSyncMbps != nil {
		rate = min(rate, *in.PerSyncMbps*quantity.BitsPerMbit)
	}
	gib := changerate.Linear(g.DailyChangePercent, g.largestGiB(), math.Inf(1)).At(g.RPOMinutes)
	if g.ChangeCurve != nil {
		gib = changerate.NewCurve(g.ChangeCurve, g.largestGiB()).At(g.RPOMinutes)
	}
	c := gib * quantity.BitsPerGiB / g.CompressionRatio / (g.RPOMinutes * quantity.SecondsPerMinute) / rate
	even := g.ChangeCurve == nil && g.HourlyWeights == nil && g.PeakFactor == nil && in.HourlyThroughputMbps == nil
	if even && g.OverheadSeconds+g.QuiesceSeconds == 0 && c < 1 {
		minutes = new(g.RPOMinutes * (1 + c) / (1 + simulation.PredictionFactor*c))
	}
	return c * quantity.Percent, minutes
}

func explain(in Input, r *Result) {
	delta, rpo := quantity.Duration(r.OngoingSyncSeconds).Ceil(), minutesText(in.RPOMinutes)
	half := quantity.Duration(in.RPOMinutes * quantity.SecondsPerMinute / 2)
	find := func(reason calculator.Reason, args ...any) {
		r.Findings = append(r.Findings, reason.Finding(args...))
	}
	if !r.MeetsRPO {
		find(reasonCycleExceedsRPO, delta, rpo)
	}
	if !r.ViolationFree {
		find(reasonCycleExceedsHalf, delta, half, quantity.Duration(2*r.OngoingSyncSeconds).Ceil())
	}
	if r.DailyLinkUsePercent > quantity.Percent {
		find(reasonDailyChangeOverLink, plan.Thousands(plan.Up.Round(r.DailyLinkUsePercent, 1), 1))
	}
	if in.OverheadSeconds > in.RPOMinutes*quantity.SecondsPerMinute/2 {
		find(reasonOverheadExceedsHalf, quantity.Duration(in.OverheadSeconds), half)
	}
	if r.DeadlineMet != nil && !*r.DeadlineMet {
		find(reasonDeadlineMissed, in.deadline(r)...)
	}
	if r.MinRPOMinutes == nil && in.PeakFactor != nil && in.ChangeCurve == nil {
		find(reasonRPODoesNotHelp, plan.Thousands(*in.PeakFactor, -1),
			plan.Thousands(plan.Down.Round(quantity.MinutesPerDay / *in.PeakFactor, 1), 1))
	}
	r.Findings = append(r.Findings, in.assumptions()...)
	r.Summary = summary(in, r, rpo)
	if r.DeadlineMet != nil && !*r.DeadlineMet {
		r.Summary += fmt.Sprintf(" The deadline of %s is missed.",
			quantity.Duration(*in.DeadlineHours*quantity.SecondsPerHour))
	}
}

// deadline returns the arguments of reasonDeadlineMissed: the time until all VMs are in sync, the deadline, and the
// remedies.
func (in Input) deadline(r *Result) []any {
	takes := "never catch up with their changes"
	if r.InitialSyncCaughtUpSeconds != nil {
		takes = "are in sync after " + quantity.Duration(*r.InitialSyncCaughtUpSeconds).Ceil()
	}
	var ways []string
	if mbps := in.smallestThroughput(Input.meetsDeadline); mbps != nil {
		ways = append(ways, "with "+quantity.CeilMbps(*mbps))
	}
	if *r.BatchVMCount > 0 {
		ways = append(ways, "by a batch of at most "+plan.Count(float64(*r.BatchVMCount), "VM"))
	}
	remedy := ""
	if len(ways) > 0 {
		remedy = " It is met " + strings.Join(ways, ", or ") + "."
	}
	return []any{takes, quantity.Duration(*in.DeadlineHours * quantity.SecondsPerHour), remedy}
}

func (in Input) assumptions() []plan.Finding {
	var found []plan.Finding
	if in.SeededPercent > 0 && in.ChecksumMbps == nil {
		found = append(found, reasonSeedCheckNotCounted.Finding(plan.Thousands(in.SeededPercent, -1)))
	}
	c := in.curve()
	if !(c.Covers(in.BusiestMinutes()) && c.Covers(in.RPOMinutes)) {
		found = append(found, reasonExtrapolated.Finding(ends(c)...))
	}
	if below, above, ok := c.Gap(in.BusiestMinutes(), in.RPOMinutes); ok {
		found = append(found, reasonCurveSparse.Finding(minutesText(below), minutesText(above),
			minutesText(math.Round(math.Sqrt(below*above)))))
	}
	if in.Mechanism == MechanismGroup {
		return append(found, reasonSchedulerUnknown.Finding())
	}
	if in.RPOMinutes < leastPlainRPOMinutes {
		found = append(found, reasonLowRPO.Finding(minutesText(in.RPOMinutes)))
	}
	return found
}

func minutesText(n float64) string {
	if n == 1 {
		return "1 minute"
	}
	return plan.Thousands(n, -1) + " minutes"
}

func summary(in Input, r *Result, rpo string) string {
	s := fmt.Sprintf("%s of %s %s %s. At %s", plan.Count(in.VMCount, "VM"), quantity.FromGiB(in.VMSizeGiB),
		isOrAre(in.VMCount), quantity.FromGiB(r.TotalGiB), quantity.FromMbps(in.ThroughputMbps))
	if in.EfficiencyPercent < quantity.Percent {
		s += fmt.Sprintf(", of which %s%% is usable", plan.Thousands(in.EfficiencyPercent, -1))
	}
	s += fmt.Sprintf("%s, the initial sync takes %s%s, and sending the %s that change in one cycle takes %s",
		in.limits(r), quantity.Duration(r.InitialSyncSeconds).Ceil(), in.band80(r), quantity.FromGiB(r.ChangedGiBPerCycle),
		quantity.Duration(r.OngoingSyncSeconds).Ceil())
	if r.ChangeAssumption == AssumeWholeDay {
		s += " if the change of a whole day falls into one cycle (peak_factor is not set)"
	}
	switch {
	case r.ViolationFree:
		return s + fmt.Sprintf(". This is within half the RPO of %s, so the RPO holds for steady change if nothing else "+
			"uses the link.", rpo)
	case r.MeetsRPO && r.ChangeAssumption != AssumeWholeDay:
		// Syncs that start earlier transfer less data, so the duration of a violation depends on when the syncs start.
		s += fmt.Sprintf(". This is within the RPO of %s, but not within half of it, so the RPO does not always hold.", rpo)
	case r.MeetsRPO:
		s += fmt.Sprintf(". This is within the RPO of %s, but not within half of it, so such a cycle violates the RPO for "+
			"%s.", rpo, quantity.Duration(2*r.OngoingSyncSeconds-in.RPOMinutes*quantity.SecondsPerMinute).Ceil())
	default:
		s += fmt.Sprintf(". This is longer than the RPO of %s.", rpo)
	}
	if r.MinRPOMinutes != nil {
		s += " The smallest RPO that holds for steady change is " + minutesText(float64(*r.MinRPOMinutes))
		if *r.MinRPOMinutes == leastPlainRPOMinutes && in.RPOMinutes >= leastPlainRPOMinutes {
			s += ", the minimum without enhanced replication"
		}
	} else {
		_, longest := in.rangeOfRPO()
		s += fmt.Sprintf(" No RPO up to %s holds", minutesText(float64(longest)))
	}
	if r.ThroughputViolationFreeMbps != nil {
		s += fmt.Sprintf(". An RPO of %s requires %s", rpo, quantity.CeilMbps(*r.ThroughputViolationFreeMbps))
	}
	return s + "."
}

func (in Input) band80(r *Result) string {
	switch {
	case r.InitialSyncSeconds90 != nil:
		return fmt.Sprintf(" (up to %s in 9 of 10 comparable transfers)",
			quantity.Duration(*r.InitialSyncSeconds90).Ceil())
	case r.InitialSyncSeconds80 != nil:
		return fmt.Sprintf(" (up to %s in 4 of 5 comparable transfers)",
			quantity.Duration(*r.InitialSyncSeconds80).Ceil())
	}
	return ""
}

func isOrAre(n float64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (in Input) limits(r *Result) string {
	rate, _ := in.rate()
	switch r.LimitedBy {
	case LimitedBySourceRead:
		return fmt.Sprintf(", limited to %s by the source storage", quantity.Rate(rate))
	case LimitedByTargetWrite:
		return fmt.Sprintf(", limited to %s by the target storage", quantity.Rate(rate))
	}
	return ""
}
