package validation

import (
	"fmt"
	"strings"
)

// Direction is the direction in which a quantity gets worse.
type Direction int

// Directions in which a quantity gets worse.
const (
	MoreIsWorse Direction = iota + 1
	LessIsWorse
)

// Direction derives the direction of the row's quantity from its unit and calculator. Longer times, larger factors
// ("times"), more data transferred by a migration and more changed data are worse. Higher rates of a link or an
// application are better. Any other combination is an error, because it is ambiguous: a rate can also be required by an
// RPO, and an amount of data can also be the load on a link.
func (r Row) Direction() (Direction, error) {
	switch r.Unit {
	case "s", "min", "h", "days", "times":
		return MoreIsWorse, nil
	}
	chain := strings.Split(r.Question, "; ")
	command, _, _ := strings.Cut(chain[len(chain)-1], " ")
	switch rate := strings.HasSuffix(r.Unit, "/s"); {
	case command == "vmotion" && r.Unit == "GiB", strings.Contains(r.Question, " change_curve="):
		return MoreIsWorse, nil
	case (command == "link" || command == "latency") && rate:
		return LessIsWorse, nil
	}
	return 0, fmt.Errorf("%s: whether more or less %s is worse is not known", r.ID, r.Unit)
}

// Slowdown returns the factor by which the published number is worse than a prediction. A factor below 1 means that it
// is better. The factor is published / predicted if more is worse, and predicted / published otherwise. Ranges are
// compared at their nearer ends; if they overlap, the factor is 1. An upper bound ("at most") is a range without a
// lower end.
func (r Row) Slowdown(predicted []float64) float64 {
	if direction, _ := r.Direction(); direction == LessIsWorse {
		return 1 / r.publishedRatio(predicted)
	}
	return r.publishedRatio(predicted)
}

// Origin returns the GitHub repository of a source or, for other sources, the address. Sources with the same origin
// often report the same systems.
func (s Source) Origin() string {
	path, repository := strings.CutPrefix(s.Address, "https://github.com/")
	if !repository {
		return s.Address
	}
	const ownerNameRest = 3
	parts := strings.SplitN(path, "/", ownerNameRest)
	return strings.Join(parts[:min(len(parts), ownerNameRest-1)], "/")
}
