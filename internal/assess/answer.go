package assess

import (
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/replication"
)

// Typed results of calculators.
type (
	// Estimate contains the input and result of vsla_replication_estimate.
	Estimate = calculator.Answer[replication.Input, replication.Result]
	// VMotion contains the input and result of vsla_vmotion_estimate.
	VMotion = calculator.Answer[migration.VMotionInput, migration.VMotionResult]
	// Migration contains the input and result of vsla_migration_plan.
	Migration = calculator.Answer[migration.PlanInput, migration.PlanResult]
	// Limits contains the input and result of vsla_configuration_limits.
	Limits = calculator.Answer[limits.Input, limits.Result]
)
