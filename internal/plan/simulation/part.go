package simulation

import (
	"cmp"
	"math"
	"slices"
)

// part is a part of an estate that shares nothing with the others. tiers contains the indexes of its tiers.
type part struct {
	Estate

	tiers []int
}

// parts splits the estate into parts that are simulated apart, without the limits that are never reached.
func (e Estate) parts() []part {
	e = e.withoutSlack()
	var all []part
	for i, t := range e.Tiers {
		joined := part{Estate: e, tiers: []int{i}}
		all = slices.DeleteFunc(all, func(p part) bool {
			shares := slices.ContainsFunc(p.tiers, func(j int) bool { return e.shareLimit(t, e.Tiers[j]) })
			if shares {
				joined.tiers = append(joined.tiers, p.tiers...)
			}
			return shares
		})
		all = append(all, joined)
	}
	for i := range all {
		p := &all[i]
		slices.Sort(p.tiers)
		p.Tiers = nil
		for _, tier := range p.tiers {
			p.Tiers = append(p.Tiers, e.Tiers[tier])
		}
	}
	slices.SortFunc(all, func(a, b part) int { return cmp.Compare(a.tiers[0], b.tiers[0]) })
	return all
}

func (e Estate) shareLimit(a, b Tier) bool {
	return e.SourceReadRate > 0 || a.Link == b.Link || a.Target != nil && b.Target != nil && *a.Target == *b.Target
}

// withoutSlack returns the estate without the limits of targets and of the source storage that the links together never
// reach.
func (e Estate) withoutSlack() Estate {
	e.Tiers = slices.Clone(e.Tiers)
	for i, of := range e.Targets {
		into := func(t Tier) bool { return t.Target != nil && *t.Target == i }
		if of.WriteRate > 0 && e.mostRead(into)*of.WriteFactor > of.WriteRate*(1-Rounding) {
			continue
		}
		for j, t := range e.Tiers {
			if into(t) {
				e.Tiers[j].Target = nil
			}
		}
	}
	if e.mostRead(func(Tier) bool { return true }) <= e.SourceReadRate*(1-Rounding) {
		e.SourceReadRate = 0
	}
	return e
}

// mostRead returns the greatest rate of uncompressed data of some tiers that their links allow.
func (e Estate) mostRead(of func(Tier) bool) float64 {
	ratios := make([]float64, len(e.Links))
	for _, t := range e.Tiers {
		if of(t) {
			ratios[t.Link] = max(ratios[t.Link], t.CompressionRatio)
		}
	}
	sum := 0.0
	for i, ratio := range ratios {
		sum += ratio * e.Links[i].maxRate()
	}
	return sum
}

// isProved reports whether no simulation is necessary, because nothing is required or because the closed form holds.
func (p part) isProved(required []Requirement) bool {
	if !slices.ContainsFunc(p.tiers, func(tier int) bool { return required[tier] != Anything }) {
		return true
	}
	of, ok := p.only()
	return ok && of.firstLate(required[p.tiers[0]]) == None
}

// isNoWorse reports whether no sync of the part takes longer than in another part with one class of transfers, in which
// each sync ended before the next one was due: all syncs start at the same times, none sends more, and no share of the
// link is smaller.
func (p part) isNoWorse(than part) bool {
	if !slices.Equal(p.tiers, than.tiers) || p.JitterPercent != than.JitterPercent || p.SourceReadRate > 0 {
		return false
	}
	for i, t := range p.Tiers {
		of := than.Tiers[i]
		if !t.isNoWorse(of) || !p.Links[t.Link].isNoWorse(than.Links[of.Link]) ||
			t.limit() != p.Tiers[0].limit() {
			return false
		}
	}
	return true
}

func (l Link) isNoWorse(than Link) bool {
	for h, rate := range l.HourlyRates {
		if rate < than.HourlyRates[h] {
			return false
		}
	}
	return l.MaxSyncs == 0 && than.MaxSyncs == 0
}

func (t Tier) isNoWorse(than Tier) bool {
	changes := t.PeakFactor == than.PeakFactor && t.PeakStartHour == than.PeakStartHour &&
		slices.Equal(t.HourlyWeights, than.HourlyWeights) && t.Curve == nil && than.Curve == nil
	starts := t.ConfiguredMinutes == than.ConfiguredMinutes && t.OverheadSeconds == than.OverheadSeconds &&
		t.PromisedMinutes == than.PromisedMinutes
	if !changes || !starts || t.Link != than.Link || t.Target != nil || t.limit() < than.limit() {
		return false
	}
	return slices.EqualFunc(t.VMs, than.VMs, func(a, b VM) bool {
		return a.count() == b.count() && t.newVMGroup(a).bitsPerMinute <= than.newVMGroup(b).bitsPerMinute
	})
}

// limit returns the maximum rate of one sync.
func (t Tier) limit() float64 {
	if t.PerSyncRate == 0 {
		return math.Inf(1)
	}
	return t.PerSyncRate
}
