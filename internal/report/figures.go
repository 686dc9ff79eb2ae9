package report

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/assess"
)

func hasChart(a *assess.Assessment) bool {
	switch a.Answer.(type) {
	case assess.Estimate, assess.VMotion, assess.Migration, *assess.Promise, *assess.Link:
		return true
	}
	return false
}

func figuresOf(ctx context.Context, a *assess.Assessment) []Figure {
	switch r := a.Answer.(type) {
	case *assess.Promise:
		return promiseFigures(r)
	case *assess.Link:
		return slices.Concat(needFigures(a.Title, r), shareFigures(ctx, a, r), linkFigures(a.Title, r))
	case assess.Migration:
		return migrationFigures(r)
	}
	a.Confirm()
	switch r := a.Recomputed.(type) {
	case assess.Estimate:
		return estimateFigures(r) //nolint:contextcheck // an estimate is a closed form
	case assess.VMotion:
		return vmotionFigures(r)
	}
	return nil
}

func tablesOf(a *assess.Assessment) []Table {
	switch r := a.Answer.(type) {
	case *assess.Promise:
		if len(r.LateVirtualMachines) > 0 {
			return []Table{lateTable(r)}
		}
	case assess.Migration:
		return migrationTables(r)
	case *assess.Compliance:
		return complianceTables(r)
	case *assess.History:
		return historyTables(r)
	}
	return nil
}
