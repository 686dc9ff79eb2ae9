// Slowdowns: how much worse a measurement was than its prediction.

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

// Direction returns the direction of the row's quantity, by its unit and by the calculator that answers. A longer time
// is worse, and so is a larger factor ("times") by which something slows down, more data that a migration sends, and
// more that changes.
// More per second is better where it is the rate of a link or an application. Anything else is an error, so that it
// needs a decision here: a rate may as well be the need of an RPO, and data the load of a link.
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

// Slowdown returns how many times worse the published number is than predictions: above 1 reality was worse than vsla
// said, below 1 better. It is published over predicted where more is worse, predicted over published where less is. A
// range of predictions, or of published numbers, counts from its nearer end, and 1 if the two overlap. An upper bound
// ("at most") is a range without a lower end.
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

// slowdownCell is the cell of the row's table: empty if it is not measured, or has no answer.
func (r Row) slowdownCell(predicted []float64) (string, error) {
	if r.Kind != Measured || len(predicted) == 0 {
		return "", nil
	}
	slowdown, err := r.Slowdown(predicted)
	return fmt.Sprintf("%.2f", slowdown), err
}

// ratio is published over predicted, between the nearer ends.
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

// Origin returns what the source is left out together with: for a repository of GitHub its name, otherwise the address.
// Pages of one repository often report the same systems.
func (s Source) Origin() string {
	path, repository := strings.CutPrefix(s.Address, "https://github.com/")
	if !repository {
		return s.Address
	}
	const ownerNameRest = 3
	parts := strings.SplitN(path, "/", ownerNameRest)
	return strings.Join(parts[:min(len(parts), ownerNameRest-1)], "/")
}
