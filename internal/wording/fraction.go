package wording

import (
	"fmt"
	"strconv"
)

// fractionsBelow contains, for each percentage that is often written as a fraction, the lowest usual value in percent.
var fractionsBelow = map[string]float64{
	"efficiency_percent":       1,
	"share_percent":            1,
	"daily_change_percent":     0.3,
	"max_daily_change_percent": 0.3,
}

// Fraction returns a warning about a percentage that looks like a fraction, or "".
func Fraction(name string, percent float64) string {
	if limit, ok := fractionsBelow[name]; !ok || percent <= 0 || percent >= limit {
		return ""
	}
	return fmt.Sprintf("The number is in percent: %s means %[1]s %%. If %[2]s %% is meant, write %[2]s.",
		strconv.FormatFloat(percent, 'g', -1, 64), strconv.FormatFloat(percent*100, 'g', 6, 64))
}
