package simulation

import (
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

// MaxUse is the largest share of a link that the busiest interval of the length of the configured RPO may use for the
// closed form to apply.
const MaxUse = 0.9

// onlyTier is the only tier of an estate, on a link that nothing but the link's constant rate limits.
type onlyTier struct {
	Tier

	rate, maxUse float64
}

// only returns the only tier of the estate, or false if the closed form does not apply because there are several tiers,
// the rate of the link changes during the day, or single or concurrent syncs are limited.
func (e Estate) only() (onlyTier, bool) {
	if len(e.Tiers) != 1 {
		return onlyTier{}, false
	}
	t := e.Tiers[0]
	l := e.Links[t.Link]
	if t.PerSyncRate > 0 || l.MaxSyncs > 0 {
		return onlyTier{}, false
	}
	of := onlyTier{Tier: t, rate: l.HourlyRates[0], maxUse: min(MaxUse, 1-e.JitterPercent/quantity.Percent)}
	for _, rate := range l.HourlyRates {
		if rate != of.rate {
			return onlyTier{}, false
		}
	}
	if e.SourceReadRate > 0 {
		of.rate = min(of.rate, e.SourceReadRate/t.CompressionRatio)
	}
	if t.Target != nil && e.Targets[*t.Target].WriteRate > 0 {
		target := e.Targets[*t.Target]
		of.rate = min(of.rate, target.WriteRate/target.WriteFactor/t.CompressionRatio)
	}
	return of, true
}

// IsClosed reports whether the closed form applies to the estate.
func (e Estate) IsClosed() bool {
	_, ok := e.only()
	return ok
}

// longestSyncMinutes returns the longest duration of a sync, o + U(N) / C, where o is the overhead, U(N) is the
// greatest change of all VMs within the configured RPO, and C is the rate.
func (t onlyTier) longestSyncMinutes() float64 {
	return (t.OverheadSeconds + t.BusiestBits(t.ConfiguredMinutes)/t.rate) / quantity.SecondsPerMinute
}

// isBounded reports whether no recovery point gets older than the promised RPO. If all syncs that are due within one
// configured RPO N fit into it, o + U(N) / C <= 0.9 N, each VM starts at most once in a busy period of the link, so no
// sync takes longer than that, and no recovery point gets older than N + o + U(N) / C.
func (t onlyTier) isBounded() bool {
	n, took := t.ConfiguredMinutes, t.longestSyncMinutes()
	return took <= t.maxUse*n+roundingMinutes && n+took <= t.PromisedMinutes+roundingMinutes
}

const roundingMinutes = Rounding / quantity.SecondsPerMinute

func (t onlyTier) firstLate(required Requirement) int {
	if required == Anything || t.isBounded() {
		return None
	}
	if required == NoLateOrLongSync && t.longestSyncMinutes() <= t.ConfiguredMinutes/2+roundingMinutes {
		return None
	}
	return 0
}

// result returns the ages of the closed form, and whether they decide that the promise holds. If it does not, only a
// simulation shows for how long.
func (t onlyTier) result() (TierResult, bool) {
	took := t.longestSyncMinutes()
	r := TierResult{
		Late:               !t.isBounded(),
		WithinPercent:      quantity.Percent,
		LongestSyncMinutes: took,
		OldestMinutes:      t.ConfiguredMinutes + took,
	}
	if took > t.maxUse*t.ConfiguredMinutes+roundingMinutes { // syncs wait for each other
		r.OldestMinutes = math.Inf(1)
	}
	return r, !r.Late || took <= t.ConfiguredMinutes/2
}

// Closed returns the results of the only tier of an estate by the closed form, or false if it does not apply or does
// not decide that the promise holds.
func Closed(e Estate) (Result, bool) {
	of, ok := e.only()
	if !ok {
		return Result{}, false
	}
	r, holds := of.result()
	return Result{
		Tiers:   []TierResult{r},
		Links:   make([]LinkUtilization, len(e.Links)),
		Targets: make([]TargetUtilization, len(e.Targets)),
	}, holds
}

// apply replaces the simulated ages by those of the closed form.
func (t onlyTier) apply(r *TierResult) {
	closed, _ := t.result()
	r.Late = closed.Late
	r.LongestSyncMinutes = max(r.LongestSyncMinutes, closed.LongestSyncMinutes)
	if math.IsInf(closed.OldestMinutes, 1) {
		return
	}
	r.LongestSyncMinutes, r.OldestMinutes = closed.LongestSyncMinutes, closed.OldestMinutes
}
