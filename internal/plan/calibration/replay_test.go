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

// replayed returns 10 VMs of 100 GiB with an RPO of one hour and a daily change of 10%. Their total of 100 GiB a day
// requires 9.94 Mbit/s.
func replayed(measured, mbps float64) calibration.Input {
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps, in.DailyChangePercent = 60, new(100.0), &mbps, new(10.0)
	in.CompliancePercent, in.VMCount, in.Days = &measured, 10, 2
	return in
}

func TestCalibrate_replay(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in         calibration.Input
		replayed   func(percent float64) bool
		optimistic bool
		codes      string
	}{
		"as measured":    {replayed(100, 100), func(p float64) bool { return p == 100 }, false, ""},
		"within a point": {replayed(99.1, 100), func(p float64) bool { return p == 100 }, false, ""},
		"less than replayed": {
			replayed(98.9, 100),
			func(p float64) bool { return p == 100 },
			true,
			"compliance_below_replayed",
		},
		"nothing was kept": {
			replayed(0, 100),
			func(p float64) bool { return p == 100 },
			true,
			"compliance_below_replayed",
		},
		"more than replayed": {replayed(100, 5), func(p float64) bool { return p < 50 }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := calibrate(t, test.in)
			assert.True(t, test.replayed(*r.ReplayedCompliancePercent),
				"got %+v, want the replayed compliance and verdict of the row", r)
			assert.Equal(t, test.optimistic, *r.Optimistic)
			assert.LessOrEqual(t,
				math.Abs(*test.in.CompliancePercent-*r.ReplayedCompliancePercent-*r.ComplianceDifference), 1e-12)
			assert.Equal(t, test.codes, strings.Join(plan.Codes(r.Findings), " "))
			assert.Contains(t, r.Summary, "The simulated compliance")
		})
	}
}

func TestCalibrate_replayInput(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*calibration.Input){
		"throughput_mbps is required if compliance_percent": func(in *calibration.Input) { in.ThroughputMbps = nil },
		"vm_size_gib is required":                           func(in *calibration.Input) { in.VMSizeGiB = nil },
		"daily_change_percent is required if compliance_percent": func(in *calibration.Input) {
			in.DailyChangePercent = nil
		},
		`change_curve["120"] must be at least`: func(in *calibration.Input) {
			in.ChangeCurve = map[float64]float64{60: 2, 120: 1}
		},
		"compliance_percent must be between 0 and 100": func(in *calibration.Input) {
			in.CompliancePercent = new(101.0)
		},
		"replay_days must not require more than": func(in *calibration.Input) {
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
