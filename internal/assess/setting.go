package assess

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// AgeText formats the age of a recovery point in minutes, rounded up to whole minutes.
func AgeText(minutes float64) string {
	return wording.Duration(math.Ceil(minutes) * quantity.SecondsPerMinute)
}

var holdsBy = map[string]string{
	promise.ByBound:      "no recovery point can get older",
	promise.ByVendorRule: "the vendor's rule of half the RPO",
	promise.ByShare:      "its share of time",
}

func settingText(given, suggested *float64, verdict string, holdsBy *string) string {
	rule := ""
	if holdsBy != nil && *holdsBy == promise.ByVendorRule {
		rule = ", by the vendor's rule"
	}
	switch {
	case given == nil && suggested == nil:
		return ""
	case given == nil:
		return wording.RPO(*suggested) + rule
	case verdict == plan.Meets || suggested == nil || *suggested >= *given:
		return wording.RPO(*given) + " (as set)" + rule
	}
	return wording.RPO(*suggested) + " (now " + wording.RPO(*given) + ")"
}

// EstimateSetting formats the RPO to configure for an estimate, as Setting does for a promise.
func EstimateSetting(e *Estimate) string {
	return settingText(e.Input.ConfiguredRPOMinutes, e.Result.SuggestedRPOMinutes, e.Result.Verdict, e.Result.HoldsBy)
}
