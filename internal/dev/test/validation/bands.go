package validation

import (
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

const bandHead = `
## How far off, usually

The slowdown of a measured row is how many times worse the measurement was than vsla said: published over predicted for
times and data, predicted over published for rates. 1.2 is 20 % worse, below 1 is better. A predicted range counts from
its nearer end, and is 1 inside.

What decides is how the rate is known, which is the input ` + "`throughput_basis`" + `. Its factors were set once
and stay as they are when rows are added; this table counts the rows of today within them. With ` + "`network`" + `,
without a basis, with a loss, with a guest that writes and with a change curve there is no band: measure.

| basis | rows | sources | 4 of 5 take up to | rows within | 9 of 10 take up to | rows within |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
`

const bandText = `
Rows of ` + "`transfer`" + `: measured rows with a measured rate or limit that do not count apart, of
replication, copies, live migration and links, without a loss and without a guest that writes. Rows of
` + "`nominal`" + `: measured rows with a line's rate or a range; their slowdown counts from the slow end, which is
70 % of the line.
`

// bandTable returns the section "How far off, usually".
func bandTable() (string, error) {
	var text strings.Builder
	text.WriteString(bandHead)
	for _, basis := range []string{plan.BasisTransfer, plan.BasisNominal} {
		slowdowns, origins, err := ofBasis(basis)
		if err != nil {
			return "", err
		}
		fourOfFive, nineOfTen := plan.BandFactors(basis)
		fmt.Fprintf(&text, "| `%s` | %d | %d | %s | %s |\n", basis, len(slowdowns), origins,
			within(slowdowns, fourOfFive), within(slowdowns, nineOfTen))
	}
	text.WriteString(bandText)
	return text.String(), nil
}

// within returns the table cells of a factor and the share of slowdowns up to it.
func within(slowdowns []float64, factor float64) string {
	if factor == 0 {
		return "none | -"
	}
	n := 0
	for _, s := range slowdowns {
		if s <= factor {
			n++
		}
	}
	return fmt.Sprintf("x %.2f | %d, %d %%", factor, n, 100*n/len(slowdowns))
}

// ofBasis returns the slowdowns of a basis, and the number of their origins.
func ofBasis(basis string) ([]float64, int, error) {
	var slowdowns []float64
	origins := map[string]bool{}
	for _, a := range areas() {
		for _, s := range a.sources {
			for _, r := range s.Rows {
				if r.basis() != basis {
					continue
				}
				slowdown, err := r.fromSlowEnd()
				if err != nil {
					return nil, 0, err
				}
				slowdowns = append(slowdowns, slowdown)
				origins[s.Origin()] = true
			}
		}
	}
	return slowdowns, len(origins), nil
}

// fromSlowEnd returns the slowdown relative to the slow end of a range.
func (r Row) fromSlowEnd() (float64, error) {
	predicted, err := r.Predicted()
	if err != nil {
		return 0, err
	}
	direction, err := r.Direction()
	if err != nil {
		return 0, err
	}
	if low, high := ends(predicted); r.Rule == Between && direction == LessIsWorse {
		predicted = []float64{low}
	} else if r.Rule == Between {
		predicted = []float64{high}
	}
	return r.Slowdown(predicted)
}

// basis returns the basis of the row's rate; empty if no band applies.
func (r Row) basis() string {
	if r.Kind != Measured {
		return ""
	}
	if r.Rule != Within15 {
		return plan.BasisNominal
	}
	for _, without := range []string{"loss_percent=", "memory_dirty_mbps=", "change_curve=", "latency "} {
		if strings.Contains(r.Question, without) {
			return ""
		}
	}
	if r.Apart != "" {
		return ""
	}
	return plan.BasisTransfer
}
