package replication

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

// checkCurve returns errors for points that are not a change curve: it needs a point, must not decrease, and must not
// grow faster than proportionally.
func checkCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
	if points == nil {
		return nil
	}
	if len(points) == 0 {
		return plan.InputErrors{}.With(at, errors.New("must have at least one point"))
	}
	var errs plan.InputErrors
	minutes := slices.Sorted(maps.Keys(points))
	for i, m := range minutes[1:] {
		before := minutes[i]
		key := at.Key(plan.Number(m))
		switch gib, least := points[m], points[before]; {
		case gib < least:
			errs = errs.With(key, fmt.Errorf("must be at least the %s GiB of %s, got %s",
				plan.Number(least), minutesText(before), plan.Number(gib)))
		case gib > least*m/before*(1+1e-12):
			errs = errs.With(key, fmt.Errorf("must be at most %s GiB, in proportion to the %s GiB of %s, got %s",
				plan.Thousands(least*m/before, 3), plan.Number(least), minutesText(before), plan.Number(gib)))
		}
	}
	return errs
}
