// Package related compares results about the same VMs: an estimate of a tier alone on a link, and the group of that
// tier in a schedule of the link.
package related

import (
	"math"
	"reflect"

	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/wording"
)

const minutesPerDay = 1440

// SameVMs reports whether a group has the VMs and the RPO of an estimate.
func SameVMs(group, estimate map[string]any) bool {
	for _, input := range []string{"vm_count", "vm_size_gib", "rpo_minutes"} {
		if group[input] != estimate[input] {
			return false
		}
	}
	return true
}

// Alone reports whether an estimate that does not miss counts through the group: it has no promise but the group's, and
// assumes the same change.
func Alone(group, estimate map[string]any) bool {
	return estimate["deadline_hours"] == nil && sameChange(group, estimate)
}

// sameChange reports whether an estimate assumes the change that a group has.
func sameChange(group, estimate map[string]any) bool {
	for _, input := range []string{"daily_change_percent", "change_curve"} {
		if !reflect.DeepEqual(group[input], estimate[input]) {
			return false
		}
	}
	rpo, _ := group["rpo_minutes"].(float64)
	peak := 1.0
	if p, ok := group["peak_factor"].(float64); ok {
		peak = p
	} else if weights, ok := group["hourly_weights"].([]any); ok {
		numbers := make([]float64, len(weights))
		for i, w := range weights {
			numbers[i], _ = w.(float64)
		}
		if p, starts := replication.Peak(numbers, rpo); len(starts) > 0 {
			peak = p
		}
	}
	curved := hasCurve(estimate)
	assumed, given := estimate["peak_factor"].(float64)
	if !given {
		// The whole day in one cycle, and with a curve what it has of one cycle.
		assumed = minutesPerDay / rpo
		if curved {
			assumed = 1
		}
	}
	if !curved {
		// No cycle carries more than a day's change.
		peak, assumed = min(peak, minutesPerDay/rpo), min(assumed, minutesPerDay/rpo)
	}
	return math.Abs(peak-assumed) <= 1e-9*peak
}

func hasCurve(values map[string]any) bool {
	curve, _ := values["change_curve"].(map[string]any)
	return len(curve) > 0
}

// Assumption states what a schedule assumes about the change of a group.
func Assumption(group map[string]any) string {
	text := "if the change is spread evenly"
	_, peak := group["peak_factor"].(float64)
	switch {
	case peak:
		text = "with change at " + wording.Value("peak_factor", group["peak_factor"]) + " times the daily mean"
	case group["hourly_weights"] != nil:
		text = "with the change of the hourly weights"
	}
	if hasCurve(group) {
		text += ", by the change curve"
	}
	return text
}

// Together judges estimates on one link by their cycles as shares of the RPOs, and by their use of the link in a day,
// both in percent and added up.
func Together(cycles, daily float64) wording.Level {
	switch {
	case daily > 100 || cycles > 100:
		return wording.Misses
	case cycles > 50:
		return wording.AtRisk
	}
	return wording.Holds
}
