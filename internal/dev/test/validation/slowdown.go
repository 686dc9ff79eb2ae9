package validation

import (
	"fmt"
	"strings"
)

// Direction is the direction in which a quantity gets worse.
type Direction int

// The directions.
const (
	MoreIsWorse Direction = iota + 1
	LessIsWorse
)

// Direction returns the direction of the row's quantity, by its unit and calculator. Longer times, larger factors
// ("times"), more data sent by a migration and more changed data are worse. Higher rates of a link or an application
// are better. Other combinations are errors that need a decision: a rate may also be the requirement of an RPO, and
// data the load of a link.
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

// Slowdown returns the ratio by which the published number is worse than the prediction; below 1 it is better. It is
// published / predicted if more is worse, predicted / published otherwise. Ranges count from their nearer ends, and
// overlapping ranges return 1. An upper bound ("at most") is a range without a lower end.
func (r Row) Slowdown(predicted []float64) (float64, error) {
	direction, err := r.Direction()
	if err != nil {
		return 0, err
	}
	if direction == LessIsWorse {
		return 1 / r.ratio(predicted), nil
	}
	return r.ratio(predicted), nil
}

// slowdownCell returns the slowdown as a table cell; empty if the row is not measured or has no prediction.
func (r Row) slowdownCell(predicted []float64) (string, error) {
	if r.Kind != Measured || len(predicted) == 0 {
		return "", nil
	}
	slowdown, err := r.Slowdown(predicted)
	return fmt.Sprintf("%.2f", slowdown), err
}

// ratio returns published / predicted, between the nearer ends.
func (r Row) ratio(predicted []float64) float64 {
	low, high := ends(predicted)
	least, most := ends(r.Published)
	if r.Rule == AtMost {
		low = 0
	}
	switch {
	case least > high:
		return least / high
	case most < low:
		return most / low
	}
	return 1
}

// Origin groups sources that often report the same systems: the repository for GitHub, otherwise the address.
func (s Source) Origin() string {
	path, repository := strings.CutPrefix(s.Address, "https://github.com/")
	if !repository {
		return s.Address
	}
	const ownerNameRest = 3
	parts := strings.SplitN(path, "/", ownerNameRest)
	return strings.Join(parts[:min(len(parts), ownerNameRest-1)], "/")
}
