// Rows with the totals of the columns.

package inventoryfile

import (
	"math"
	"slices"
	"strings"
)

// totalWords are the names of rows with totals.
var totalWords = []string{
	"total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtergebnis", "gesamtsumme", "total général",
	"somme", "totale", "totaal", "suma", "totalt",
}

// totals finds rows with totals. Such a row has neither an ID nor a state.
type totals struct {
	rows, withID, withState int
	// anonymous is the number of rows without ID and state.
	anonymous int
	sums      [interpretations][len(numericFields)]float64
}

func (t *totals) observe(r *row) {
	if r.vm.Name == "" {
		return
	}
	t.rows++
	if r.hasID() {
		t.withID++
	}
	if r.vm.PowerState != "" {
		t.withState++
	}
	if r.isAnonymous() {
		t.anonymous++
	}
	for reading := range interpretations {
		for at, value := range r.values(reading) {
			if value != impossible {
				t.sums[reading][at] += float64(value)
			}
		}
	}
}

func (r *row) hasID() bool { return r.vm.ID+r.vm.InstanceUUID+r.vm.UUID != "" }

func (r *row) isAnonymous() bool { return !r.hasID() && r.vm.PowerState == "" }

// contains reports whether a row contains totals: it is the only one without an ID and a state, or has none and is the
// sum of the others. In a file without IDs and states, the name must say so, or several columns must be sums.
func (t *totals) contains(r *row, reading int) bool {
	others := t.rows - 1
	if !r.isAnonymous() || others == 0 {
		return false
	}
	named := slices.Contains(totalWords, strings.ToLower(strings.TrimRight(r.vm.Name, ": ")))
	fields, isSum := t.isSum(r, reading)
	if t.withID+t.withState > 0 {
		return named || isSum || t.anonymous == 1 && others > 1
	}
	const several = 2
	return isSum && (named || fields >= several && others > several)
}

// isSum reports whether all numbers of a row are the sums of those of the other rows. fields is their number.
func (t *totals) isSum(r *row, reading int) (fields int, isSum bool) {
	for at, value := range r.values(reading) {
		if !r.known[at] || value == impossible || value == 0 {
			continue
		}
		fields++
		const rounding = 1e-4
		others := t.sums[reading][at] - float64(value)
		if math.Abs(others-float64(value)) > rounding*float64(value) {
			return fields, false
		}
	}
	return fields, fields > 0
}
