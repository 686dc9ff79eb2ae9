package calibration_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calibration"
)

// replayed returns 10 VMs of 100 GiB with an RPO of an hour and a daily change of 10 %: together 100 GiB, which need
// 9.94 Mbit/s.
func replayed(measured, mbps float64) calibration.Input {
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = 60, new(100.0), &mbps, new(10.0)
	in.CompliancePercent, in.VMCount, in.Days = &measured, 10, 2
	return in
}

// TestCalibrate_replay compares a link with ample throughput with one that has half of the change rate.
func TestCalibrate_replay(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in         calibration.Input
		replayed   func(percent float64) bool
		optimistic bool
		codes      string
	}{
		"as measured":        {replayed(100, 100), func(p float64) bool { return p == 100 }, false, ""},
		"within a point":     {replayed(99.1, 100), func(p float64) bool { return p == 100 }, false, ""},
		"less than replayed": {replayed(98.9, 100), func(p float64) bool { return p == 100 }, true, "compliance_below_replayed"},
		"nothing was kept":   {replayed(0, 100), func(p float64) bool { return p == 100 }, true, "compliance_below_replayed"},
		"more than replayed": {replayed(100, 5), func(p float64) bool { return p < 50 }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := calibrate(t, test.in)
			if !test.replayed(*r.ReplayedCompliancePercent) || *r.Optimistic != test.optimistic ||
				math.Abs(*test.in.CompliancePercent-*r.ReplayedCompliancePercent-*r.ComplianceDifference) > 1e-12 {
				t.Errorf("got %+v, want the replayed compliance and verdict of the row", r)
			}
			assert.Equal(t, test.codes, strings.Join(plan.Codes(r.Findings), " "))
			assert.Contains(t, r.Summary, "The simulated compliance")
		})
	}
}

// TestCalibrate_replayInput checks that errors of the schedule are reported at the inputs of the calibration.
func TestCalibrate_replayInput(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*calibration.Input){
		"throughput_mbps must be given with compliance_percent": func(in *calibration.Input) { in.ThroughputMbps = nil },
		"vm_size_gib must be given":                             func(in *calibration.Input) { in.VMSizeGiB = nil },
		"daily_change_percent must be given with compliance_percent": func(in *calibration.Input) {
			in.DailyChangePercent = nil
		},
		`change_curve["120"] must be at least`: func(in *calibration.Input) {
			in.ChangeCurve = map[float64]float64{60: 2, 120: 1}
		},
		"compliance_percent must be between 0 and 100": func(in *calibration.Input) { in.CompliancePercent = new(101.0) },
		"replay_days must not need more than": func(in *calibration.Input) {
			in.VMCount, in.RPOMinutes, in.Days = 2e5, 1, 31
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			in := replayed(99, 100)
			change(&in)
			_, err := calibration.Calibrate(in)
			list, ok := errors.AsType[plan.InputErrors](err)
			require.True(t, ok, "%v, want %q", err, want)
			assert.True(t, strings.HasPrefix(list.Error(), want), "%v, want %q", err, want)
		})
	}
}
