package promise

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
)

type capacity struct {
	// hourlyMbps is the throughput in Mbit/s for each hour of the day. usableShare is the share of the throughput that
	// is usable.
	hourlyMbps  [hoursPerDay]float64
	usableShare float64
	// streamMbps is the throughput in Mbit/s of a single stream on a network at any bandwidth; 0 for no limit.
	streamMbps float64
	// worseShare is the usable throughput at the worse end divided by the usable throughput with the inputs as given; 1
	// if the throughput has no worse end.
	worseShare float64
}

// worseUsable returns the usable share of the throughput at the worse end.
func (c capacity) worseUsable() float64 { return c.usableShare * c.worseShare }

func (c capacity) mean() float64 {
	sum := 0.0
	for _, mbps := range c.hourlyMbps {
		sum += mbps
	}
	return sum / hoursPerDay
}

func (l Link) capacity() capacity {
	l = l.withMeasured()
	c := capacity{usableShare: l.EfficiencyPercent / quantity.Percent, worseShare: 1}
	if l.Network != nil {
		r, _ := link.Throughput(*l.Network)
		c.hourlyMbps = allDay(*r.ThroughputMbps)
		one := *l.Network
		one.Streams, one.BandwidthMbps = 1, link.RangeBandwidthMbps.Max
		if alone, _ := link.Throughput(one); alone.LimitedBy != link.LimitedByBandwidth {
			c.streamMbps = *alone.ThroughputMbps
		}
		factor, _ := plan.BandFactors(l.Network.ThroughputBasis)
		switch {
		case factor == 0:
		case r.ThroughputMbps80 != nil:
			c.worseShare = *r.ThroughputMbps80 / *r.ThroughputMbps
		default: // no band is published for streams that fill queues or lose packets
			nominal := *l.Network
			if nominal.ThroughputBasis == plan.BasisNominal {
				nominal.EfficiencyPercent = min(nominal.EfficiencyPercent, plan.NominalEfficiencyPercent)
			}
			low, _ := link.Throughput(nominal)
			c.worseShare = *low.ThroughputMbps / *r.ThroughputMbps / factor
		}
		return c
	}
	if copy(c.hourlyMbps[:], l.HourlyThroughputMbps); l.ThroughputMbps != nil {
		c.hourlyMbps = allDay(*l.ThroughputMbps)
	}
	throughput, ranged := l.Ranges["throughput_mbps"]
	efficiency, also := l.Ranges["efficiency_percent"]
	if ranged {
		c.worseShare *= throughput.Low / *l.ThroughputMbps
	}
	if also {
		c.worseShare *= efficiency.Low / l.EfficiencyPercent
	}
	if ranged || also {
		return c
	}
	if factor, _ := plan.BandFactors(l.ThroughputBasis); factor > 0 {
		c.worseShare = nominalShare(l.ThroughputBasis, l.EfficiencyPercent) / factor
	}
	return c
}

// nominalShare returns the share of the usable throughput that remains at the efficiency to which a nominal rate is
// limited; 1 for other bases.
func nominalShare(basis string, efficiencyPercent float64) float64 {
	if basis != plan.BasisNominal {
		return 1
	}
	return min(efficiencyPercent, plan.NominalEfficiencyPercent) / efficiencyPercent
}

func allDay(mbps float64) (hours [hoursPerDay]float64) {
	for h := range hours {
		hours[h] = mbps
	}
	return hours
}
