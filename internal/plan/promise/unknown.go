package promise

import (
	"slices"

	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/replication"
)

type unknown struct {
	// sizeless are the VMs of unknown size, twice the VMs that are also in another tier.
	sizeless, twice []string
	// others are the tiers on the same link or target with an unknown load.
	others []string
	// empty reports that the tier has no VMs.
	empty bool
}

// unknown returns the tiers that cannot be judged: without VMs, with a VM of unknown size or in two tiers, and tiers
// that share a link or a target with a VM of unknown size.
func (p Plan) unknown() map[string]unknown {
	all := make(map[string]unknown)
	tiersOf := make(map[string]int)
	var sizeless []string
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		for vm := range t.VirtualMachines {
			tiersOf[vm]++
		}
		if len(t.vmNames()) < len(t.VirtualMachines) {
			sizeless = append(sizeless, name)
		}
	}
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		u := t.unknown(tiersOf)
		for _, other := range sizeless {
			if other != name && p.together(t, p.Tiers[other]) {
				u.others = append(u.others, other)
			}
		}
		if u.empty || len(u.sizeless)+len(u.twice)+len(u.others) > 0 {
			all[name] = u
		}
	}
	return all
}

// unknown returns the reasons of a single tier; tiersOf is the number of tiers by VM.
func (t Tier) unknown(tiersOf map[string]int) unknown {
	u := unknown{empty: t.count() == 0}
	for _, vm := range names(t.VirtualMachines) {
		if t.VirtualMachines[vm].SizeGiB == nil {
			u.sizeless = append(u.sizeless, vm)
		}
		if tiersOf[vm] > 1 {
			u.twice = append(u.twice, vm)
		}
	}
	return u
}

func (p Plan) together(a, b Tier) bool {
	return p.linkOf(a) == p.linkOf(b) || (a.Target != "" && a.Target == b.Target)
}

const (
	productReplication = "vsphere_replication"
	// quiescedMinutes is the smallest RPO with quiescing that vSphere Replication supports.
	quiescedMinutes = 15
	// frequentMinutes is the RPO with a separate limit on the number of replications.
	frequentMinutes = 5
)

func maxima() (version string, figures map[string]float64) {
	versions := limits.Versions(productReplication)
	version = versions[len(versions)-1]
	r, err := limits.Check(limits.Input{Product: productReplication, Version: version})
	if err != nil {
		return version, nil
	}
	return version, r.Limits
}

func (t Tier) replicated() bool { return t.Mechanism != replication.MechanismGroup }

func (p Plan) replicas(is func(Tier) bool) float64 {
	n := 0
	for _, t := range p.Tiers {
		if t.replicated() && is(t) {
			n += t.count()
		}
	}
	return float64(n)
}

func (t Tier) frequent() bool { return t.RPOMinutes <= frequentMinutes }

func (t Tier) quiescedTooOften() bool { return t.QuiesceSeconds > 0 && t.RPOMinutes < quiescedMinutes }

func (p Plan) exceeded(name string) []string {
	t := p.Tiers[name]
	if !t.replicated() {
		return nil
	}
	_, figures := maxima()
	var codes []string
	if t.frequent() && p.replicas(Tier.frequent) > figures["replications_at_min_rpo"] {
		codes = append(codes, reasonAbove500.Code)
	}
	if p.replicas(func(Tier) bool { return true }) > figures["replications"] {
		codes = append(codes, reasonAppliance.Code)
	}
	if t.quiescedTooOften() {
		codes = append(codes, reasonQuiesced.Code)
	}
	return codes
}

func (p Plan) aboveMaximum(name string) bool { return len(p.exceeded(name)) > 0 }

func (p Plan) notCounted() []string {
	absent := map[string]bool{"source_read_mbps": p.SourceReadMbps == nil}
	for _, t := range p.Tiers {
		l := p.Links[p.linkOf(t)]
		absent["per_sync_mbps"] = absent["per_sync_mbps"] || p.perSync(t, asGiven) == 0
		absent["peak_factor"] = absent["peak_factor"] || (t.PeakFactor == nil && t.HourlyWeights == nil)
		absent["overhead_seconds"] = absent["overhead_seconds"] || t.OverheadSeconds == 0
		absent["throughput_basis"] = absent["throughput_basis"] ||
			(l.ThroughputBasis == "" && l.capacity().worse == 1 && (l.Network == nil || l.Network.ThroughputBasis == ""))
		target, ok := p.Targets[t.Target]
		absent["write_mbps"] = absent["write_mbps"] || !ok || target.WriteMbps == nil
		absent["free_gib"] = absent["free_gib"] || !ok || target.FreeGiB == nil
	}
	return slices.DeleteFunc(names(absent), func(name string) bool { return !absent[name] })
}
