package promise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

func (p Plan) moves() bool {
	for _, l := range p.Links {
		if l.mostMoved() > 0 {
			return true
		}
	}
	return false
}

// mostMoved returns the largest hourly share of the link for migrations, in percent.
func (l Link) mostMoved() float64 {
	most := 0.0
	for _, percent := range l.HourlyMovesPercent {
		most = max(most, percent)
	}
	return most
}

// withMoves returns the link with a limited share for migrations, in percent.
func (l Link) withMoves(most float64) Link {
	hours := slices.Clone(l.HourlyMovesPercent)
	for h := range hours {
		hours[h] = min(hours[h], most)
	}
	if l.HourlyMovesPercent = hours; most == 0 {
		l.HourlyMovesPercent = nil
	}
	return l
}

func (a *answer) explainMoves(one *Promise, i int, find func(calculator.Reason, ...any)) {
	worst := a.ends[worseEnd|moving]
	switch {
	case one.MovesVerdict == nil:
	case worse(one.LikelyVerdict, *one.MovesVerdict) != one.LikelyVerdict:
		find(reasonMoves, words[*one.MovesVerdict], down(*one.MovesWithinRPOPercent))
	case worst != nil && one.LikelyVerdict == VerdictMeets && *one.WorseEndVerdict == VerdictMeets &&
		worst.Tiers[i].Verdict != VerdictMeets:
		find(reasonMovesWorse, down(worst.Tiers[i].WithinRPOPercent))
	}
}

// fewerMoves returns a remedy with the largest share for migrations, in whole percent, that leaves enough for
// replication.
func (a *answer) fewerMoves(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := a.plan.linkOf(a.plan.Tiers[tier])
	given := a.plan.Links[link].mostMoved()
	if given == 0 {
		return nil, nil //nolint:nilnil // no remedy
	}
	most := func(percent float64) (*Remedy, error) {
		sentence := fmt.Sprintf("Let the moves take at most %s%% of the %s (now %s%%).", plan.Number(percent),
			linkNamed(link), plan.Thousands(given, -1))
		if percent == 0 {
			sentence = fmt.Sprintf("Move over another link than the %s.", linkNamed(link))
		}
		return a.helps(ctx, tier, Remedy{
			Kind: RemedyMoves, At: link, Value: &percent, VirtualMachines: []string{}, Sentence: sentence,
		})
	}
	found, err := most(0)
	for fails := math.Ceil(given); err == nil && found != nil && fails-*found.Value > 1; {
		middle := math.Floor((fails + *found.Value) / 2)
		var r *Remedy
		if r, err = most(middle); r != nil {
			found = r
		} else {
			fails = middle
		}
	}
	return found, err
}
