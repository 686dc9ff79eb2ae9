// The search for the least throughput of a link.

package simulation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// needStep is the ratio of two neighbouring throughputs, needDigits the number of their significant digits.
	needStep   = 1.01
	needDigits = 4
	// searchedRuns are the runs that a search is made on, before its answer is confirmed on all.
	searchedRuns = 2
	// needLatePart is the part of the time that a promise allows to be late that its need uses. A throughput that just
	// meets was chosen for the luck of its runs: of 40, 13 do not reach the share in 20 further ones. An assumption of
	// this project.
	needLatePart = 0.5
)

// Need is the question for the least throughput of one link with which some tiers meet, all else as given.
//
// The candidates are Least * 1.01^k, rounded up to four digits. The search goes from the answer of a run of the least
// length: from a candidate that does not hold up by 1, 2, 4 and so on, from one that does down likewise; between the
// last one that does not and the one that does it bisects, on the first two runs. What it finds is confirmed on all
// runs, and while one fails, k goes up by 1. A candidate holds if it leaves half of the time that may be late to spare.
// More throughput is not always better: the path is part of the answer, and does not depend on the given throughput.
type Need struct {
	// At returns the estate with another throughput of the link, in Mbit/s.
	At func(mbps float64) Estate
	// Tiers are the indices of the tiers that have to meet; nil for all.
	Tiers []int
	// Least is the throughput of k = 0, which is that of the mean change, Most the end of the range, Given the one that is
	// given, in Mbit/s.
	Least, Given, Most float64
	// Holds: the tiers meet with Given, by Enough. Then the answer is Given or, with Below, the least below it;
	// otherwise it is above Given.
	Holds, Below bool
	// Easier returns estates with a throughput in which the tiers have to meet as well, and mostly do where they do in
	// that of At: what was found is confirmed on them. It may be nil.
	Easier func(mbps float64) []Estate
	// Also is another condition on a throughput; nil for none.
	Also func(ctx context.Context, mbps float64) (bool, error)
	// Options are those of the runs. Progress is not called.
	Options
}

// Search returns the least throughput, and whether one was found. Whether there are enough runs and VMs to meet does
// not depend on it, and is left out; so is convergence in runs that are too short for it. The error is that of the
// context or of Also.
func (n Need) Search(ctx context.Context) (mbps float64, found bool, err error) {
	if n.Holds && !n.Below {
		return n.Given, true, nil
	}
	n.Progress = nil
	p := path{fails: -1, holds: noneYet, most: int(plan.Log(n.Most/n.Least) / plan.Log(needStep))}
	e := n.At(n.Given)
	lengths := e.Lengths(n.Options)
	days := lengths[len(lengths)-1]
	if least := e.LeastDays(); least < days {
		short := p
		if err := short.follow(n.test(ctx, Options{Days: least, Runs: 1})); err != nil {
			return 0, false, err
		}
		if short.holds != noneYet {
			p.k = short.holds
		}
	}
	some, runs := n.Options, e.runs(n.Options, days)
	some.Runs = min(runs, searchedRuns)
	if err := p.follow(n.test(ctx, some)); err != nil {
		return 0, false, err
	}
	if above := n.above(); !n.Holds && p.holds < above {
		return n.confirm(ctx, above, p.most, true)
	}
	return n.confirm(ctx, p.holds, p.most, runs > searchedRuns)
}

// confirm returns the first throughput from k on that holds in all runs; with Holds, the given one if none below does.
func (n Need) confirm(ctx context.Context, k, most int, more bool) (float64, bool, error) {
	test := n.test(ctx, n.Options)
	for ; k <= most; k++ {
		if n.Holds && k >= n.above() {
			return n.Given, true, nil
		}
		holds := true
		var err error
		if more {
			holds, err = test(k)
		}
		if err == nil && holds {
			holds, err = n.easier(ctx, n.mbps(k))
		}
		if err != nil || holds {
			return n.mbps(k), holds, err
		}
	}
	return 0, false, nil
}

// easier reports whether the tiers meet in the easier estates.
func (n Need) easier(ctx context.Context, mbps float64) (bool, error) {
	if n.Easier == nil {
		return true, nil
	}
	for _, e := range n.Easier(mbps) {
		if holds, err := e.reach(ctx, n.Options, n.Tiers, Meets, e.enough); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// mbps returns a throughput to simulate. It has few significant digits, so that the printed value is the simulated one.
func (n Need) mbps(k int) float64 { return ceiling(n.Least*plan.Pow(needStep, float64(k)), needDigits) }

// above returns the first k whose throughput is above the one that is given.
func (n Need) above() int {
	k := 0
	if n.Given > n.Least {
		k = int(plan.Log(n.Given/n.Least) / plan.Log(needStep))
	}
	for n.mbps(k) <= n.Given {
		k++
	}
	for k > 0 && n.mbps(k-1) > n.Given {
		k--
	}
	return k
}

// test returns the test of throughput k, on some runs.
func (n Need) test(ctx context.Context, o Options) func(k int) (bool, error) {
	return func(k int) (bool, error) {
		e := n.At(n.mbps(k)).spared()
		holds, err := e.reach(ctx, o, n.Tiers, Meets, e.enough)
		if err != nil || !holds || n.Also == nil {
			return holds, err
		}
		return n.Also(ctx, n.mbps(k))
	}
}

// spared returns the estate with promises that allow a part of the late time only.
func (e Estate) spared() Estate {
	e.Tiers = slices.Clone(e.Tiers)
	for i := range e.Tiers {
		meets, _ := e.Tiers[i].Shares()
		e.Tiers[i].TargetPercent = new(quantity.Percent - needLatePart*(quantity.Percent-meets))
	}
	return e
}

// ceiling returns the least number with so many significant digits that is not less.
func ceiling(v float64, digits int) float64 {
	exponent := int(math.Floor(math.Log10(v))) - digits + 1
	for mantissa := int64(v / math.Pow10(exponent)); ; mantissa++ {
		rounded, err := strconv.ParseFloat(fmt.Sprintf("%de%d", mantissa, exponent), 64)
		if err != nil || rounded >= v {
			return rounded
		}
	}
}

// path is the way to the least k that holds.
type path struct {
	// fails and holds are the bounds of k: -1 and noneYet before there is one. k is the next one to test, origin the
	// first.
	fails, holds, origin, k, most int
	// failed and held: a test has.
	failed, held bool
}

// noneYet is beyond every k.
const noneYet = 1 << 30

// follow goes along the path until it ends; holds is noneYet if no k up to most does.
func (p *path) follow(test func(k int) (bool, error)) error {
	for p.origin = p.k; p.k <= p.most && p.holds-p.fails > 1; {
		holds, err := test(p.k)
		if err != nil {
			return err
		}
		p.learn(holds)
	}
	return nil
}

// learn takes the outcome of k.
func (p *path) learn(holds bool) {
	k := p.k
	switch p.held, p.failed = p.held || holds, p.failed || !holds; {
	case holds && p.failed:
		p.holds, p.k = k, (p.fails+k)/2
	case holds:
		p.holds, p.k = k, max(p.fails+1, p.origin-max(1, 2*(p.origin-k)))
	case p.held:
		p.fails, p.k = k, (k+p.holds)/2
	default:
		p.fails, p.k = k, min(p.holds-1, p.origin+max(1, 2*(k-p.origin)))
	}
}
