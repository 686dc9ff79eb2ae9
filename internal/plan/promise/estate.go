package promise

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

const hoursPerDay = calculator.HoursPerDay

// end selects the inputs of a simulation: asGiven, worseEnd, moving, or worseEnd and moving combined.
type end uint

const (
	asGiven end = 0
	// worseEnd uses the worse end of every range.
	worseEnd end = 1
	// moving reduces the throughput of the links by the share that migrations use.
	moving end = 2
)

func (p Plan) ends() []end {
	all := []end{asGiven}
	if p.ranged() {
		all = append(all, worseEnd)
	}
	if p.moves() {
		for _, e := range slices.Clone(all) {
			all = append(all, e|moving)
		}
	}
	return all
}

type capacity struct {
	// hours is the throughput for each hour of the day in Mbit/s. usable is the share of it that can be used.
	hours  [hoursPerDay]float64
	usable float64
	// perSync is the throughput of a single stream on a network, in Mbit/s; 0 without a network.
	perSync float64
	// worse is the usable share at the worse end divided by usable; 1 without ranges.
	worse float64
	// band is the factor by which the throughput is divided because of its basis; 0 for none.
	band float64
}

func (c capacity) mean() float64 {
	sum := 0.0
	for _, mbps := range c.hours {
		sum += mbps
	}
	return sum / hoursPerDay
}

func (l Link) capacity() capacity {
	c := capacity{usable: l.EfficiencyPercent / quantity.Percent, worse: 1}
	if l.Network != nil {
		r, _ := link.Throughput(*l.Network)
		c.hours = allDay(*r.ThroughputMbps)
		one := *l.Network
		one.Streams = 1
		alone, _ := link.Throughput(one)
		c.perSync = *alone.ThroughputMbps
		if r.ThroughputMbps80 != nil {
			c.worse = *r.ThroughputMbps80 / *r.ThroughputMbps
			c.band, _ = plan.BandFactors(l.Network.ThroughputBasis)
		}
		return c
	}
	if copy(c.hours[:], l.HourlyThroughputMbps); l.ThroughputMbps != nil {
		c.hours = allDay(*l.ThroughputMbps)
	}
	throughput, ranged := l.Ranges["throughput_mbps"]
	efficiency, also := l.Ranges["efficiency_percent"]
	if ranged {
		c.worse *= throughput.Low / *l.ThroughputMbps
	}
	if also {
		c.worse *= efficiency.Low / l.EfficiencyPercent
	}
	if ranged || also {
		return c
	}
	if c.band, _ = plan.BandFactors(l.ThroughputBasis); c.band == 0 {
		return c
	}
	c.worse = 1 / c.band
	if l.ThroughputBasis == plan.BasisNominal {
		c.worse *= min(l.EfficiencyPercent, plan.NominalEfficiencyPercent) / l.EfficiencyPercent
	}
	return c
}

func allDay(mbps float64) (hours [hoursPerDay]float64) {
	for h := range hours {
		hours[h] = mbps
	}
	return hours
}

func (p Plan) ranged() bool {
	for _, l := range p.Links {
		if len(l.Ranges) > 0 || l.capacity().worse != 1 {
			return true
		}
	}
	for _, t := range p.Tiers {
		if len(t.Ranges) > 0 {
			return true
		}
	}
	return false
}

func (t Tier) at(e end) Tier {
	if e&worseEnd == 0 || len(t.Ranges) == 0 {
		return t
	}
	if r, ok := t.Ranges["daily_change_percent"]; ok && len(t.VirtualMachines) > 0 {
		vms := make(map[string]VM, len(t.VirtualMachines))
		for name, vm := range t.VirtualMachines {
			if vm.DailyChangePercent != nil && *t.DailyChangePercent > 0 {
				vm.DailyChangePercent = new(*vm.DailyChangePercent * r.High / *t.DailyChangePercent)
			}
			vms[name] = vm
		}
		t.VirtualMachines = vms
	}
	for _, row := range tierNumbers() {
		if r, ok := t.Ranges[row.Name]; ok {
			row.Set(&t, row.Worse(r))
		}
	}
	return t
}

// vmNames returns the names of a tier's simulated VMs, in simulation order. It returns none if the VMs are identical.
func (t Tier) vmNames() []string {
	return slices.DeleteFunc(names(t.VirtualMachines), func(name string) bool {
		return t.VirtualMachines[name].SizeGiB == nil
	})
}

func (t Tier) vmName(index int) string {
	if t.VMCount != nil {
		return fmt.Sprintf("VM %d", index+1)
	}
	return t.vmNames()[index]
}

func (t Tier) change(vm VM) float64 {
	switch {
	case vm.DailyChangePercent != nil:
		return *vm.DailyChangePercent
	case t.DailyChangePercent != nil:
		return *t.DailyChangePercent
	}
	return 0
}

func (t Tier) vms() []simulation.VM {
	if t.VMCount != nil {
		if *t.VMCount == 0 {
			return nil
		}
		return []simulation.VM{{
			SizeGiB: *t.VMSizeGiB, DailyChangePercent: t.change(VM{}), SeededPercent: t.SeededPercent, Count: int(*t.VMCount),
		}}
	}
	var all []simulation.VM
	for _, name := range t.vmNames() {
		vm := t.VirtualMachines[name]
		one := simulation.VM{SizeGiB: *vm.SizeGiB, DailyChangePercent: t.change(vm), SeededPercent: t.SeededPercent, Count: 1}
		if vm.SeededPercent != nil {
			one.SeededPercent = *vm.SeededPercent
		}
		all = append(all, one)
	}
	return all
}

func (p Plan) linkOf(t Tier) string {
	if t.Link == "" && len(p.Links) == 1 {
		return names(p.Links)[0]
	}
	return t.Link
}

// simulated returns the sorted names of the tiers that have VMs of known size. The estate uses the same order.
func (p Plan) simulated() []string {
	return slices.DeleteFunc(names(p.Tiers), func(name string) bool {
		t := p.Tiers[name]
		return t.count() == 0 || (t.VMCount == nil && len(t.vmNames()) == 0)
	})
}

func (p Plan) estate(e end) simulation.Estate {
	all := simulation.Estate{JitterPercent: p.JitterPercent}
	if p.SourceReadMbps != nil {
		all.SourceReadRate = *p.SourceReadMbps * quantity.BitsPerMbit
	}
	links, targets := names(p.Links), names(p.Targets)
	for _, name := range links {
		all.Links = append(all.Links, p.simulatedLink(p.Links[name], e))
	}
	for _, name := range targets {
		t := p.Targets[name]
		one := simulation.Target{WriteFactor: t.WriteFactor}
		if t.WriteMbps != nil {
			one.WriteRate = *t.WriteMbps * quantity.BitsPerMbit
		}
		all.Targets = append(all.Targets, one)
	}
	for _, name := range p.simulated() {
		t := p.Tiers[name].at(e)
		on := p.linkOf(t)
		one := simulation.Tier{
			Name: name, Link: slices.Index(links, on), RPOMinutes: t.RPOMinutes,
			OverheadSeconds: t.OverheadSeconds + t.QuiesceSeconds, CompressionRatio: t.CompressionRatio, Curve: t.ChangeCurve,
			HourlyWeights: t.HourlyWeights, TargetPercent: t.TargetCompliancePercent, VMs: t.vms(),
		}
		if i := slices.Index(targets, t.Target); i >= 0 {
			one.Target = &i
		}
		if t.PeakFactor != nil {
			one.PeakFactor, one.PeakStartHour = *t.PeakFactor, t.PeakStartHour
		}
		one.PerSyncRate = p.perSync(t, e) * quantity.BitsPerMbit
		all.Tiers = append(all.Tiers, one)
	}
	return all
}

// perSync returns the maximum rate of one sync of a tier in Mbit/s: the tier's own limit, or otherwise the throughput
// of a single stream on the network of its link. It returns 0 for no limit.
func (p Plan) perSync(t Tier, e end) float64 {
	if t.PerSyncMbps != nil {
		return *t.PerSyncMbps
	}
	c := p.Links[p.linkOf(t)].capacity()
	if e&worseEnd != 0 {
		return c.perSync * c.worse
	}
	return c.perSync
}

func (p Plan) simulatedLink(l Link, e end) simulation.Link {
	c := l.capacity()
	usable := c.usable
	if l.Network != nil {
		usable = 1
	}
	outage := l.OutageMinutes
	if e&worseEnd != 0 {
		usable *= c.worse
		if r, ok := l.Ranges["outage_minutes"]; ok {
			outage = &r.High
		}
	}
	var one simulation.Link
	for h, mbps := range c.hours {
		one.HourlyRates[h] = mbps * quantity.BitsPerMbit * usable
		if e&moving != 0 && l.HourlyMovesPercent != nil { // keep the rate above 0
			least := min(one.HourlyRates[h], replication.RangeThroughputMbps.Min*quantity.BitsPerMbit)
			one.HourlyRates[h] = max(least, one.HourlyRates[h]*(1-l.HourlyMovesPercent[h]/quantity.Percent))
		}
	}
	if outage != nil {
		one.OutageFrom = l.OutageStartHours * quantity.SecondsPerHour
		one.OutageTo = one.OutageFrom + *outage*quantity.SecondsPerMinute
	}
	if p.MaxConcurrentSyncs != nil {
		one.MaxSyncs = int(*p.MaxConcurrentSyncs)
	}
	return one
}

func (p Plan) options() simulation.Options {
	var o simulation.Options
	if p.Days != nil {
		o.Days = int(*p.Days)
	}
	if p.Runs != nil {
		o.Runs = int(*p.Runs)
	}
	return o
}

// WithThroughput returns the plan with a different throughput for a link. The worse end of the throughput is scaled
// proportionally.
func (p Plan) WithThroughput(name string, mbps float64) Plan {
	l := p.Links[name]
	c := l.capacity()
	factor := mbps / c.mean()
	switch {
	case l.Network != nil:
		l = Link{
			EfficiencyPercent: quantity.Percent, OutageMinutes: l.OutageMinutes, OutageStartHours: l.OutageStartHours,
			ThroughputMbps: &mbps, Ranges: l.Ranges, HourlyMovesPercent: l.HourlyMovesPercent,
		}
		if c.worse != 1 {
			l.Ranges = with(l.Ranges, "throughput_mbps", calculator.Ends{Low: mbps * c.worse, High: mbps})
		}
		p = p.withPerSync(name)
	case l.ThroughputMbps != nil:
		l.ThroughputMbps = &mbps
		if r, ok := l.Ranges["throughput_mbps"]; ok {
			l.Ranges = with(l.Ranges, "throughput_mbps", calculator.Ends{Low: r.Low * factor, High: max(mbps, r.High*factor)})
		}
	default:
		l.HourlyThroughputMbps = slices.Clone(l.HourlyThroughputMbps)
		for h := range l.HourlyThroughputMbps {
			l.HourlyThroughputMbps[h] *= factor
		}
	}
	p.Links = with(p.Links, name, l)
	return p
}

// withPerSync returns the plan with per_sync_mbps of the link's tiers set to the throughput of a single network stream.
func (p Plan) withPerSync(name string) Plan {
	for _, tier := range names(p.Tiers) {
		t := p.Tiers[tier]
		if p.linkOf(t) != name || t.PerSyncMbps != nil {
			continue
		}
		likely, worse := p.perSync(t, asGiven), p.perSync(t, worseEnd)
		t.PerSyncMbps = &likely
		if worse != likely {
			t.Ranges = with(t.Ranges, "per_sync_mbps", calculator.Ends{Low: worse, High: likely})
		}
		p.Tiers = with(p.Tiers, tier, t)
	}
	return p
}

func (p Plan) withTier(name string, t Tier) Plan {
	p.Tiers = with(p.Tiers, name, t)
	return p
}

func with[V any](m map[string]V, key string, v V) map[string]V {
	changed := make(map[string]V, len(m)+1)
	maps.Copy(changed, m)
	changed[key] = v
	return changed
}

// changeMbps returns the mean change rate of a tier on the wire, and the change rate in its busiest RPO.
func (t Tier) changeMbps() (mean, busiest float64) {
	bits := 0.0
	for _, vm := range t.vms() {
		gib := vm.SizeGiB * vm.DailyChangePercent / quantity.Percent / quantity.MinutesPerDay * t.RPOMinutes
		if t.ChangeCurve != nil {
			gib = changerate.NewCurve(t.ChangeCurve, vm.SizeGiB).At(t.RPOMinutes)
		}
		bits += float64(vm.Count) * gib * quantity.BitsPerGiB
	}
	mean = bits / t.CompressionRatio / (t.RPOMinutes * quantity.SecondsPerMinute) / quantity.BitsPerMbit
	peak := 1.0
	if t.PeakFactor != nil {
		peak = min(*t.PeakFactor, quantity.MinutesPerDay/t.RPOMinutes)
	} else if t.HourlyWeights != nil {
		peak, _ = replication.Peak(t.HourlyWeights, t.RPOMinutes)
	}
	return mean, mean * peak
}
