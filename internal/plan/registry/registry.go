// Package registry lists the calculators.
package registry

import (
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/energy"
	"terraform-provider-vsla/internal/plan/interactive"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
)

var all = []*calculator.Calculator{
	promise.Definition.Calculator(),
	replication.EstimateDefinition.Calculator(),
	calibration.Definition.Calculator(),
	link.Definition.Calculator(),
	migration.VMotionDefinition.Calculator(),
	migration.PlanDefinition.Calculator(),
	interactive.Definition.Calculator(),
	limits.Definition.Calculator(),
	energy.Definition.Calculator(),
}

// Calculators returns every calculator.
func Calculators() []*calculator.Calculator { return all }

// OfCommand returns the calculator for a subcommand of `estimate`, such as replication.
func OfCommand(name string) (*calculator.Calculator, bool) {
	for _, c := range all {
		if c.Command == name {
			return c, true
		}
	}
	return nil, false
}

// OfDataSource returns the calculator for a data source, such as vsla_replication_estimate.
func OfDataSource(name string) (*calculator.Calculator, bool) {
	for _, c := range all {
		if !c.NoDataSource && c.DataSource() == name {
			return c, true
		}
	}
	return nil, false
}
