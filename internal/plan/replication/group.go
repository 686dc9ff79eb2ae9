package replication

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const hoursPerDay = calculator.HoursPerDay

// Ranges of the inputs of a plan that an estimate does not have.
var (
	RangeDays                    = plan.Range{Min: 1, Max: 31, Whole: true, Unit: "days"}
	RangeHourlyWeight            = plan.Range{Min: 0, Max: 1e6}
	RangeHourlyThroughputMbps    = plan.Range{Min: 0, Max: 1e12, Unit: "Mbit/s"}
	RangeMaxConcurrentSyncs      = plan.Range{Min: 1, Max: simulation.MaxVMs, Whole: true, Unit: "syncs"}
	RangeTargetCompliancePercent = plan.Range{Min: 0, Max: 100, Above: true, Unit: "percent"}
	RangeRuns                    = plan.Range{Min: 1, Max: 1000, Whole: true, Unit: "runs"}
	RangeJitterPercent           = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeOutageMinutes           = plan.Range{Min: 0, Max: 31 * quantity.MinutesPerDay, Above: true, Unit: "minutes"}
	RangeScheduleDeadlineHours   = plan.Range{Min: 1e-3, Max: 31 * hoursPerDay, Unit: "hours"}
	RangeScheduleHorizonMonths   = plan.Range{Min: 1, Max: 600, Whole: true, Unit: "months"}
	RangePeakStartHour           = plan.Range{Min: 0, Max: hoursPerDay, Unit: "hours"}
	RangeOutageStartHours        = plan.Range{Min: 0, Max: 31 * hoursPerDay, Unit: "hours"}
)

// Group describes how VMs with the same promise change and are replicated.
type Group struct {
	// ChangeCurve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the interval.
	// If it is nil, the daily change of the VMs applies.
	ChangeCurve map[float64]float64
	// RPOMinutes is the promised RPO.
	RPOMinutes float64
	// HourlyWeights distributes the daily change over 24 hours from midnight. Alternatively, the change occurs at
	// PeakFactor times its mean rate, starting at PeakStartHour, until the whole daily change has occurred. By default,
	// the change is evenly distributed.
	HourlyWeights []float64
	PeakFactor    *float64
	PeakStartHour float64
	// CompressionRatio is the ratio of the original size to the size on the wire.
	CompressionRatio float64
	// OverheadSeconds and QuiesceSeconds add up to the fixed delay before a sync starts to send data. Initial syncs start
	// without this delay.
	OverheadSeconds, QuiesceSeconds float64
	// SeededPercent is the share of the data that is already at the target before the initial sync.
	SeededPercent float64
	// Mechanism is one of Mechanisms. The default is vSphere Replication.
	Mechanism string
}

// GroupDefaults returns the default group.
func GroupDefaults() Group { return Group{CompressionRatio: 1, PeakStartHour: 8} }

// GroupInput returns the group input with the given name. It panics if there is no such input.
func GroupInput(name string) calculator.Input[Group] {
	i := slices.IndexFunc(groupInputs, func(row calculator.Input[Group]) bool { return row.Name == name })
	return groupInputs[i]
}

var groupInputs = calculator.Inputs[Group]{
	calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
		"Change of one VM in GiB, by interval in minutes, such as `{ 15 = 1.6, 240 = 2.8, 1440 = 7 }`. A sync sends the "+
			"change for the time since the start of the previous sync, with each minute weighted by `hourly_weights`.",
		func(g *Group) *map[float64]float64 { return &g.ChangeCurve }).Better(calculator.Lower),
	calculator.Required("rpo_minutes", RangeRPOMinutes, "Recovery point objective, in minutes.",
		func(g *Group) *float64 { return &g.RPOMinutes }).Better(calculator.Higher),
	calculator.HourList("hourly_weights", RangeHourlyWeight,
		"Distribution of the daily change over the hours. Only the proportions of the numbers matter. If not set, the "+
			"change is evenly distributed. All hourly lists must use the same time zone. The lists of `vsla_change_rates` "+
			"are in UTC.",
		func(g *Group) *[]float64 { return &g.HourlyWeights }).Either("only the proportions matter"),
	calculator.Absent("peak_factor", RangePeakFactor,
		"Ratio of the change rate in the peak to the daily mean. Conflicts with `hourly_weights`. The peak starts at "+
			"`peak_start_hour` and lasts for 1,440 / `peak_factor` minutes. No data changes outside the peak. "+
			"`vsla_replication_estimate` assumes the same distribution.",
		func(g *Group) **float64 { return &g.PeakFactor }).Better(calculator.Lower),
	calculator.Optional("peak_start_hour", RangePeakStartHour,
		"Start of the peak, in hours from midnight, in the time zone of the hourly lists. Has no effect without "+
			"`peak_factor`.",
		func(g *Group) *float64 { return &g.PeakStartHour }).
		Either("the effect depends on the other traffic at that time"),
	calculator.Optional("compression_ratio", RangeCompressionRatio, "Ratio of the original size to the size on the wire.",
		func(g *Group) *float64 { return &g.CompressionRatio }).Better(calculator.Higher),
	calculator.Optional("overhead_seconds", RangeOverheadSeconds,
		"Fixed overhead before the data of a sync is sent, in seconds. Does not apply to the initial sync.",
		func(g *Group) *float64 { return &g.OverheadSeconds }).Better(calculator.Lower),
	calculator.Optional("quiesce_seconds", RangeOverheadSeconds,
		"Time to quiesce the VM before the data of a sync is sent, in seconds. Added to `overhead_seconds`. Does not "+
			"apply to the initial sync.",
		func(g *Group) *float64 { return &g.QuiesceSeconds }).Better(calculator.Lower),
	calculator.Optional("seeded_percent", RangeSeededPercent,
		"Share of the data that is already at the target before the initial sync, in percent.",
		func(g *Group) *float64 { return &g.SeededPercent }).
		Either("less data is sent, but more is compared"),
	calculator.Choice("mechanism", false, Mechanisms, mechanismDoc,
		func(g *Group) *string { return &g.Mechanism }).Neutral("it adds a reason, and changes no verdict"),
}
