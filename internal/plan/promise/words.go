package promise

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const maxNamed = 5

// DefaultLinkName is the name given to the only link of a plan if that link has no name.
const DefaultLinkName = "link"

func linkText(name string) string {
	if name == DefaultLinkName {
		return name
	}
	return "link " + name
}

// nameText returns the name of a VM in parentheses. Identical VMs have no names.
func (t Tier) nameText(name string) string {
	if t.VMCount != nil {
		return ""
	}
	return " (" + name + ")"
}

// formatMinutes formats a duration in one unit if it is a whole number of days, hours or minutes, for example "90
// minutes", and otherwise like quantity.Duration.
func formatMinutes(n float64) string {
	for _, unit := range []struct {
		minutes float64
		name    string
	}{{quantity.MinutesPerDay, "day"}, {quantity.MinutesPerHour, "hour"}, {1, "minute"}} {
		if of := n / unit.minutes; of == math.Trunc(of) && n < quantity.MinutesPerDay*maxWholeDays {
			return plan.Count(of, unit.name)
		}
	}
	return quantity.Duration(n * quantity.SecondsPerMinute).String()
}

const maxWholeDays = 100

// formatMbps formats a mean of hourly rates, without the rounding errors of the sum.
func formatMbps(mbps float64) string {
	digits := 6
	if mbps >= 10 { //nolint:mnd // two digits more than decimals suffice
		digits = 2
	}
	return plan.Thousands(plan.Nearest.Round(mbps, digits), -1)
}

func formatDown(value float64) string { return plan.Thousands(plan.Down.Round(value, 1), -1) }

func formatShare(share float64) string { return plan.Thousands(plan.Down.Round(share, 2), -1) }
