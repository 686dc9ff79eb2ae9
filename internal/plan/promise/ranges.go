package promise

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// Ranges of the inputs.
var (
	RangeVMSizeGiB          = plan.Range{Min: 1e-6, Max: 1e12, Unit: "GiB"}
	RangeDailyChangePercent = plan.Range{Min: 0, Max: 1000, Unit: "percent"}
	RangeThroughputMbps     = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeRPOMinutes         = plan.Range{Min: 1, Max: quantity.MinutesPerDay, Unit: "minutes"}
	RangePeakFactor         = plan.Range{Min: 1, Max: 1e6}
	RangeEfficiencyPercent  = plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}
	RangeCompressionRatio   = plan.Range{Min: 1, Max: 1e6}
	RangeSeededPercent      = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeOverheadSeconds    = plan.Range{Min: 0, Max: 1e9, Unit: "seconds"}
	RangeGrowthPercent      = plan.Range{Min: 0, Max: 1000, Unit: "percent"}
	RangeCurveMinutes       = plan.Range{Min: 1e-3, Max: 1e6, Unit: "minutes"}
	RangeCurveGiB           = plan.Range{Min: 0, Max: 1e12, Unit: "GiB"}
	RangeStorageMbps        = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeTargetWriteFactor  = plan.Range{Min: 1, Max: 1e3}

	RangeHourlyThroughputMbps    = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeMaxConcurrentSyncs      = plan.Range{Min: 1, Max: simulation.MaxVMs, Whole: true, Unit: "syncs"}
	RangeTargetCompliancePercent = plan.Range{Min: 0, Max: 100, Above: true, Unit: "percent"}
	RangeJitterPercent           = plan.Range{Min: 0, Max: 50, Unit: "percent"}
	RangeOutageMinutes           = plan.Range{Min: 0, Max: 31 * quantity.MinutesPerDay, Above: true, Unit: "minutes"}
	RangeOutageStartHours        = plan.Range{Min: 0, Max: hoursPerDay, Unit: "hours"}
	RangeOutageRPOMinutes        = plan.Range{Min: 1, Max: 62 * quantity.MinutesPerDay, Unit: "minutes"}
	RangeDeadlineHours           = plan.Range{Min: 1e-3, Max: 31 * hoursPerDay, Unit: "hours"}
	RangeAgeDays                 = plan.Range{Min: 0, Max: 1e6, Unit: "days"}
	RangeHorizonMonths           = plan.Range{Min: 1, Max: 600, Whole: true, Unit: "months"}
	RangeHourlyWeight            = plan.Range{Min: 0, Max: 1e6}
	RangePeakStartHour           = plan.Range{Min: 0, Max: hoursPerDay, Unit: "hours"}
	RangeInstances               = plan.Range{Min: 1, Max: maxInstances, Whole: true}
	RangeFreeGiB                 = plan.Range{Min: 0, Max: 1e12, Unit: "GiB"}
	// RangeVMCount allows a tier without VMs. The verdict on such a tier is plan.Empty.
	RangeVMCount = plan.Range{Min: 0, Max: maxVMs, Whole: true, Unit: "VMs"}
	// RangeMovesPercent allows migrations to use the whole link.
	RangeMovesPercent = plan.Range{Min: 0, Max: quantity.Percent, Unit: "percent"}
)

// Replication mechanisms.
const (
	MechanismReplication = "vsphere_replication"
	MechanismGroup       = "protection_group"
)

// Mechanisms lists the values of mechanism.
var Mechanisms = []string{MechanismReplication, MechanismGroup}
