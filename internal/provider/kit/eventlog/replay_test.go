package eventlog_test

import (
	"math"
	"testing"
	"time"

	"terraform-provider-vsla/internal/lab/gateway"
	"terraform-provider-vsla/internal/plan/calibration"
)

// published is the product's rule, by its vendor's blog of June 2014: the next sync takes 1.2 times the mean of the
// last 15.
func published(rpo time.Duration, measured []time.Duration, _ float64) time.Duration {
	sum := time.Duration(0)
	for _, took := range measured {
		sum += took
	}
	if len(measured) == 0 {
		return rpo / 2
	}
	return max(0, rpo-time.Duration(1.2*float64(sum)/float64(len(measured))))
}

// TestReplay: 20 VMs with an RPO of 15 minutes change faster than the link carries from 9 to 11 o'clock. The schedule,
// fed with what the events say, reaches the measured compliance within 2.5 points: a late sync says how much changed,
// but not exactly when.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, noon := range map[string]float64{
		"a quarter above the link": 2.5e5, "twice the link": 4e5,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replay(t, noon, 2.5)
		})
	}
}

// replay runs a week with a rate of each VM from 9 to 11 o'clock, in bytes a second.
func replay(t *testing.T, noon, points float64) {
	t.Helper()
	const (
		vms, days = 20, 8
		link      = 4e6 // bytes a second: 32 Mbit/s
		// 20 VMs of 60 kB/s are 1.2 MB/s, and 5 MB/s of 250 kB/s.
		night = 6e4
	)
	s := replicatedBy(t, gateway.Switches{Rule: published}, vms, 15, link, func(int) float64 { return night })
	for range days {
		for _, step := range []struct {
			hours int
			rate  float64
		}{{9, noon}, {2, night}, {13, night}} {
			s.Advance(time.Duration(step.hours) * time.Hour)
			for _, id := range s.vms {
				s.SetChangeRate(id, step.rate)
			}
		}
	}
	measured := s.measure(t, client(t, s.vc), (days-1)*24).Total
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps = 15, new(100.0), new(link*8/1e6)
	in.CompliancePercent, in.VMCount, in.Days = measured.CompliancePercent, vms, days-1
	in.ChangeCurve, in.HourlyWeights = measured.ChangeCurve, measured.HourlyWeights
	r, err := calibration.Calibrate(in)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("measured %.3f %%, replayed %.3f %%, curve %v", *measured.CompliancePercent, *r.ReplayedCompliancePercent,
		measured.ChangeCurve)
	if *measured.CompliancePercent > 97 {
		t.Errorf("the measured compliance is %v, so that little is shown", *measured.CompliancePercent)
	}
	if math.Abs(*r.ComplianceDifference) > points {
		t.Errorf("measured %v %%, replayed %v %%", *measured.CompliancePercent, *r.ReplayedCompliancePercent)
	}
}
