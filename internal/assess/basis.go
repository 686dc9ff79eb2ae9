package assess

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// InSync states when the initial syncs of all promises are complete, or returns an empty string if it is not known.
func InSync(promises []*Assessment) string {
	longest := 0.0
	for _, a := range promises {
		p, ok := As[*Promise](a)
		switch {
		case !ok || p.LongestSyncMinutes == nil:
		case p.InitialSyncMinutes == nil:
			return "The initial syncs take more than 31 days if all start together."
		default:
			longest = max(longest, *p.InitialSyncMinutes)
		}
	}
	if longest == 0 {
		return ""
	}
	return "All VMs are in sync after " + wording.About(longest) + " if all initial syncs start together."
}

const maxAssumed = 6

// Assumed lists the inputs of promises and migrations that are not known, with the values that are assumed instead. It
// returns an empty string if there are none.
func Assumed(all []*Assessment) string {
	var values []string
	places := make(map[string][]string)
	for _, a := range all {
		var of []plan.Assumption
		if p, ok := As[*Promise](a); ok && !a.Hidden() {
			of = p.Plan.Result.Assumed
		}
		if m, ok := As[Migration](a); ok && !a.Hidden() {
			of = m.Result.Assumed
		}
		for _, one := range of {
			value := assumedValue(one)
			if _, known := places[value]; !known {
				values = append(values, value)
				places[value] = nil
			}
			if one.At != "" && one.At != promise.DefaultLinkName && !slices.Contains(places[value], one.At) {
				places[value] = append(places[value], one.At)
			}
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "Not known, but assumed: " + quantity.ListOf(values, maxAssumed, func(value string) string {
		if len(places[value]) == 0 {
			return value
		}
		return value + " of " + quantity.List(places[value], maxNamed)
	}) + "."
}

func assumedValue(a plan.Assumption) string {
	label, unit := strings.ToLower(wording.Label(a.Input)), a.Input
	if a.Input == "throughput_basis" {
		label, unit = "throughput", "_mbps"
	}
	text := label + " " + wording.Value(unit, a.Value)
	if a.WorseValue != nil {
		text += " (worse end " + wording.Value(unit, *a.WorseValue) + ")"
	}
	return text
}

// Windows states which part of the windows of a migration is kept free. It returns an empty string if there is none.
func Windows(all []*Assessment) string {
	for _, a := range all {
		m, ok := As[Migration](a)
		if ok && !a.Hidden() && m.NoInput == nil && m.Input.WindowHours != nil && m.Input.WindowReservePercent > 0 {
			return fmt.Sprintf("The last %s of each migration window is kept free.",
				wording.Value("_percent", m.Input.WindowReservePercent))
		}
	}
	return ""
}

// AssumedValue returns the value that a migration assumes for an input, or nil if there is none.
func (a *Assessment) AssumedValue(name string) any {
	m, _ := As[Migration](a)
	for _, one := range m.Result.Assumed {
		if one.Input == name && one.At == "" {
			return one.Value
		}
	}
	return nil
}
