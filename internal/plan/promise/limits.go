package promise

import (
	"slices"

	"terraform-provider-vsla/internal/plan/limits"
)

const (
	productReplication = "vsphere_replication"
	// quiescedMinutes is the shortest RPO that vSphere Replication supports with quiescing.
	quiescedMinutes = 15
	// frequentMinutes is the longest RPO to which a separate limit on the number of replications applies.
	frequentMinutes = 5
)

func replicationLimits() (version string, figures map[string]float64) {
	versions := limits.Versions(productReplication)
	version = versions[len(versions)-1]
	r, err := limits.Check(limits.Input{Product: productReplication, Version: version})
	if err != nil {
		return version, nil
	}
	return version, r.Limits
}

func (t Tier) isVSphereReplication() bool { return t.Mechanism != MechanismGroup }

func (p Plan) countReplicas(is func(Tier) bool) float64 {
	n := 0
	for _, t := range p.Tiers {
		if t.isVSphereReplication() && is(t) {
			n += t.count()
		}
	}
	return float64(n)
}

func (t Tier) isFrequent() bool { return t.RPOMinutes <= frequentMinutes }

func (t Tier) quiescedTooOften() bool { return t.QuiesceSeconds > 0 && t.RPOMinutes < quiescedMinutes }

func (p Plan) exceededLimits(name string) []string {
	t := p.Tiers[name]
	if !t.isVSphereReplication() {
		return nil
	}
	_, figures := replicationLimits()
	var codes []string
	if t.isFrequent() && p.countReplicas(Tier.isFrequent) > figures["replications_at_min_rpo"] {
		codes = append(codes, reasonAbove500.Code)
	}
	if p.countReplicas(func(Tier) bool { return true }) > figures["replications"] {
		codes = append(codes, reasonAppliance.Code)
	}
	if t.quiescedTooOften() {
		codes = append(codes, reasonQuiesced.Code)
	}
	return codes
}

func (p Plan) exceedsLimits(name string) bool { return len(p.exceededLimits(name)) > 0 }

func (t Tier) hasSeeds() bool {
	return t.SeededPercent > 0 || slices.ContainsFunc(names(t.VirtualMachines), func(name string) bool {
		p := t.VirtualMachines[name].SeededPercent
		return p != nil && *p > 0
	})
}

func (p Plan) notCounted() []string {
	absent := map[string]bool{"source_read_mbps": p.SourceReadMbps == nil}
	for _, t := range p.Tiers {
		if t.count() == 0 {
			continue
		}
		absent["per_sync_mbps"] = absent["per_sync_mbps"] || p.perSyncMbps(t, asGiven) == 0
		absent["overhead_seconds"] = absent["overhead_seconds"] || t.OverheadSeconds == 0
		target := p.Targets[t.Target] // without limits if the tier has no target
		absent["write_mbps"] = absent["write_mbps"] || target.WriteMbps == nil
		absent["free_gib"] = absent["free_gib"] || target.FreeGiB == nil
		absent["checksum_mbps"] = absent["checksum_mbps"] || (p.ChecksumMbps == nil && t.hasSeeds())
	}
	return slices.DeleteFunc(names(absent), func(name string) bool { return !absent[name] })
}
