package estate

import "maps"

// splitRange splits { low, likely, high } into the likely value and the low and high values. Other values are returned
// unchanged.
func splitRange(v any) (likely any, ends map[string]any) {
	if members, ok := v.(map[string]any); ok && members["likely"] != nil {
		return members["likely"], map[string]any{"low": members["low"], "high": members["high"]}
	}
	return v, nil
}

// extractRanges replaces each { low, likely, high } with its likely value and moves the low and high values to the
// ranges.
func extractRanges(values map[string]any) map[string]any {
	ranges, _ := values[keyRanges].(map[string]any)
	ranges = maps.Clone(ranges)
	for name, v := range values {
		likely, ends := splitRange(v)
		if ends == nil {
			continue
		}
		if ranges == nil {
			ranges = make(map[string]any)
		}
		values[name], ranges[name] = likely, ends
	}
	if ranges != nil {
		values[keyRanges] = ranges
	}
	return values
}
