// What a schedule comes to when the link is slower than it should be, and when data grows.

package replication

import "math"

// Where a throughput is from.
const (
	// BasisTransfer: the rate of whole transfers of this kind was measured: past syncs, a calibration.
	BasisTransfer = "transfer"
	// BasisNetwork: the network was measured, by iperf and the like.
	BasisNetwork = "network"
	// BasisNominal: the rate of a line.
	BasisNominal = "nominal"
)

// By how much 4 of 5, and 9 of 10, published transfers took longer than calculated, at most: docs/validation.md.
const (
	transferSlower80, transferSlower90 = 1.14, 1.32
	nominalSlower80                    = 1.87
	// mostNominalPercent is the usable part of a nominal rate at most.
	mostNominalPercent = 70
)

// band fills what a slower link comes to, in runs as long as the first one. Nothing is known about a throughput whose
// basis is not, about a measured network, and about change curves.
func (in ScheduleInput) band(r *ScheduleResult, w workers) {
	slower := map[string][]float64{BasisTransfer: {transferSlower80, transferSlower90}, BasisNominal: {nominalSlower80}}
	if in.ThroughputBasis == BasisNominal {
		in.EfficiencyPercent = min(in.EfficiencyPercent, mostNominalPercent)
	}
	for _, g := range in.Groups {
		if g.ChangeCurve != nil {
			return
		}
	}
	factors := slower[in.ThroughputBasis]
	found := make([]ScheduleResult, len(factors))
	w.each(len(factors), func(i int) {
		s := newSimulation(in.slowed(factors[i]), int(r.DaysSimulated), 1, false)
		s.run(int(r.DaysSimulated))
		all := s.together()
		found[i].CompliancePercent = all.compliance(all.days)
		s.moments(&found[i])
	})
	for i := range found {
		if i == 0 {
			r.CompliancePercent80, r.InSyncAfterMinutes80 = &found[i].CompliancePercent, found[i].InSyncAfterMinutes
		} else {
			r.CompliancePercent90, r.InSyncAfterMinutes90 = &found[i].CompliancePercent, found[i].InSyncAfterMinutes
		}
	}
}

// slowed returns the input with every rate divided.
func (in ScheduleInput) slowed(by float64) ScheduleInput {
	in = in.scaled(1 / by)
	for _, rate := range []**float64{&in.PerSyncMbps, &in.ChecksumMbps} {
		if *rate != nil {
			*rate = new(**rate / by)
		}
	}
	return in
}

// grow fills the first months in which growth makes the verdict worse.
func (in ScheduleInput) grow(r *ScheduleResult, w workers) {
	if in.GrowthPercentPerYear == nil {
		return
	}
	verdicts := map[int64]string{0: r.Verdict}
	becomes := func(verdict string) *int64 {
		return firstMonth(int64(in.HorizonMonths), func(month int64) bool {
			if _, known := verdicts[month]; !known {
				p := in.grown(month).play(w, false)
				verdicts[month] = p.verdict()
			}
			return worse(verdicts[month], verdict) == verdicts[month]
		})
	}
	r.MonthsUntilAtRisk, r.MonthsUntilMiss = becomes(VerdictAtRisk), becomes(VerdictMisses)
}

// firstMonth returns the first month that fails; nil if the horizon does not. Verdicts do not always get worse from one
// month to the next: it bisects, and then tests the three months before.
func firstMonth(horizon int64, fails func(month int64) bool) *int64 {
	const before = 3
	holding, failing := int64(0), horizon
	switch {
	case fails(0):
		return new(int64)
	case !fails(horizon):
		return nil
	}
	for failing-holding > 1 {
		if middle := (holding + failing) / 2; fails(middle) {
			failing = middle
		} else {
			holding = middle
		}
	}
	first := failing
	for month := failing - 1; month >= max(1, failing-before); month-- {
		if fails(month) {
			first = month
		}
	}
	return &first
}

// grown returns the input after so many months: data, and with it its change, times (1 + growth)^(months / 12).
func (in ScheduleInput) grown(months int64) ScheduleInput {
	factor := math.Pow(1+*in.GrowthPercentPerYear/percent, float64(months)/monthsPerYear)
	groups := make(map[string]Group, len(in.Groups))
	for name, g := range in.Groups {
		g.VMSizeGiB *= factor
		if g.ChangeCurve != nil {
			curve := make(map[float64]float64, len(g.ChangeCurve))
			for minutes, gib := range g.ChangeCurve {
				curve[minutes] = gib * factor
			}
			g.ChangeCurve = curve
		}
		groups[name] = g
	}
	in.Groups = groups
	return in
}
