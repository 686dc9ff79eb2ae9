// Package promise determines whether the promises to tiers of VMs can be met on the links and targets that the tiers
// share, and which configured RPO keeps each promise. It simulates every VM individually.
package promise

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Plan describes the promises to tiers of VMs and the links and targets that the tiers share.
type Plan struct {
	// Links contains at least one link, by name. Each link has one direction.
	Links map[string]Link
	// Targets contains the storage that holds the replicas, by name. Several links can lead to the same target.
	Targets map[string]Target
	// Tiers contains at least one tier, by name.
	Tiers map[string]Tier
	// GrowthPercentPerYear is the annual growth of data and change; nil for none. HorizonMonths limits how far growth
	// is projected.
	GrowthPercentPerYear *float64
	HorizonMonths        float64
	// JitterPercent is the maximum share of the configured RPO by which a sync starts early, in percent.
	JitterPercent float64
	// MaxConcurrentSyncs is the maximum number of concurrent syncs on each link; nil for no limit.
	MaxConcurrentSyncs *float64
	// SourceReadMbps is the rate at which all syncs together can read from the source storage, in 10^6 bit/s of
	// uncompressed data; nil for no limit.
	SourceReadMbps *float64
	// ChecksumMbps is the rate at which seeded data is compared, for all VMs together, in 10^6 bit/s of uncompressed
	// data; nil for no comparison.
	ChecksumMbps *float64

	callbacks Callbacks
	// mergesVMs simulates many identical VMs as fewer ones.
	mergesVMs bool
}

// Link is a network link in one direction.
type Link struct {
	// ThroughputMbps is the throughput in 10^6 bit/s. It is nil if HourlyThroughputMbps is set (24 numbers from
	// midnight), if the throughput is computed from Network, or if Measured has it.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	Network              *link.Input
	Measured             *Measurement
	// MaxAgeDays is the age up to which Measured is relied on.
	MaxAgeDays float64
	// EfficiencyPercent is the usable share of the throughput.
	EfficiencyPercent float64
	// ThroughputBasis is one of plan.Bases; empty if unknown.
	ThroughputBasis string
	// OutageMinutes is the duration of an outage that begins OutageStartHours after the start of the simulation; nil
	// for no outage.
	OutageMinutes    *float64
	OutageStartHours float64
	// HourlyMovesPercent is the percentage of the link that migrations use in each hour of the day (24 numbers); nil
	// for no migrations.
	HourlyMovesPercent []float64
	// Ranges are the bounds of uncertain inputs, by input name. The input itself is the likely value.
	Ranges map[string]calculator.Ends

	// measurement is Measured of a link that has its throughput.
	measurement *Measurement
}

// Target is the storage that holds replicas.
type Target struct {
	// FreeGiB is the free space; nil if unknown.
	FreeGiB *float64
	// WriteMbps is the write rate in 10^6 bit/s of uncompressed data; nil for no limit.
	WriteMbps *float64
	// WriteFactor is the number of bytes written per byte received.
	WriteFactor float64
}

// Tier is a group of VMs that share a promise.
type Tier struct {
	// VirtualMachines are the VMs by name; nil if the VMs are identical and described by VMCount and VMSizeGiB.
	VirtualMachines    map[string]VM
	VMCount, VMSizeGiB *float64
	// Link and Target are names. An empty Link selects the only link; an empty Target means no target.
	Link, Target string
	// RPOMinutes is the promised RPO. ConfiguredRPOMinutes is the RPO that vSphere Replication is configured with; nil
	// if it is to be chosen, at least MinConfiguredRPOMinutes.
	RPOMinutes              float64
	ConfiguredRPOMinutes    *float64
	MinConfiguredRPOMinutes float64
	// TargetCompliancePercent is the promised share of time within the RPO for each VM; nil for DefaultTargetPercent.
	// It applies only with ConfiguredRPOMinutes.
	TargetCompliancePercent *float64
	// MaxOutageRPOMinutes is the promised age of a recovery point during the outage of the link; nil for no promise.
	MaxOutageRPOMinutes *float64
	// DeadlineHours is the time after a cold start of all tiers by which the tier's initial sync must be complete; nil
	// for no deadline.
	DeadlineHours *float64
	// DailyChangePercent is the daily change of VMs that have no value of their own. It is nil if ChangeCurve is set or
	// each VM has a value.
	DailyChangePercent *float64
	// ChangeCurve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the
	// interval. If it is nil, DailyChangePercent applies.
	ChangeCurve map[float64]float64
	// HourlyWeights distributes the daily change over 24 hours from midnight. Alternatively, the change occurs at
	// PeakFactor times its mean rate, starting at PeakStartHour, until the whole daily change has occurred.
	HourlyWeights []float64
	PeakFactor    *float64
	// PeakStartHour is nil if it is not known.
	PeakStartHour *float64
	// worseStartHour is the start of the busiest time at the worse end if PeakStartHour is not known and the throughput
	// of the link depends on the hour; nil otherwise.
	worseStartHour *float64
	// AssumedInputs names inputs of the tier whose values a tool has filled in.
	AssumedInputs []string
	// PerSyncMbps is the maximum rate of one sync; nil if only the link and the target limit it.
	PerSyncMbps *float64
	// CompressionRatio is the ratio of the original size to the size on the wire.
	CompressionRatio float64
	// OverheadSeconds and QuiesceSeconds add up to the fixed delay before a sync starts to send data. Initial syncs
	// start without this delay.
	OverheadSeconds, QuiesceSeconds float64
	// SeededPercent is the share of the data that is already at the target before the initial sync.
	SeededPercent float64
	// PointInTime describes the recovery points that are kept in addition to the newest; nil for none.
	PointInTime *PointInTime
	// Mechanism is one of replication.Mechanisms. The default is vSphere Replication.
	Mechanism string
	// Ranges are the bounds of uncertain inputs, by input name. The input itself is the likely value.
	Ranges map[string]calculator.Ends
}

// VM is a VM of a tier.
type VM struct {
	// ID is the ID of the VM in vCenter; empty if it is known by its name only.
	ID string
	// SizeGiB is the size of the data in GiB (2^30 bytes). If it is nil (unknown), the verdict on the tier is at best
	// plan.Unknown, and all other results assume the median size of the tier.
	SizeGiB *float64
	// DailyChangePercent and SeededPercent override the tier's values; nil for no override.
	DailyChangePercent, SeededPercent *float64
}

// Ends are the bounds of an uncertain input.
type Ends = calculator.Ends

// Defaults returns the default plan. docs/adr/0010-schedule-jitter.md describes how the default jitter was chosen.
func Defaults() Plan { return Plan{JitterPercent: 10, HorizonMonths: 36} }

// LinkDefaults returns the default link.
func LinkDefaults() Link {
	return Link{EfficiencyPercent: quantity.Percent, OutageStartHours: 12, MaxAgeDays: 90}
}

// TargetDefaults returns the default target, which writes each received byte twice.
func TargetDefaults() Target { return Target{WriteFactor: 2} }

// TierDefaults returns the default tier.
func TierDefaults() Tier {
	return Tier{CompressionRatio: 1, MinConfiguredRPOMinutes: frequentMinutes}
}

// LinkInputs returns the inputs of a link.
func LinkInputs() calculator.Inputs[Link] { return linkInputs }

// TargetInputs returns the inputs of a target.
func TargetInputs() calculator.Inputs[Target] { return targetInputs }

// TierInputs returns the inputs of a tier.
func TierInputs() calculator.Inputs[Tier] { return tierInputs() }

// Callbacks contains callbacks that report the progress of a computation.
type Callbacks struct {
	// Runs is called after each simulation run with the number of completed runs and the total number of runs. It can
	// be nil.
	Runs func(done, all int)
	// Partial is called by Compute with the verdicts before needs, growth and remedies are computed. It can be nil.
	Partial func(Result)
}

// WithCallbacks returns the plan with callbacks for its computation.
func (p Plan) WithCallbacks(w Callbacks) Plan {
	p.callbacks = w
	return p
}

// UsableMbps returns the usable part of the mean throughput of a valid link in Mbit/s, likely and at the worse end.
func (l Link) UsableMbps() (likely, worse float64) {
	c := l.withMeasured().withBasis(plan.BasisNominal).capacity()
	if l.Network != nil {
		c.usableShare = 1
	}
	return c.mean() * c.usableShare, c.mean() * c.worseUsable()
}

// MeanMbps returns the mean throughput of a link in Mbit/s, or 0 for an invalid link.
func (l Link) MeanMbps() float64 {
	if l.check(nil).Err() != nil {
		return 0
	}
	return l.withMeasured().capacity().mean()
}
