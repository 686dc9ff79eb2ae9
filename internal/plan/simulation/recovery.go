package simulation

import (
	"context"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// togetherDays is the length of the run in which all syncs start together.
	togetherDays = 3
	// maxInitialDays is the longest duration of an initial sync that is simulated.
	maxInitialDays = 31
)

// Recovery describes how a tier recovers from a disturbance.
type Recovery struct {
	// OldestMinutes is the greatest possible age of a recovery point. WithinAfterMinutes is the time from the end of
	// the disturbance until all recovery points are within the promised RPO again; nil if they are still late on the
	// last day of the run.
	OldestMinutes      float64
	WithinAfterMinutes *float64
}

// Together returns how each tier recovers if the syncs of all VMs start together at the beginning of the busiest hour,
// with the changes of one configured RPO.
func Together(ctx context.Context, e Estate) ([]Recovery, error) {
	s := newSimulation(e.withoutOutages(), 1, together, togetherDays)
	each(0, 1, func(int) { s.run(ctx, togetherDays) })
	return s.recoveries(func(int) float64 { return s.countFrom }), ctx.Err()
}

// Outage returns how each tier recovers from the outage of its link. The tiers of links without an outage are not
// disturbed.
func Outage(ctx context.Context, e Estate) ([]Recovery, error) {
	last := 0.0
	e.Links = slices.Clone(e.Links)
	for i := range e.Links {
		l := &e.Links[i]
		if l.hasOutage() {
			l.OutageFrom += warmUpDays * quantity.SecondsPerDay
			l.OutageTo += warmUpDays * quantity.SecondsPerDay
			last = max(last, l.OutageTo)
		}
	}
	days := int(math.Ceil(last/quantity.SecondsPerDay)) + MeasuredDays
	s := newSimulation(e, 1, spread, days)
	s.outage = true
	each(0, 1, func(int) { s.run(ctx, days) })
	return s.recoveries(func(tier int) float64 { return e.Links[e.Tiers[tier].Link].OutageTo }), ctx.Err()
}

func (e Estate) withoutOutages() Estate {
	e.Links = slices.Clone(e.Links)
	for i := range e.Links {
		e.Links[i].OutageFrom, e.Links[i].OutageTo = 0, 0
	}
	return e
}

func (s *simulation) recoveries(from func(tier int) float64) []Recovery {
	s.countUnfinished()
	all := make([]Recovery, 0, len(s.tiers))
	for i, ts := range s.tiers {
		one := Recovery{OldestMinutes: ts.oldest / quantity.SecondsPerMinute}
		if ts.lateUntil < s.end-quantity.SecondsPerDay {
			one.WithinAfterMinutes = new(max(0, ts.lateUntil-from(i)) / quantity.SecondsPerMinute)
		}
		all = append(all, one)
	}
	return all
}

// InitialSync returns, for each tier, the time in minutes from a cold start of all tiers until every VM of the tier has
// completed its initial sync and has a recovery point within the promised RPO, or one as old as the vendor's rule
// allows. The time is nil if it exceeds 31 days.
func InitialSync(ctx context.Context, e Estate) ([]*float64, error) {
	s := newSimulation(e.withoutOutages(), 1, coldStart, maxInitialDays)
	byTier := make([]*float64, len(e.Tiers))
	for day := 1; day <= maxInitialDays && !s.cancelled && slices.Contains(byTier, nil); day++ {
		each(0, 1, func(int) { s.run(ctx, day) })
		for i, ts := range s.tiers {
			if byTier[i] == nil && s.isSynced(ts) {
				byTier[i] = new(ts.syncedAt / quantity.SecondsPerMinute)
			}
		}
	}
	return byTier, ctx.Err()
}

func (s *simulation) isSynced(ts *tierState) bool {
	points := s.recoveryPoints[ts.firstID : ts.firstID+ts.vmCount]
	return ts.unsynced == 0 && s.now-slices.Min(points) <= max(ts.promised, ts.configured+ts.longestByRule())+Rounding
}
