// Inputs that are not known exactly.

package onlink

import (
	"maps"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// Likely returns inputs with the likely value of each range, and the ranges.
func Likely(inputs map[string]any) (likely, ranges map[string]any) {
	confidence, _ := registry.OfCommand(Confidence)
	likely, ranges = maps.Clone(inputs), map[string]any{}
	for name, v := range inputs {
		members, ok := v.(map[string]any)
		if f, known := confidence.Field(name); !ok || !known || f.Kind != calculator.NumberOrSpread {
			continue
		}
		if members["likely"] != nil {
			likely[name], ranges[name] = members["likely"], v
		}
	}
	return likely, ranges
}

// ranged returns the inputs of the confidence: those of the estimate, with their ranges. hourly: the throughput is that
// of an hour, and no range.
func (e *Estate) ranged(tier Tier, estimate map[string]any, hourly bool) map[string]any {
	// Nothing of a confidence depends on these.
	inputs := pick(estimate, InputsOf(Confidence, keyGrowth, keyHorizon, keyBasis, "deadline_hours"))
	maps.Copy(inputs, e.Ranges)
	maps.Copy(inputs, tier.Ranges)
	if hourly {
		inputs[keyThroughput] = estimate[keyThroughput]
	}
	return inputs
}
