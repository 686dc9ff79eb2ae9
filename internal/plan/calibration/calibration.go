// Package calibration compares what a plan assumes of a replication with what its last sync did: how fast it was, how
// much of the VM's data changes in a day, and whether the assumptions were optimistic.
//
// One sync is one sample. It measures the share of the link that this replication got while others ran, and short syncs
// measure their fixed cost; the thresholds for that are named constants and assumptions of this project.
package calibration

import (
	"errors"
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

const (
	defaultTolerancePercent = 10

	// MeasurableSeconds is the shortest sync whose speed is judged. vSphere Replication reports whole seconds, so that a
	// sync of 10 s is known to 10 %. An assumption of this project.
	MeasurableSeconds = 10
	// FullCopyPercent of the VM's data in one sync counts as a full copy, which has no information about change. The API
	// does not tell the first sync from others. An assumption of this project.
	FullCopyPercent = 50
)

// Input is a last sync and what the plan assumes. Nil fields are not known, or not assumed.
type Input struct {
	// SizeBytes and Seconds are size and duration of the last sync; nil before the first.
	SizeBytes, Seconds *float64
	// RPOMinutes is the configured RPO.
	RPOMinutes float64
	// IntervalSeconds lie between the start of the last sync and the start of the one before. Nil: as the RPO
	// requires, see Result.IntervalSeconds.
	IntervalSeconds *float64
	// VMSizeGiB is the VM's data, in GiB (2^30 bytes).
	VMSizeGiB *float64
	// ThroughputMbps is the throughput that the plan assumes for a sync of this replication, in 10^6 bit/s.
	ThroughputMbps *float64
	// DailyChangePercent is the plan's, of VMSizeGiB.
	DailyChangePercent *float64
	// PeakFactor is the plan's; see replication.Input.
	PeakFactor *float64
	// TolerancePercent is how far a measurement may be from an assumption before that counts as optimistic.
	TolerancePercent float64
	// Replay is a measured period to simulate; see replay.go.
	Replay
}

// Defaults returns an input with the documented default: a tolerance of 10 %.
func Defaults() Input {
	return Input{
		TolerancePercent: defaultTolerancePercent,
		Replay:           Replay{VMCount: defaultReplayVMs, Days: defaultReplayDays},
	}
}

// Result is the comparison. Pointers are nil where there is nothing to say.
type Result struct {
	// EffectiveThroughputMbps is SizeBytes * 8 / Seconds / 10^6; nil before the first sync, for an empty
	// one, and below one second.
	EffectiveThroughputMbps *float64
	// IntervalSeconds is the time over which the change is spread: as given, or max(Seconds, RPOMinutes * 60 - 1.2 *
	// Seconds), the distance of two starts that vsla_replication_schedule keeps as well. Real ones may be shorter, the
	// change higher.
	IntervalSeconds *float64
	// EffectiveDailyChangeGiB is SizeBytes / 2^30 * 86400 / IntervalSeconds; nil before the first sync and after a full
	// copy.
	EffectiveDailyChangeGiB *float64
	// EffectiveDailyChangePercent is that of VMSizeGiB.
	EffectiveDailyChangePercent *float64
	// EstimatedSyncSeconds is how long a sync takes by the plan: replication.Estimate of this VM alone.
	EstimatedSyncSeconds *float64
	// ReplayedCompliancePercent is the schedule's result for the measured period, ComplianceDifference the measured
	// compliance less that, in points.
	ReplayedCompliancePercent, ComplianceDifference *float64
	// Optimistic reports that an assumption is better than the measurement; nil if none could be compared.
	Optimistic *bool
	calculator.Explanation
}

// Calibrate compares. The error is a plan.InputErrors.
//
// By hand: RPO 15 minutes, 2 GiB (17,179,869,184 bit) in 300 s are 57.27 Mbit/s. Two starts are 900 - 1.2 * 300 = 540 s
// apart, so that a day brings 2 * 86400 / 540 = 320 GiB: 32 % of 1,000 GiB.
func Calibrate(in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	var r Result
	if err := r.estimate(in); err != nil {
		return Result{}, err
	}
	if err := r.replay(in); err != nil {
		return Result{}, err
	}
	if in.SizeBytes == nil {
		if in.CompliancePercent == nil {
			r.find(reasonNoSync)
		}
		r.Summary = r.withReplay("No sync yet.")
		return r, nil
	}
	r.measure(in)
	r.compare(in)
	r.Summary = r.withReplay(r.summary(in))
	return r, nil
}

// measure fills in what follows from the sync alone.
func (r *Result) measure(in Input) {
	size, seconds := *in.SizeBytes, *in.Seconds
	if size > 0 && seconds >= 1 { // less than the unit of the report is no duration to divide by
		r.EffectiveThroughputMbps = new(size * quantity.BitsPerByte / seconds / quantity.BitsPerMbit)
	}
	interval := max(seconds, in.RPOMinutes*quantity.SecondsPerMinute-simulation.PredictionFactor*seconds)
	if in.IntervalSeconds != nil {
		interval = *in.IntervalSeconds
	}
	r.IntervalSeconds = &interval
	if in.VMSizeGiB != nil && size >= *in.VMSizeGiB*quantity.BytesPerGiB*FullCopyPercent/quantity.Percent {
		r.find(reasonFullCopy, quantity.Size(size), FullCopyPercent, quantity.FromGiB(*in.VMSizeGiB))
		return
	}
	r.EffectiveDailyChangeGiB = new(size / quantity.BytesPerGiB * quantity.SecondsPerDay / interval)
	if in.VMSizeGiB != nil {
		r.EffectiveDailyChangePercent = new(*r.EffectiveDailyChangeGiB / *in.VMSizeGiB * quantity.Percent)
	}
}

// estimate returns the plan's own duration of a sync, by the plan's own formula.
func (r *Result) estimate(in Input) error {
	if in.VMSizeGiB == nil || in.ThroughputMbps == nil || in.DailyChangePercent == nil {
		return nil
	}
	of := replication.Defaults()
	of.VMCount, of.VMSizeGiB, of.RPOMinutes = 1, *in.VMSizeGiB, in.RPOMinutes
	of.ThroughputMbps, of.DailyChangePercent, of.PeakFactor = *in.ThroughputMbps, *in.DailyChangePercent, in.PeakFactor
	estimate, err := replication.Estimate(of)
	if err == nil {
		r.EstimatedSyncSeconds = &estimate.OngoingSyncSeconds
	}
	return err
}

// compare judges each assumption for which there is a measurement.
func (r *Result) compare(in Input) {
	above, below := 1+in.TolerancePercent/quantity.Percent, 1-in.TolerancePercent/quantity.Percent
	compared, optimistic := false, false
	judge := func(worse bool, reason calculator.Reason, args ...any) {
		compared = true
		if worse {
			optimistic = true
			r.find(reason, args...)
		}
	}
	short := *in.Seconds < MeasurableSeconds
	if short {
		r.find(reasonShort, quantity.Duration(*in.Seconds), MeasurableSeconds)
	}
	if assumed, got := in.ThroughputMbps, r.EffectiveThroughputMbps; assumed != nil && got != nil && !short {
		judge(*got < *assumed*below, reasonThroughput, quantity.FromMbps(*got), quantity.FromMbps(*assumed))
	}
	if assumed, got := in.DailyChangePercent, r.EffectiveDailyChangePercent; assumed != nil && got != nil {
		judge(*got > *assumed*above, reasonChange, plan.Thousands(*got, 1), plan.Thousands(*assumed, -1))
	}
	if estimated := r.EstimatedSyncSeconds; estimated != nil && r.EffectiveDailyChangeGiB != nil && !short {
		judge(*in.Seconds > *estimated*above, reasonDuration,
			quantity.Duration(*in.Seconds), quantity.Duration(*estimated).Ceil())
	}
	if compared {
		r.Optimistic = new(optimistic || r.Optimistic != nil && *r.Optimistic)
	}
}

func (r *Result) find(reason calculator.Reason, args ...any) {
	r.Findings = append(r.Findings, reason.Finding(args...))
}

func (r *Result) summary(in Input) string {
	s := fmt.Sprintf("The last sync sent %s in %s", quantity.Size(*in.SizeBytes), quantity.Duration(*in.Seconds))
	if r.EffectiveThroughputMbps != nil {
		s += fmt.Sprintf(" (%s)", quantity.FromMbps(*r.EffectiveThroughputMbps))
	}
	switch {
	case r.Optimistic == nil:
		return s + "; nothing could be compared with the plan."
	case *r.Optimistic:
		return s + "; the plan is optimistic."
	}
	return s + "; the plan holds."
}

func (in Input) check() error {
	errs := inputs.Check(&in, nil)
	if (in.SizeBytes == nil) != (in.Seconds == nil) {
		errs = errs.With(
			plan.Attr("last_sync_duration_seconds"),
			errors.New("must be given together with last_sync_size_bytes, or both left out before the first sync"),
		)
	}
	errs = append(errs, in.checkReplay()...)
	if in.DailyChangePercent != nil && in.VMSizeGiB == nil {
		errs = errs.With(
			plan.Attr("vm_size_gib"),
			errors.New("must be given with daily_change_percent, which is a share of it"),
		)
	}
	return errs.Err()
}
