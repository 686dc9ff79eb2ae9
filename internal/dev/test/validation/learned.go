// Learned intervals: what slowdowns of other sources lead one to expect.

package validation

import (
	"cmp"
	"fmt"
	"slices"
)

// Score is the slowdown of a measured row.
type Score struct {
	// Row is the row's ID, Origin its source's.
	Row, Origin string
	Slowdown    float64
}

// Weighting is what counts the same.
type Weighting int

// The weightings; see Learn.
const (
	BySource Weighting = iota + 1
	ByRow
)

// Span is an interval of slowdowns, ends included.
type Span struct {
	Low, High float64
	// Clamped reports whether there is too little to learn from for the tail, so that an end is the lowest or the highest
	// slowdown.
	Clamped bool
}

// Holds reports whether a slowdown is in the interval.
func (s Span) Holds(slowdown float64) bool { return slowdown >= s.Low && slowdown <= s.High }

// Learn returns the interval that leaves out a share, the tail, of slowdowns on each side; none for no scores.
//
// It is that of conformal prediction (Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005; Lei,
// G'Sell, Rinaldo, Tibshirani and Wasserman, Distribution-Free Predictive Inference for Regression, 2018), which
// promises its coverage for a slowdown to come that is exchangeable with the others, whatever their distribution. The
// slowdown to come counts as well, as one that lies beyond the end. ByRow, with n rows, the upper end is therefore that
// of rank ceil((1 - tail) (n + 1)), the lower that of rank floor(tail (n + 1)). Ranks beyond 1 and n are clamped.
//
// BySource each source counts as one, its rows as an equal part of it, and the slowdown to come as a source of its own
// (Dunn, Wasserman and Ramdas, Distribution-Free Prediction Sets for Two-Layer Hierarchical Models, 2018; Lee, Barber
// and Willett, Distribution-free inference with hierarchical data, 2023). The page uses this weighting; it was chosen
// before coverages were computed. A planner asks about a system that no source has measured, while rows of one source
// come from one system, often from one parameter: they are not exchangeable with rows of another. ByRow one long table
// outvotes several short ones. The price is that the tail has to be 1 / (sources + 1) at least: 5 % takes 19 sources,
// and is clamped with fewer.
func Learn(scores []Score, tail float64, by Weighting) Span {
	if len(scores) == 0 {
		return Span{Clamped: true}
	}
	rows := perOrigin(scores)
	weight := func(s Score) float64 {
		if by == BySource {
			return 1 / rows[s.Origin]
		}
		return 1
	}
	total := 1.0 // what is to come
	for _, s := range scores {
		total += weight(s)
	}
	sorted := slices.SortedFunc(slices.Values(scores), func(a, b Score) int { return cmp.Compare(a.Slowdown, b.Slowdown) })
	high, fits := reach(sorted, weight, (1-tail)*total)
	slices.Reverse(sorted)
	low, lowFits := reach(sorted, weight, (1-tail)*total)
	return Span{Low: low, High: high, Clamped: !fits || !lowFits}
}

// perOrigin returns how many scores each origin has.
func perOrigin(scores []Score) map[string]float64 {
	rows := map[string]float64{}
	for _, s := range scores {
		rows[s.Origin]++
	}
	return rows
}

// rounding allows for sums such as ten times a tenth.
const rounding = 1e-9

// reach returns the first slowdown at which the weights add up to a total, or the last, and whether they do.
func reach(scores []Score, weight func(Score) float64, total float64) (float64, bool) {
	sum := 0.0
	for _, s := range scores {
		sum += weight(s)
		if sum >= total-rounding {
			return s.Slowdown, true
		}
	}
	return scores[len(scores)-1].Slowdown, false
}

// Test is an interval, and how it fares on rows that it was not learned from.
type Test struct {
	// Span is learned from all scores.
	Span Span
	// Others has for each score the interval learned from the scores of all other origins.
	Others []Span
	// Hold is the number of scores that lie in theirs; Share is the mean of that share over origins, 0 to 1.
	Hold  int
	Share float64
}

// LeaveOut tests intervals by leaving out one origin at a time, as the jackknife+ does with single observations
// (Barber, Candes, Ramdas and Tibshirani, Predictive inference with the jackknife+, 2021). A single origin is an error:
// nothing is left to learn from.
func LeaveOut(scores []Score, tail float64, by Weighting) (Test, error) {
	rows := perOrigin(scores)
	if len(rows) == 1 {
		return Test{}, fmt.Errorf("%s: no other source to learn from", scores[0].Row)
	}
	test := Test{Span: Learn(scores, tail, by)}
	for _, s := range scores {
		others := slices.DeleteFunc(slices.Clone(scores), func(o Score) bool { return o.Origin == s.Origin })
		span := Learn(others, tail, by)
		test.Others = append(test.Others, span)
		if span.Holds(s.Slowdown) {
			test.Hold++
			test.Share += 1 / rows[s.Origin] / float64(len(rows))
		}
	}
	return test, nil
}
