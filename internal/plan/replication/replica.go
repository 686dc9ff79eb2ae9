package replication

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

// MaxInstances is the maximum number of point-in-time instances per VM in vSphere Replication.
const MaxInstances = 24

// nearlyFull is the share of the free space that the replicas can use without leaving too little for vSphere and other
// VMs.
const nearlyFull = 0.95

// componentsPerObject is the number of vSAN components of a mirrored object: two copies and a witness.
const componentsPerObject = 3

// PointInTime describes which point-in-time instances are kept: the number per day and the number of days.
type PointInTime struct{ InstancesPerDay, Days float64 }

// StorageInput describes identical VMs and the datastore that holds their replicas.
type StorageInput struct {
	// VMCount is the number of VMs, a whole number in RangeVMCount.
	VMCount float64
	// UsedGiB is the size of each VM's data in GiB (2^30 bytes).
	UsedGiB float64
	// DailyChangePercent is the daily change as a percentage of the data. It is ignored if ChangeCurve is set.
	DailyChangePercent float64
	// ChangeCurve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the interval.
	// If it is nil, DailyChangePercent applies.
	ChangeCurve map[float64]float64
	// RPOMinutes is the promised RPO. A sync sends the changes made in an interval of this length.
	RPOMinutes float64
	// PointInTime describes the instances to keep; nil if only the newest recovery point is kept.
	PointInTime *PointInTime
	// DisksPerVM is the number of disks of each VM; nil if unknown.
	DisksPerVM *float64
	// TargetFreeGiB is the free space on the target datastore in GiB; nil if unknown.
	TargetFreeGiB *float64
	// GrowthPercentPerYear is the annual growth of data and change; nil for none.
	GrowthPercentPerYear *float64
	// HorizonMonths limits how far growth is projected.
	HorizonMonths float64
}

// StorageResult contains the space that the replicas need.
type StorageResult struct {
	// Instances is the number of point-in-time instances per VM.
	Instances int64
	// VSANComponents is the number of vSAN components of all instances: two copies and a witness for each disk and
	// instance. It is nil if the number of disks is unknown.
	VSANComponents *int64
	// TargetGiB is the space that all replicas need.
	TargetGiB float64
	// Fits reports whether TargetGiB is at most the free space; nil if the free space is unknown.
	Fits *bool
	// MonthsUntilFull is the number of months until growth fills the free space. It is 0 if the replicas do not fit, and
	// nil if the free space is unknown, if there is no growth, or if the free space lasts beyond the horizon.
	MonthsUntilFull *float64
	calculator.Explanation
}

// ReplicaStorage computes the space that the replicas need:
//
//	target = VMCount * (UsedGiB + instances * U(1440 / InstancesPerDay) + U(RPOMinutes))
//
// U(m) is the amount of data that changes on one VM in m minutes, capped at the size of its data. The last term is for
// the sync in progress. The error is a plan.InputErrors.
func ReplicaStorage(in StorageInput) (StorageResult, error) {
	if err := in.check(); err != nil {
		return StorageResult{}, err
	}
	var r StorageResult
	curve := in.curve()
	each := in.UsedGiB + curve.At(in.RPOMinutes)
	if p := in.PointInTime; p != nil {
		r.Instances = int64(p.InstancesPerDay * p.Days)
		each += float64(r.Instances) * curve.At(quantity.MinutesPerDay/p.InstancesPerDay)
	}
	if in.DisksPerVM != nil {
		r.VSANComponents = new(int64(in.VMCount**in.DisksPerVM) * r.Instances * componentsPerObject)
	}
	r.TargetGiB = in.VMCount * each
	if in.TargetFreeGiB != nil {
		r.Fits = new(r.TargetGiB <= *in.TargetFreeGiB)
	}
	in.grow(&r)
	in.explain(&r, curve)
	return r, nil
}

func (in StorageInput) curve() changerate.Curve {
	if in.ChangeCurve != nil {
		return changerate.NewCurve(in.ChangeCurve, in.UsedGiB)
	}
	return changerate.Linear(in.DailyChangePercent, in.UsedGiB, in.UsedGiB)
}

func (in StorageInput) check() error {
	errs := storageInputs.Check(&in, nil)
	errs = append(errs, checkCurve(in.ChangeCurve, plan.Attr("change_curve"))...)
	p := in.PointInTime
	if p == nil || len(errs) > 0 {
		return errs.Err()
	}
	at := plan.Attr("point_in_time")
	if n := p.InstancesPerDay * p.Days; n > MaxInstances {
		errs = errs.With(at, fmt.Errorf(
			"must keep at most %d instances (instances_per_day * days), got %s", MaxInstances, plan.Number(n)))
	}
	if most := quantity.MinutesPerDay / in.RPOMinutes; p.InstancesPerDay > most {
		errs = errs.With(at.Attr("instances_per_day"), fmt.Errorf(
			"must be at most %s, the number of recovery points per day with an RPO of %s, got %s",
			plan.Thousands(float64(int64(most)), -1), minutesText(in.RPOMinutes), plan.Number(p.InstancesPerDay)))
	}
	return errs.Err()
}

func (in StorageInput) explain(r *StorageResult, curve changerate.Curve) {
	if r.Fits != nil && !*r.Fits {
		r.Findings = append(r.Findings, reasonTargetTooSmall.Finding(
			quantity.FromGiB(r.TargetGiB).Ceil(), quantity.FromGiB(*in.TargetFreeGiB)))
	}
	if r.Fits != nil && *r.Fits && r.TargetGiB > nearlyFull**in.TargetFreeGiB {
		r.Findings = append(r.Findings, reasonTargetNearlyFull.Finding(
			quantity.FromGiB(r.TargetGiB).Ceil(), quantity.FromGiB(*in.TargetFreeGiB)))
	}
	covered := curve.Covers(in.RPOMinutes) &&
		(in.PointInTime == nil || curve.Covers(quantity.MinutesPerDay/in.PointInTime.InstancesPerDay))
	if !covered {
		r.Findings = append(r.Findings, reasonExtrapolated.Finding(ends(curve)...))
	}
	if in.RPOMinutes < leastPlainRPOMinutes {
		r.Findings = append(r.Findings, reasonLowRPO.Finding(minutesText(in.RPOMinutes)))
	}
	kept := ", without point-in-time instances"
	if r.Instances > 0 {
		kept = " and " + plan.Count(float64(r.Instances), "point-in-time instance") + " each"
	}
	requires := "require"
	if in.VMCount == 1 {
		requires = "requires"
	}
	r.Summary = fmt.Sprintf("%s of %s %s %s on the target, including the sync in progress%s: %s times the data.",
		plan.Count(in.VMCount, "VM"), quantity.FromGiB(in.UsedGiB), requires, quantity.FromGiB(r.TargetGiB).Ceil(), kept,
		plan.Thousands(r.TargetGiB/(in.VMCount*in.UsedGiB), 2))
	if r.Fits != nil {
		r.Summary += fmt.Sprintf(" The target has %s free.", quantity.FromGiB(*in.TargetFreeGiB))
	}
}

func ends(c changerate.Curve) []any {
	first, last := c.Ends()
	return []any{minutesText(first), minutesText(last)}
}

// Ranges of the inputs that an estimate does not have.
var (
	RangeInstances = plan.Range{Min: 1, Max: MaxInstances, Whole: true}
	RangeDisks     = plan.Range{Min: 1, Max: 256, Whole: true, Unit: "disks"}
	RangeFreeGiB   = plan.Range{Min: 0, Max: 1e12, Unit: "GiB"}
)

var reasonTargetTooSmall = calculator.Reason{
	Code: "target_too_small", Sentence: "The replicas require %s, but the target datastore has only %s free.",
}

var reasonTargetNearlyFull = calculator.Reason{
	Code:     "target_nearly_full",
	Sentence: "The replicas require %s, more than 95%% of the free space of the target datastore (%s).",
}

// StorageDefinition describes the replica_storage calculator.
var StorageDefinition = calculator.Definition[StorageInput, StorageResult]{
	Names: calculator.Names{
		Name:     "replica_storage",
		Function: "replica_storage",
		Command:  "storage",
		Example:  "--vm-count 10 --used-gib 100 --daily-change-percent 5 --rpo-minutes 60",
		Title:    "Replica storage",
		Summary:  "Space that replicas require at the target",
		Description: "Calculates the space that the replicas of a group of VMs require on the target datastore. This " +
			"includes their data, their point-in-time instances, and the sync in progress. Requires no connection and no " +
			"credentials.\n\n" +
			"The space is `vm_count * (used_gib + instances * U(1440 / instances_per_day) + U(rpo_minutes))`, where `U(m)` " +
			"is the change of one VM in m minutes, capped at `used_gib`.\n\n" +
			"Example: a VM with 100 GiB changes 1.6 GiB in 15 minutes and 2.8 GiB in 240 minutes. With an RPO of 15 " +
			"minutes and 6 instances per day for 4 days, its replica requires 100 + 24 * 2.8 + 1.6 = 168.8 GiB.\n\n" +
			"Growth multiplies the space by (1 + growth)^(months / 12). At 30% per year, 168.8 GiB grow to 300 GiB after " +
			"12 * ln(300 / 168.8) / ln 1.3 = 26.3 months.\n\n" +
			"VMware's architecture toolkit recommends reserving 2 to 3 times the disk size for replicas with point-in-time " +
			"instances. That allowance also covers unknown change rates and snapshot consolidation. The space calculated " +
			"here does not include consolidation.",
	},
	Default: func() StorageInput { return StorageInput{HorizonMonths: defaultHorizonMonths} },
	Inputs:  storageInputs,
	Results: calculator.Outputs[StorageResult]{
		calculator.Result("instances", "Number of point-in-time instances that are kept per VM. 0 without `point_in_time`.",
			func(r *StorageResult) *int64 { return &r.Instances }),
		calculator.Result("vsan_components",
			"Number of components of the instances on a vSAN datastore: `vm_count * disks_per_vm * instances * 3` (two "+
				"copies and a witness for each disk and instance). The number of components per host is limited. Null without "+
				"`disks_per_vm`.",
			func(r *StorageResult) **int64 { return &r.VSANComponents }).Better(calculator.Lower),
		calculator.Result("target_gib", "Space of all replicas at the target, in GiB.",
			func(r *StorageResult) *float64 { return &r.TargetGiB }).Better(calculator.Lower).
			BoundaryOf("target_free_gib", "fits"),
		calculator.Result("fits", "Whether `target_gib` is at most `target_free_gib`. Null without `target_free_gib`.",
			func(r *StorageResult) **bool { return &r.Fits }),
		calculator.Result("months_until_full",
			"Months until growth uses up `target_free_gib`, as a decimal number. 0 if the replicas do not fit today. Null "+
				"without growth or `target_free_gib`, or if they still fit at the horizon.",
			func(r *StorageResult) **float64 { return &r.MonthsUntilFull }).Better(calculator.Higher),
	},
	Flag:    &calculator.Flag{Name: "fits", Good: true},
	Reasons: []calculator.Reason{reasonTargetTooSmall, reasonTargetNearlyFull, reasonExtrapolated, reasonLowRPO},
	Explain: func(r *StorageResult) *calculator.Explanation { return &r.Explanation },
	Compute: ReplicaStorage,
}

// PointInTimeInputs describes the inputs of PointInTime.
var PointInTimeInputs = calculator.Inputs[PointInTime]{
	calculator.Required("instances_per_day", RangeInstances,
		"Number of instances to keep per day. The instances cannot be closer together than the RPO.",
		func(p *PointInTime) *float64 { return &p.InstancesPerDay }).Better(calculator.Lower),
	calculator.Required("days", RangeInstances, "Number of days to keep instances.",
		func(p *PointInTime) *float64 { return &p.Days }).Better(calculator.Lower),
}

var storageInputs = calculator.Inputs[StorageInput]{
	calculator.Required("vm_count", RangeVMCount, "Number of VMs.",
		func(in *StorageInput) *float64 { return &in.VMCount }).Better(calculator.Lower),
	calculator.Required("used_gib", RangeVMSizeGiB, "Data of each VM, in GiB (2^30 bytes).",
		func(in *StorageInput) *float64 { return &in.UsedGiB }).Better(calculator.Lower),
	calculator.Required("daily_change_percent", RangeDailyChangePercent,
		"Data that changes per day, as a percentage of `used_gib`.",
		func(in *StorageInput) *float64 { return &in.DailyChangePercent }).OrElse("change_curve").Better(calculator.Lower),
	calculator.Points("change_curve", RangeCurveMinutes, RangeCurveGiB,
		"Change of one VM in GiB, by interval in minutes, as in `vsla_replication_estimate`.",
		func(in *StorageInput) *map[float64]float64 { return &in.ChangeCurve }).Better(calculator.Lower),
	calculator.Required("rpo_minutes", RangeRPOMinutes, "Recovery point objective, in minutes.",
		func(in *StorageInput) *float64 { return &in.RPOMinutes }).Better(calculator.Lower),
	calculator.Nested("point_in_time",
		"Point-in-time instances to keep in addition to the newest recovery point, as in `vsla_replication`. "+
			"`instances_per_day * days` must not exceed 24. By default, no instances are kept.",
		PointInTimeInputs, func() PointInTime { return PointInTime{} },
		func(in *StorageInput) **PointInTime { return &in.PointInTime }).Better(calculator.Lower),
	calculator.Absent("disks_per_vm", RangeDisks, "Number of disks of each VM, for `vsan_components`.",
		func(in *StorageInput) **float64 { return &in.DisksPerVM }).Better(calculator.Lower),
	calculator.Absent("target_free_gib", RangeFreeGiB,
		"Free space of the target datastore without any of these replicas, in GiB.",
		func(in *StorageInput) **float64 { return &in.TargetFreeGiB }).Better(calculator.Higher),
	calculator.Absent("growth_percent_per_year", RangeGrowthPercent,
		"Annual growth of the data and of its daily change, in percent.",
		func(in *StorageInput) **float64 { return &in.GrowthPercentPerYear }).Better(calculator.Lower),
	calculator.Optional("horizon_months", RangeHorizonMonths, "Period for which growth is evaluated, in months.",
		func(in *StorageInput) *float64 { return &in.HorizonMonths }).Better(calculator.Lower),
}
