package validation

import (
	_ "embed"
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

const bandHead = `
## Typical error

The slowdown of a measured row is the factor by which the measurement is worse than the prediction: published divided by
predicted for times and data, predicted divided by published for rates. 1.2 is 20% worse, and values below 1 are
better. For a predicted range, the nearer end is used. Within the range, the slowdown is 1.

The error depends on how the rate is known, which is the input ` + "`throughput_basis`" + `. Its factors were set
once and do not change when rows are added. This table counts the current rows within them. There is no factor for
` + "`network`" + `, without a basis, with packet loss, with a guest that writes, and with a change curve.

| basis | rows | sources | 4 of 5 transfers take up to | rows within | 9 of 10 transfers take up to | rows within |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
`

const bandText = `
Rows of ` + "`transfer`" + ` are measured rows of replication, copies, live migration and links with a measured rate or
limit, without packet loss, without a guest that writes, and not counted separately. Rows of ` + "`nominal`" + ` are
measured rows with a line rate or a range. Their slowdown is relative to the slow end, which is 70% of the line rate.
`

func bandCells(slowdowns []float64, factor float64) string {
	if factor == 0 {
		return "not known | -"
	}
	n := 0
	for _, s := range slowdowns {
		if s <= factor {
			n++
		}
	}
	return fmt.Sprintf("%.2f times | %d, %d%%", factor, n, 100*n/len(slowdowns))
}

// basis returns the throughput basis of the row's rate, or "" if no error band applies.
func (r Row) basis() string {
	if r.Kind != Measured {
		return ""
	}
	if r.Rule != Within15 {
		return plan.BasisNominal
	}
	question := strings.ReplaceAll(r.Question, " memory_dirty_mbps=0 ", " ")
	for _, without := range []string{"loss_percent=", "memory_dirty_mbps=", "change_curve=", "latency "} {
		if strings.Contains(question, without) {
			return ""
		}
	}
	if r.InputOrigin != "" {
		return ""
	}
	return plan.BasisTransfer
}

func slowdownsOfBasis(basis string) ([]float64, int) {
	var slowdowns []float64
	origins := map[string]bool{}
	for _, a := range areas() {
		for _, s := range a.sources {
			for _, r := range s.Rows {
				if r.basis() == basis {
					slowdowns = append(slowdowns, r.slowEndSlowdown())
					origins[s.Origin()] = true
				}
			}
		}
	}
	return slowdowns, len(origins)
}
