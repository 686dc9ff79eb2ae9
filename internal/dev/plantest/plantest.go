// Package plantest draws inputs of calculators from their descriptions, for property tests.
package plantest

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/limits"
)

const (
	// maxWhole keeps simulations short: whole numbers count VMs, days and streams.
	maxWhole = 3
	// maxNumber and minNumber are the decades in which estates lie.
	maxNumber, minNumber = 1e5, 1e-2
)

// Input draws an input of a calculator: all required fields, and any of the others. Fields that exclude each other may
// meet, so not every input is valid.
func Input(t *rapid.T, c *calculator.Calculator) map[string]any {
	in := members(t, "", c.Inputs())
	if c.Name == "migration_plan" {
		// Most inputs would be refused for giving both, or neither.
		if in["throughput_mbps"] != nil {
			delete(in, "hourly_throughput_mbps")
		} else if in["hourly_throughput_mbps"] == nil {
			in["throughput_mbps"] = 1000.0
		}
		if in["window_hours"] == nil {
			delete(in, "window_start_hour")
		}
	}
	if product, ok := in["product"].(string); ok {
		in["version"] = rapid.SampledFrom(limits.Versions(product)).Draw(t, "version")
	}
	return in
}

func members(t *rapid.T, path string, fields []calculator.Field) map[string]any {
	values := make(map[string]any)
	inPlace := make(map[string]bool)
	for _, f := range fields {
		at := path + f.Name
		if f.Or != "" {
			// Exactly one of the two is given.
			inPlace[f.Or] = rapid.Bool().Draw(t, f.Or+" in place of "+at)
			if !inPlace[f.Or] {
				values[f.Name] = value(t, at, f)
			}
			continue
		}
		if given, ok := inPlace[f.Name]; ok {
			if given {
				values[f.Name] = value(t, at, f)
			}
			continue
		}
		if f.Input && (f.Required || rapid.Bool().Draw(t, "with "+at)) {
			values[f.Name] = value(t, at, f)
		}
	}
	return values
}

func value(t *rapid.T, at string, f calculator.Field) any {
	switch f.Kind {
	case calculator.Bool:
		return rapid.Bool().Draw(t, at)
	case calculator.Text:
		if len(f.OneOf) > 0 {
			return rapid.SampledFrom(f.OneOf).Draw(t, at)
		}
		return rapid.SampledFrom([]string{"a", "b"}).Draw(t, at)
	case calculator.Numbers:
		list := make([]any, calculator.HoursPerDay)
		for h := range list {
			list[h] = number(t, fmt.Sprint(at, h), *f.Range)
		}
		return list
	case calculator.NumberMap:
		key := "hosts"
		if f.Name == "change_curve" {
			key = "60"
		}
		return map[string]any{key: number(t, at, plan.Range{Max: maxNumber})}
	case calculator.NumberOrSpread:
		if rapid.IntRange(0, 3).Draw(t, at+" as a range") > 0 {
			return number(t, at, *f.Range)
		}
		values := []float64{
			number(t, at+" low", *f.Range),
			number(t, at+" likely", *f.Range),
			number(t, at+" high", *f.Range),
		}
		slices.Sort(values)
		return map[string]any{"low": values[0], "likely": values[1], "high": values[2]}
	case calculator.Object:
		return members(t, at+".", f.Fields)
	case calculator.Objects:
		all := make(map[string]any)
		for i := range rapid.IntRange(1, 3).Draw(t, at) {
			all[fmt.Sprint("element", i)] = members(t, fmt.Sprint(at, i, "."), f.Fields)
		}
		return all
	default:
		return number(t, at, *f.Range)
	}
}

// number draws from a range, evenly over its decades, and its lower bound now and then.
func number(t *rapid.T, at string, r plan.Range) float64 {
	if !r.Above && rapid.IntRange(0, 9).Draw(t, at+" at its bound") == 0 {
		return r.Min
	}
	if r.Whole {
		return float64(rapid.IntRange(int(r.Min), int(min(r.Max, r.Min+maxWhole))).Draw(t, at))
	}
	low, high := math.Log10(max(r.Min, minNumber)), math.Log10(min(r.Max, maxNumber))
	return max(r.Min, min(r.Max, math.Pow(10, rapid.Float64Range(low, high).Draw(t, at))))
}
