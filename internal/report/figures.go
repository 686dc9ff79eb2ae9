package report

import (
	"terraform-provider-vsla/internal/assess"
)

func charted(a *assess.Assessment) bool {
	switch a.Answer.(type) {
	case assess.Estimate, assess.Confidence, assess.Schedule, assess.VMotion, assess.Migration, *assess.Promise,
		*assess.Link:
		return true
	}
	return false
}

func figuresOf(a *assess.Assessment) []Figure {
	switch r := a.Answer.(type) {
	case *assess.Promise:
		return promiseFigures(r)
	case *assess.Link:
		return linkFigures(a.Title, r)
	case assess.Migration:
		return migrationFigures(r)
	}
	a.Confirm()
	if s, ok := assess.As[assess.Schedule](a); ok {
		again, _ := a.Computed.(assess.Schedule)
		return scheduleFigures(s, again.Result.Hours)
	}
	switch r := a.Computed.(type) {
	case assess.Estimate:
		return estimateFigures(r)
	case assess.Confidence:
		return confidenceFigures(r)
	case assess.VMotion:
		return vmotionFigures(r)
	}
	return nil
}

func tablesOf(a *assess.Assessment) []Table {
	switch r := a.Answer.(type) {
	case *assess.Promise:
		return promiseTables(r)
	case assess.Schedule:
		return []Table{groupTable(groupsOf(r))}
	case assess.Migration:
		return migrationTables(r)
	case *assess.Compliance:
		return complianceTables(r)
	case *assess.History:
		return historyTables(r)
	}
	return nil
}
