package calibration

import (
	"errors"
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	// DisagreementPoints is the largest acceptable difference between measured and simulated compliance, in percentage
	// points.
	DisagreementPoints = 1

	// warmUpDays is the number of days that are simulated before the period but not counted.
	warmUpDays = 2

	defaultReplayVMs  = 1
	defaultReplayDays = 7
)

// Replay contains the measurements of identical VMs that share a link of ThroughputMbps.
type Replay struct {
	// CompliancePercent is the measured compliance; nil for no replay.
	CompliancePercent *float64
	// VMCount is the number of VMs. Days is the length of the simulated period.
	VMCount, Days float64
	// ChangeCurve and HourlyWeights are measured values. If there is no curve, DailyChangePercent is used instead.
	ChangeCurve   map[float64]float64
	HourlyWeights []float64
	// StartTogether starts the first syncs of all VMs at the same time instead of spreading them over the RPO.
	StartTogether bool
}

func (r *Result) replay(in Input) error {
	if in.CompliancePercent == nil {
		return nil
	}
	schedule := replication.ScheduleDefaults()
	schedule.ThroughputMbps, schedule.StartTogether = in.ThroughputMbps, in.StartTogether
	// Jitter would model unknown start times, but the measurements of a period already reflect their effect.
	schedule.JitterPercent = 0
	days := max(in.Days, math.Ceil(4*in.RPOMinutes/quantity.MinutesPerDay))
	schedule.Days = new(min(days+warmUpDays, replication.RangeDays.Max))
	group := replication.Group{
		VMCount: in.VMCount, VMSizeGiB: *in.VMSizeGiB, RPOMinutes: in.RPOMinutes, CompressionRatio: 1,
		ChangeCurve: in.ChangeCurve, HourlyWeights: in.HourlyWeights,
	}
	if in.ChangeCurve == nil {
		group.DailyChangePercent = *in.DailyChangePercent
	}
	schedule.Groups = map[string]replication.Group{replayed: group}
	simulated, err := replication.Simulate(schedule)
	if err != nil {
		return replayError(err)
	}
	late := 0.0
	for _, hour := range simulated.Hours[int(*schedule.Days-days)*calculator.HoursPerDay:] {
		late += hour.ViolationMinutes
	}
	reached := 100 * (1 - late/(in.VMCount*days*quantity.MinutesPerDay))
	r.ReplayedCompliancePercent = &reached
	difference := *in.CompliancePercent - reached
	r.ComplianceDifference = &difference
	r.Optimistic = new(difference < -DisagreementPoints)
	if *r.Optimistic {
		r.find(reasonCompliance, rounded(*in.CompliancePercent), rounded(reached))
	}
	return nil
}

const (
	replayed = "replay"
)

func replayError(err error) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok {
		return err
	}
	var moved plan.InputErrors
	for _, e := range problems {
		at := e.Path
		switch {
		case len(at) >= 3 && at[0].Name == "groups":
			at = at[2:]
		case at[0].Name == "groups", at[0].Name == "days":
			at = plan.Attr("replay_days")
		}
		moved = moved.With(at, errors.New(e.Reason))
	}
	return moved.Err()
}

func (in Input) checkReplay() plan.InputErrors {
	var errs plan.InputErrors
	if in.CompliancePercent == nil {
		return nil
	}
	for _, needed := range []struct {
		name    string
		missing bool
	}{
		{"throughput_mbps", in.ThroughputMbps == nil},
		{"vm_size_gib", in.VMSizeGiB == nil},
		{"daily_change_percent", in.DailyChangePercent == nil && in.ChangeCurve == nil},
	} {
		if needed.missing {
			errs = errs.With(plan.Attr(needed.name), errors.New("is required if compliance_percent is set"))
		}
	}
	return errs
}

func (r *Result) withReplay(summary string) string {
	if r.ComplianceDifference == nil {
		return summary
	}
	return fmt.Sprintf("%s The simulated compliance of the measured period is %s%%; the measured compliance differs by "+
		"%s percentage points.",
		summary, rounded(*r.ReplayedCompliancePercent), rounded(*r.ComplianceDifference))
}

func rounded(v float64) string { return plan.Number(math.Round(v*1000) / 1000) }
