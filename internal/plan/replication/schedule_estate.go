package replication

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (in ScheduleInput) names() []string { return slices.Sorted(maps.Keys(in.Groups)) }

// estate returns the groups as tiers on one link, with one target if its write rate is limited.
func (in ScheduleInput) estate() simulation.Estate {
	bits := func(mbps *float64) float64 {
		if mbps == nil {
			return 0
		}
		return *mbps * quantity.BitsPerMbit
	}
	e := simulation.Estate{
		SourceRead: bits(in.SourceReadMbps), Checksum: bits(in.ChecksumMbps), ColdStart: !in.StartInSync,
		StartTogether: in.StartTogether, JitterPercent: in.JitterPercent,
	}
	if in.DeadlineHours != nil {
		e.DeadlineHours = *in.DeadlineHours
	}
	var target *int
	if in.TargetWriteMbps != nil {
		e.Targets = []simulation.Target{{Write: bits(in.TargetWriteMbps), WriteFactor: in.TargetWriteFactor}}
		target = new(0)
	}
	e.Links = []simulation.Link{in.link()}
	for _, name := range in.names() {
		t := in.Groups[name].tier(name)
		t.Target, t.PerSync, t.TargetPercent = target, bits(in.PerSyncMbps), in.TargetCompliancePercent
		e.Tiers = append(e.Tiers, t)
	}
	return e
}

func (in ScheduleInput) link() simulation.Link {
	var l simulation.Link
	for h := range l.Hourly {
		if in.ThroughputMbps != nil {
			l.Hourly[h] = *in.ThroughputMbps
		} else {
			l.Hourly[h] = in.HourlyThroughputMbps[h]
		}
		l.Hourly[h] = l.Hourly[h] * quantity.BitsPerMbit * in.EfficiencyPercent / quantity.Percent
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

func (in ScheduleInput) result(a *simulation.Answer) ScheduleResult {
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
		P95SyncSeconds: f.P95SyncSeconds, TransferredGiB: f.TransferredGiB,
		MeanCompliancePercent: simulation.Mean(of), P5CompliancePercent: simulation.Rank(of, 0.05),
		P95CompliancePercent: simulation.Rank(of, 0.95),
	}
}

// decided returns the VM, run and half that decided; empty if every VM is always within its RPO.
func (g Group) decided(t *simulation.TierAnswer) string {
	if t.WithinRPOPercent == quantity.Percent {
		return ""
	}
	vm := fmt.Sprintf("VM %d", t.DecidedBy.VM+1)
	if g.VMSizesGiB != nil {
		vm += " of " + quantity.FromGiB(g.VMSizesGiB[t.DecidedBy.VM]).String()
	}
	return vm + ", " + t.DecidedBy.String()
}

// alone returns the share of the link that the largest VM of a group uses, and the age of its recovery points if it
// is alone.
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
