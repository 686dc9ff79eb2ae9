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
	if l.Network != nil {
		return l.networkCapacity()
	}
	c := capacity{usableShare: l.usableShare(), worseShare: l.worseShare()}
	copy(c.hourlyMbps[:], l.HourlyThroughputMbps)
	if l.ThroughputMbps != nil {
		c.hourlyMbps = allDay(*l.ThroughputMbps)
	}
	return c
}

func (l Link) usableShare() float64 { return l.EfficiencyPercent / quantity.Percent }

// networkCapacity returns the capacity that the network of a link allows. link.Throughput cannot fail here, because the
// inputs of the network have been checked.
func (l Link) networkCapacity() capacity {
	r, _ := link.Throughput(*l.Network)
	c := capacity{
		hourlyMbps:  allDay(*r.ThroughputMbps),
		usableShare: l.usableShare(),
		worseShare:  networkWorseShare(*l.Network, r),
	}
	single := *l.Network
	single.Streams, single.BandwidthMbps = 1, link.RangeBandwidthMbps.Max
	stream, _ := link.Throughput(single)
	if stream.LimitedBy != link.LimitedByBandwidth {
		c.streamMbps = *stream.ThroughputMbps
	}
	return c
}

func networkWorseShare(network link.Input, r link.Result) float64 {
	factor, _ := plan.BandFactors(network.ThroughputBasis)
	if factor == 0 {
		return 1
	}
	if r.ThroughputMbps80 != nil {
		return *r.ThroughputMbps80 / *r.ThroughputMbps
	}
	// No band is published for streams that fill queues or lose packets.
	if network.ThroughputBasis == plan.BasisNominal {
		network.EfficiencyPercent = min(network.EfficiencyPercent, plan.NominalEfficiencyPercent)
	}
	low, _ := link.Throughput(network)
	return *low.ThroughputMbps / *r.ThroughputMbps / factor
}

// worseShare returns the worse share of a link whose throughput is an input. Ranges take precedence over the basis of
// the throughput.
func (l Link) worseShare() float64 {
	throughput, hasThroughput := l.Ranges["throughput_mbps"]
	efficiency, hasEfficiency := l.Ranges["efficiency_percent"]
	share := 1.0
	if hasThroughput {
		share *= throughput.Low / *l.ThroughputMbps
	}
	if hasEfficiency {
		share *= efficiency.Low / l.EfficiencyPercent
	}
	if hasThroughput || hasEfficiency {
		return share
	}
	factor, _ := plan.BandFactors(l.ThroughputBasis)
	if factor == 0 {
		return 1
	}
	return nominalShare(l.ThroughputBasis, l.EfficiencyPercent) / factor
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
