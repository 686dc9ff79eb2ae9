package promise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const hoursPerDay = calculator.HoursPerDay

// variant selects the inputs of a simulation: asGiven, worseEnd, whileMoving, or worseEnd and whileMoving combined.
type variant uint

const (
	asGiven variant = 0
	// worseEnd uses the worse end of every range.
	worseEnd variant = 1
	// whileMoving reduces the throughput of the links by the share that migrations use.
	whileMoving variant = 2
)

func (p Plan) variants() []variant {
	all := []variant{asGiven}
	if p.hasRanges() {
		all = append(all, worseEnd)
	}
	if p.hasMoves() {
		for _, v := range slices.Clone(all) {
			all = append(all, v|whileMoving)
		}
	}
	return all
}

func (p Plan) hasRanges() bool {
	for _, l := range p.Links {
		if len(l.Ranges) > 0 || l.capacity().worseShare != 1 {
			return true
		}
	}
	for _, t := range p.Tiers {
		if len(t.Ranges) > 0 || t.worseStartHour != nil {
			return true
		}
	}
	return false
}

func (t Tier) inVariant(v variant) Tier {
	if v&worseEnd == 0 {
		return t
	}
	t.PeakStartHour = cmp.Or(t.PeakStartHour, t.worseStartHour)
	ranges := t.Ranges
	if r, ok := ranges[inputChange]; ok && *t.DailyChangePercent > 0 {
		t = t.withChange(r.High / *t.DailyChangePercent)
	}
	for _, row := range tierNumbers() {
		if r, ok := ranges[row.Name]; ok {
			row.Set(&t, row.Worse(r))
		}
	}
	return t
}

// withChange returns the tier with the daily changes and their range multiplied by a factor.
func (t Tier) withChange(factor float64) Tier {
	if t.DailyChangePercent != nil {
		t.DailyChangePercent = new(*t.DailyChangePercent * factor)
	}
	if r, ok := t.Ranges[inputChange]; ok {
		t.Ranges = withValue(t.Ranges, inputChange, calculator.Ends{Low: r.Low * factor, High: r.High * factor})
	}
	t.VirtualMachines = maps.Clone(t.VirtualMachines)
	for name, vm := range t.VirtualMachines {
		if vm.DailyChangePercent != nil {
			vm.DailyChangePercent = new(*vm.DailyChangePercent * factor)
			t.VirtualMachines[name] = vm
		}
	}
	return t
}

// vmNames returns the names of a tier's VMs of known size, in simulation order. It returns none if the VMs are
// identical.
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

func (t Tier) dailyChangePercent(vm VM) float64 {
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
			SizeGiB:            *t.VMSizeGiB,
			DailyChangePercent: t.dailyChangePercent(VM{}),
			SeededPercent:      t.SeededPercent,
			Count:              int(*t.VMCount),
		}}
	}
	var all []simulation.VM
	for _, name := range t.vmNames() {
		vm := t.VirtualMachines[name]
		one := simulation.VM{
			SizeGiB:            *vm.SizeGiB,
			DailyChangePercent: t.dailyChangePercent(vm),
			SeededPercent:      t.SeededPercent,
			Count:              1,
		}
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

func (p Plan) estate(v variant) simulation.Estate {
	all := simulation.Estate{
		JitterPercent:  p.JitterPercent,
		SourceReadRate: quantity.BitsPerSecond(p.SourceReadMbps),
		ChecksumRate:   quantity.BitsPerSecond(p.ChecksumMbps),
	}
	links, targets := names(p.Links), names(p.Targets)
	for _, name := range links {
		all.Links = append(all.Links, p.simulatedLink(p.Links[name], v))
	}
	for _, name := range targets {
		t := p.Targets[name]
		all.Targets = append(all.Targets, simulation.Target{
			WriteRate:   quantity.BitsPerSecond(t.WriteMbps),
			WriteFactor: t.WriteFactor,
		})
	}
	for _, name := range p.simulated() {
		t := p.Tiers[name].inVariant(v)
		on := p.linkOf(t)
		one := simulation.Tier{
			Name:              name,
			Link:              slices.Index(links, on),
			PromisedMinutes:   t.RPOMinutes,
			ConfiguredMinutes: t.RPOMinutes,
			OverheadSeconds:   t.OverheadSeconds + t.QuiesceSeconds,
			CompressionRatio:  t.CompressionRatio,
			Curve:             t.ChangeCurve,
			HourlyWeights:     t.HourlyWeights,
			VMs:               t.vms(),
		}
		if i := slices.Index(targets, t.Target); i >= 0 {
			one.Target = &i
		}
		if t.PeakFactor != nil {
			one.PeakFactor = *t.PeakFactor
			one.PeakStartHour = *cmp.Or(t.PeakStartHour, new(float64(LikelyPeakStartHour)))
		}
		one.PerSyncRate = p.perSyncMbps(t, v) * quantity.BitsPerMbit
		all.Tiers = append(all.Tiers, one)
	}
	return all
}

// perSyncMbps returns the maximum rate of one sync of a tier in Mbit/s: the tier's own limit, or otherwise the
// throughput of a single stream on the network of its link. It returns 0 for no limit.
func (p Plan) perSyncMbps(t Tier, v variant) float64 {
	if t.PerSyncMbps != nil {
		return *t.PerSyncMbps
	}
	c := p.Links[p.linkOf(t)].capacity()
	if v&worseEnd != 0 {
		return c.streamMbps * c.worseShare
	}
	return c.streamMbps
}

func (p Plan) simulatedLink(l Link, v variant) simulation.Link {
	c := l.capacity()
	usable := c.usableShare
	if l.Network != nil {
		usable = 1
	}
	outage := l.OutageMinutes
	if v&worseEnd != 0 {
		usable *= c.worseShare
		if r, ok := l.Ranges["outage_minutes"]; ok {
			outage = &r.High
		}
	}
	var one simulation.Link
	for h, mbps := range c.hourlyMbps {
		one.HourlyRates[h] = mbps * quantity.BitsPerMbit * usable
		if v&whileMoving != 0 && l.HourlyMovesPercent != nil {
			one.HourlyRates[h] *= 1 - l.HourlyMovesPercent[h]/quantity.Percent
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

func (p Plan) withTier(name string, t Tier) Plan {
	p.Tiers = withValue(p.Tiers, name, t)
	return p
}

func withValue[V any](m map[string]V, key string, v V) map[string]V {
	changed := make(map[string]V, len(m)+1)
	maps.Copy(changed, m)
	changed[key] = v
	return changed
}
