// The search for the least throughput of a link.

package simulation

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"terraform-provider-vsla/internal/plan"
)

const (
	// needStep is the ratio of two neighbouring throughputs, needDigits the number of their significant digits.
	needStep   = 1.01
	needDigits = 4
	// searchedRuns are the runs that a search is made on, before its answer is confirmed on all.
	searchedRuns = 2
)

// Need is the question for the least throughput of one link with which some tiers meet, all else as given.
//
// The candidates are Least * 1.01^k, rounded up to four digits. The search goes from the answer of a run of the least
// length: from a candidate that does not hold up by 1, 2, 4 and so on, from one that does down likewise; between the
// last one that does not and the one that does it bisects, on the first two runs. What it finds is confirmed on all
// runs, and while one fails, k goes up by 1. More throughput is not always better, so that the path is part of the
// answer.
type Need struct {
	// At returns the estate with another throughput of the link, in Mbit/s.
	At func(mbps float64) Estate
	// Tiers are the indices of the tiers that have to meet; nil for all.
	Tiers []int
	// Least is the throughput of k = 0, which is that of the mean change, Most the end of the range, Given the one that is
	// given, in Mbit/s.
	Least, Given, Most float64
	// Holds: the tiers meet with Given. Then the answer is Given or, with Below, what is searched below it; otherwise it is
	// above Given.
	Holds, Below bool
	// Also is another condition on a throughput; nil for none.
	Also func(ctx context.Context, mbps float64) (bool, error)
	// Options are those of the runs. Progress is not called.
	Options
}

// Search returns the least throughput, and whether one was found. Whether there are enough runs and VMs to meet does not
// depend on it, and is left out; so is convergence in runs that are too short for it. The error is that of the context
// or of Also.
func (n Need) Search(ctx context.Context) (mbps float64, found bool, err error) {
	if n.Holds && !n.Below {
		return n.Given, true, nil
	}
	n.Progress = nil
	e := n.At(n.Given)
	if n.Tiers == nil {
		for i := range e.Tiers {
			n.Tiers = append(n.Tiers, i)
		}
	}
	p := path{fails: -1, holds: noneYet, most: int(plan.Log(n.Most/n.Least) / plan.Log(needStep))}
	if n.Holds {
		p.holds = n.above()
	} else {
		p.fails = n.above() - 1
	}
	p.k = p.fails + 1
	lengths := e.Lengths(n.Options)
	days := lengths[len(lengths)-1]
	if least := e.LeastDays(); least < days {
		short := p
		if err := short.follow(func(k int) (bool, error) { return n.holds(ctx, k, Options{Days: least, Runs: 1}) }); err != nil {
			return 0, false, err
		}
		if short.holds != noneYet {
			p.k = min(short.holds, p.holds-1)
		}
	}
	runs := e.runs(n.Options, days)
	some := n.Options
	some.Runs = min(runs, searchedRuns)
	if err := p.follow(func(k int) (bool, error) { return n.holds(ctx, k, some) }); err != nil {
		return 0, false, err
	}
	k := p.holds
	for ; k <= p.most && !(n.Holds && k >= n.above()); k++ {
		if runs <= searchedRuns {
			break
		}
		if holds, err := n.holds(ctx, k, n.Options); err != nil {
			return 0, false, err
		} else if holds {
			break
		}
	}
	switch {
	case n.Holds && k >= n.above():
		return n.Given, true, nil
	case k > p.most:
		return 0, false, nil
	}
	return n.mbps(k), true, nil
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

// holds reports whether the tiers meet with throughput k.
func (n Need) holds(ctx context.Context, k int, o Options) (bool, error) {
	holds, err := n.At(n.mbps(k)).reach(ctx, o, n.Tiers, Meets, false)
	if err != nil || !holds || n.Also == nil {
		return holds, err
	}
	return n.Also(ctx, n.mbps(k))
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
	// fails and holds are the bounds of k: -1 and noneYet before there is one. k is the next one to test, origin the first.
	fails, holds, origin, k, most int
	// failed and held: a test has.
	failed, held bool
}

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
