package promise

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// WithThroughput returns the plan with a different throughput for a link. The worse end of the throughput is scaled
// proportionally.
func (p Plan) WithThroughput(name string, mbps float64) Plan {
	l := p.Links[name].withMeasured()
	l.measurement, l.MaxAgeDays = nil, LinkDefaults().MaxAgeDays
	if l.Network != nil {
		l = l.withBasis(plan.BasisNominal) // whose worse end the throughput that replaces it cannot determine
		p.Links = withValue(p.Links, name, l)
	}
	c := l.capacity()
	factor := mbps / c.mean()
	switch {
	case l.Network != nil:
		l = Link{
			EfficiencyPercent:  quantity.Percent,
			OutageMinutes:      l.OutageMinutes,
			OutageStartHours:   l.OutageStartHours,
			ThroughputMbps:     &mbps,
			Ranges:             l.Ranges,
			HourlyMovesPercent: l.HourlyMovesPercent,
			MaxAgeDays:         l.MaxAgeDays,
		}
		if c.worseShare != 1 {
			l.Ranges = withValue(l.Ranges, "throughput_mbps", calculator.Ends{Low: mbps * c.worseShare, High: mbps})
		}
		p = p.withPerSync(name)
	case l.ThroughputMbps != nil:
		l.ThroughputMbps = &mbps
		if r, ok := l.Ranges["throughput_mbps"]; ok {
			l.Ranges = withValue(l.Ranges, "throughput_mbps", calculator.Ends{
				Low:  r.Low * factor,
				High: max(mbps, r.High*factor),
			})
		}
	default:
		l.HourlyThroughputMbps = slices.Clone(l.HourlyThroughputMbps)
		for h := range l.HourlyThroughputMbps {
			l.HourlyThroughputMbps[h] *= factor
		}
	}
	p.Links = withValue(p.Links, name, l)
	return p
}

func (p Plan) withPerSync(name string) Plan {
	for _, tier := range names(p.Tiers) {
		t := p.Tiers[tier]
		likely, worse := p.perSyncMbps(t, asGiven), p.perSyncMbps(t, worseEnd)
		if p.linkOf(t) != name || t.PerSyncMbps != nil || likely == 0 {
			continue
		}
		t.PerSyncMbps = &likely
		if worse != likely {
			t.Ranges = withValue(t.Ranges, "per_sync_mbps", calculator.Ends{Low: worse, High: likely})
		}
		p.Tiers = withValue(p.Tiers, tier, t)
	}
	return p
}
