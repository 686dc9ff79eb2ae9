package simulation

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Figures contains the results for a set of VMs in the first run.
type Figures struct {
	// CompliancePercent is the share of VM time during which the newest recovery point is within the RPO.
	// AllWithinRPOPercent is the share of time during which every VM is within its RPO.
	CompliancePercent, AllWithinRPOPercent float64
	// Violations is the number of violations of more than one second; Alarms is the number of violations of at least one
	// minute. ViolationMinutes is the total duration of the violations over all VMs.
	Violations, Alarms int64
	ViolationMinutes   float64
	// WorstRecoveryPointMinutes is the maximum age that any VM's newest recovery point reaches in the first run and in the
	// runs on which the verdict is based.
	WorstRecoveryPointMinutes float64
	// P95SyncSeconds is the 95th percentile of sync durations; nil if no sync is complete.
	P95SyncSeconds *float64
	// TransferredGiB is the amount of data sent by the end of the run, in GiB on the wire.
	TransferredGiB float64
}

// Hour contains the results for a link in one hour of the run.
type Hour struct {
	// TransferredGiB is the amount of data sent, in GiB on the wire. UsePercent is the utilization of the link, or 0 if
	// the link has no capacity in this hour.
	TransferredGiB, UsePercent float64
	// ViolationMinutes is the total time that VMs spend in violation.
	ViolationMinutes float64
}

// LinkUtilization is the utilization of a link in the first run.
type LinkUtilization struct {
	// UsePercent is the mean utilization. BusiestHourPercent is the utilization in the busiest hour.
	UsePercent, BusiestHourPercent float64
	// Hours contains all hours of the run, from midnight of the first day.
	Hours []Hour
	// RecoveredAfterMinutes is the time from the end of the outage until every VM on the link is within its RPO. It is nil
	// if there is no outage or if the run ends earlier.
	RecoveredAfterMinutes *float64
}

// TargetUtilization is the utilization of a target in the first run.
type TargetUtilization struct {
	// BusiestHourPercent is the utilization of the write rate in the busiest hour; nil if the write rate is unlimited.
	BusiestHourPercent *float64
}

func (s *simulation) result() Result {
	a := Result{Days: s.day, Converged: !slices.Contains(s.converged, false)}
	s.addUnfinished()
	s.closeViolations()
	all := s.total()
	var durations [][]float64
	for _, ts := range s.tiers {
		t := TierResult{Figures: ts.figures(ts.days[:s.day], ts.durations)}
		if ts.longestInterval > 0 {
			t.CurveFromMinutes, t.CurveToMinutes = ts.shortestInterval, ts.longestInterval
		}
		t.InSyncAfterMinutes = s.inSyncMinutes(ts)
		a.Tiers = append(a.Tiers, t)
		all.sentBits += ts.sentBits
		durations = append(durations, ts.durations)
	}
	if a.Figures = a.Tiers[0].Figures; len(s.tiers) > 1 {
		a.Figures = all.figures(all.days, durations...)
	}
	for i := range s.links {
		a.Links = append(a.Links, s.linkUtilization(i))
	}
	for i, t := range s.estate.Targets {
		a.Targets = append(a.Targets, s.targetUtilization(i, t))
	}
	a.InSyncAfterMinutes = s.inSyncMinutes(s.tiers...)
	return a
}

func (s *simulation) inSyncMinutes(flows ...*tierState) *float64 {
	if !s.estate.ColdStart {
		return nil
	}
	t, over := s.inSyncAt(flows...)
	if !over {
		return nil
	}
	return new(t / quantity.SecondsPerMinute)
}

func (s *simulation) total() *tierState {
	all := &tierState{days: make([]day, s.day)}
	for _, ts := range s.tiers {
		all.lateSpans = union(all.lateSpans, ts.lateSpans)
		all.vmCount += ts.vmCount
		all.violations += ts.violations
		all.alarms += ts.alarms
		for i, d := range ts.days[:s.day] {
			all.days[i].late += d.late
			all.days[i].oldest = max(all.days[i].oldest, d.oldest)
		}
	}
	return all
}

func (s *simulation) addUnfinished() {
	for i := range s.classes {
		c := &s.classes[i]
		for c.users.count > 0 {
			e := c.users.first
			c.users.removeFirst()
			r := &s.replicas[e.id]
			r.tier.sentBits += r.syncBits - max(0, e.key-c.virtual)
		}
	}
}

func (s *simulation) closeViolations() {
	for i := range s.replicas {
		if r := &s.replicas[i]; r.violationStart != onTime && r.countedSeconds > 0 {
			s.recordSpan(r)
		}
	}
}

func (s *simulation) linkUtilization(link int) LinkUtilization {
	var u LinkUtilization
	sums := s.capacities[link].sent
	possible := make([]float64, len(sums))
	from, carried, sent := 0.0, 0.0, 0.0
	for _, part := range s.segments[:s.segmentIndex] {
		possible[part.hour] += part.rates[link] * (part.end - from)
		from = part.end
	}
	for h, bits := range sums[:s.day*HoursPerDay] {
		carried += possible[h]
		sent += bits
		hour := Hour{
			TransferredGiB:   bits / quantity.BitsPerGiB,
			ViolationMinutes: s.links[link].late[h] / quantity.SecondsPerMinute,
		}
		if possible[h] > 0 {
			hour.UsePercent = min(quantity.Percent, bits/possible[h]*quantity.Percent)
			u.BusiestHourPercent = max(u.BusiestHourPercent, hour.UsePercent)
		}
		u.Hours = append(u.Hours, hour)
	}
	if carried > 0 {
		u.UsePercent = min(quantity.Percent, sent/carried*quantity.Percent)
	}
	if s.estate.Links[link].hasOutage() {
		if t, over := s.recoveredAt(link); over {
			u.RecoveredAfterMinutes = new((t - s.estate.Links[link].OutageTo) / quantity.SecondsPerMinute)
		}
	}
	return u
}

func (s *simulation) targetUtilization(target int, t Target) TargetUtilization {
	if t.WriteRate == 0 {
		return TargetUtilization{}
	}
	part := slices.Max(s.capacities[len(s.estate.Links)+target].sent) / (t.WriteRate * quantity.SecondsPerHour)
	return TargetUtilization{BusiestHourPercent: new(min(quantity.Percent, part*quantity.Percent))}
}

func (ts *tierState) figures(days []day, durations ...[]float64) Figures {
	return Figures{
		CompliancePercent:   ts.compliance(days),
		AllWithinRPOPercent: compliance(ts.lateSpans.total(), float64(len(days))*quantity.SecondsPerDay),
		Violations:          ts.violations, Alarms: ts.alarms, ViolationMinutes: late(days) / quantity.SecondsPerMinute,
		WorstRecoveryPointMinutes: oldest(days) / quantity.SecondsPerMinute, P95SyncSeconds: p95(durations...),
		TransferredGiB: ts.sentBits / quantity.BitsPerGiB,
	}
}

// p95 returns the nearest-rank 95th percentile of non-negative values, or nil if there are no values. It compares
// values by their bit patterns, which have the same order, and determines 16 bits at a time, starting with the most
// significant bits.
func p95(lists ...[]float64) *float64 {
	const digit = 16
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n == 0 {
		return nil
	}
	rank := int(math.Ceil(0.95 * float64(n)))
	counts := make([]int, 1<<digit)
	prefix, known := uint64(0), uint64(0)
	for shift := 64 - digit; shift >= 0; shift -= digit {
		clear(counts)
		for _, list := range lists {
			for _, v := range list {
				if b := math.Float64bits(v); b&known == prefix {
					counts[b>>shift&(1<<digit-1)]++
				}
			}
		}
		var d uint64
		for ; rank > counts[d]; d++ {
			rank -= counts[d]
		}
		prefix |= d << shift
		known |= (1<<digit - 1) << shift
	}
	v := math.Float64frombits(prefix)
	return &v
}
