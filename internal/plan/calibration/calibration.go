// Package calibration compares the throughput, the daily change and the sync duration that a plan assumes with those
// measured in the last sync of a replication.
//
// One sync is one sample. It measures only the share of the link that this replication received, and short syncs mostly
// measure the fixed overhead. The thresholds are this project's own assumptions.
package calibration

import (
	"errors"
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	defaultTolerancePercent = 10

	// MeasurableSeconds is the duration of the shortest sync whose throughput is compared. vSphere Replication reports
	// whole seconds, so a duration of 10 s is accurate to within 10%.
	MeasurableSeconds = 10
	// FullCopyPercent is the minimum size of a full sync, as a percentage of the VM's data. The API does not
	// distinguish full syncs from deltas, but only the size of a delta shows how much data has changed.
	FullCopyPercent = 50
)

// Input contains the measurements of the last sync and the assumptions of the plan. A field is nil if the measurement
// is unknown or the plan makes no such assumption.
type Input struct {
	// SizeBytes and Seconds are the size and the duration of the last sync; nil if there has been no sync.
	SizeBytes, Seconds *float64
	// RPOMinutes is the configured RPO.
	RPOMinutes float64
	// IntervalSeconds is the time from the start of the previous sync to the start of the last sync. The default is
	// computed as described for Result.IntervalSeconds.
	IntervalSeconds *float64
	// VMSizeGiB is the size of the VM's data in GiB (2^30 bytes).
	VMSizeGiB *float64
	// ThroughputMbps is the planned throughput of one sync in 10^6 bit/s.
	ThroughputMbps *float64
	// DailyChangePercent is the planned daily change as a percentage of VMSizeGiB.
	DailyChangePercent *float64
	// PeakFactor is the planned peak factor; see replication.Input.
	PeakFactor *float64
	// TolerancePercent is the acceptable difference between measurement and assumption.
	TolerancePercent float64
}

// Defaults returns the default input: a tolerance of 10%.
func Defaults() Input { return Input{TolerancePercent: defaultTolerancePercent} }

// Result is the result of the comparison. Pointers are nil if there is nothing to compare.
type Result struct {
	// EffectiveThroughputMbps is SizeBytes * 8 / Seconds / 10^6. It is nil if there has been no sync, or if the last
	// sync was empty or shorter than one second.
	EffectiveThroughputMbps *float64
	// IntervalSeconds is the given interval. If none is given, it is max(Seconds, RPOMinutes * 60), the longest
	// interval that vSphere Replication allows. Real intervals can be shorter, in which case the change rate is higher.
	IntervalSeconds *float64
	// EffectiveDailyChangeGiB is SizeBytes / 2^30 * 86400 / IntervalSeconds. It is nil if there has been no sync or if
	// the last sync was a full sync.
	EffectiveDailyChangeGiB *float64
	// EffectiveDailyChangePercent is EffectiveDailyChangeGiB as a percentage of VMSizeGiB.
	EffectiveDailyChangePercent *float64
	// EstimatedSyncSeconds is the planned duration of a sync, computed by replication.Estimate for this VM alone.
	EstimatedSyncSeconds *float64
	// Optimistic reports whether any assumption is too optimistic compared with its measurement; nil if nothing could
	// be compared.
	Optimistic *bool
	calculator.Explanation
}

// Calibrate compares the assumptions with the measurements. The error is a plan.InputErrors.
//
// Example: with an RPO of 15 minutes, a sync that sends 2 GiB (17,179,869,184 bits) in 300 s has a throughput of 57.27
// Mbit/s. A sync starts every 900 s at the latest, so the daily change is at least 2 * 86400 / 900 = 192 GiB, or 19.2%
// of 1,000 GiB.
func Calibrate(in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	var r Result
	if err := r.estimate(in); err != nil {
		return Result{}, err
	}
	if in.SizeBytes == nil {
		r.find(reasonNoSync)
		r.Summary = "No sync yet."
		return r, nil
	}
	r.measure(in)
	r.compare(in)
	r.Summary = r.summary(in)
	return r, nil
}

func (r *Result) measure(in Input) {
	size, seconds := *in.SizeBytes, *in.Seconds
	if size > 0 && seconds >= 1 { // durations are reported in whole seconds
		r.EffectiveThroughputMbps = new(size * quantity.BitsPerByte / seconds / quantity.BitsPerMbit)
	}
	interval := max(seconds, in.RPOMinutes*quantity.SecondsPerMinute)
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

func (r *Result) estimate(in Input) error {
	if in.VMSizeGiB == nil || in.ThroughputMbps == nil || in.DailyChangePercent == nil {
		return nil
	}
	of := replication.Defaults()
	of.VMCount = 1
	of.VMSizeGiB = *in.VMSizeGiB
	of.RPOMinutes = in.RPOMinutes
	of.ThroughputMbps = *in.ThroughputMbps
	of.DailyChangePercent = *in.DailyChangePercent
	of.PeakFactor = in.PeakFactor
	estimate, err := replication.Estimate(of)
	if err == nil {
		r.EstimatedSyncSeconds = &estimate.OngoingSyncSeconds
	}
	return err
}

func (r *Result) compare(in Input) {
	above := 1 + in.TolerancePercent/quantity.Percent
	below := 1 - in.TolerancePercent/quantity.Percent
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
		r.Optimistic = &optimistic
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
		return s + ". There is no assumption of the plan to compare it with."
	case *r.Optimistic:
		return s + ". The plan is optimistic."
	}
	if planned := r.EstimatedSyncSeconds; planned != nil && *planned > in.RPOMinutes*quantity.SecondsPerMinute {
		return s + ". The sync is as planned, but the plan itself misses the RPO: its busiest sync takes " +
			quantity.Duration(*planned).Ceil() + "."
	}
	return s + ". The sync is as planned."
}

func (in Input) check() error {
	errs := inputs.Check(&in, nil)
	if (in.SizeBytes == nil) != (in.Seconds == nil) {
		errs = errs.With(plan.Attr("last_sync_duration_seconds"),
			errors.New("must be set together with last_sync_size_bytes; omit both before the first sync"))
	}
	if in.DailyChangePercent != nil && in.VMSizeGiB == nil {
		errs = errs.With(plan.Attr("vm_size_gib"),
			errors.New("is required with daily_change_percent, which is a percentage of it"))
	}
	return errs.Err()
}
