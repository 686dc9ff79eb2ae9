package eventlog_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/history"
)

// published is the scheduling rule from VMware's blog of June 2014: the next sync is assumed to need 1.2 times the
// mean of the last 15.
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

// TestReplay checks that a schedule with the measured change reaches the measured compliance within half a point,
// although VMs change faster than the link for some hours of each day. VMs configured at the same time stay in step,
// so the schedule needs to know that; by default it spreads them.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]replayed{
		// 20 VMs of 250 kB/s are 5 MB/s on a link of 4 MB/s.
		"a quarter above the link in step": {vms: 20, rpo: 15, noon: 2.5e5},
		"twice the link in step":           {vms: 20, rpo: 15, noon: 4e5},
		"a quarter above the link":         {vms: 20, rpo: 15, noon: 2.5e5, apart: 45 * time.Second, reported: true},
		"twice the link":                   {vms: 20, rpo: 15, noon: 4e5, apart: 45 * time.Second},
		// From 18 to 22 o'clock 30 VMs of 160 kB/s are 4.8 MB/s.
		"an evening with an RPO of half an hour": {
			vms: 30, rpo: 30, noon: 1.6e5, apart: time.Minute, from: 18, to: 22,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of.check(t, 0.5)
		})
	}
}

// replayed describes VMs with an RPO in minutes, configured one after another. Between two hours, 9 and 11 by
// default, each changes at noon bytes per second.
type replayed struct {
	vms      int
	rpo      int64
	noon     float64
	apart    time.Duration
	from, to int
	// reported also reads the events with all behaviours of vCenter.
	reported bool
}

// behaviours returns all combinations: violations once or repeated, every second sync unquiesced or not, events of
// other VMs hidden or not, every third page empty or not.
func behaviours(hidden []string) []vcsim.Behaviour {
	list := make([]vcsim.Behaviour, 1<<4)
	for set := range list {
		b := &list[set]
		if set&1 != 0 {
			b.RepeatViolations = 15 * time.Minute
		}
		if set&2 != 0 {
			b.Unquiesced = 2
		}
		if set&4 != 0 {
			b.Hidden = hidden
		}
		if set&8 != 0 {
			b.EmptyPages = 3
		}
	}
	return list
}

// checkReported checks that the last day of 17 VMs does not depend on the behaviour, with and without a clone of one
// of them: 32 combinations.
func (s *site) checkReported(t *testing.T) {
	t.Helper()
	vms, others := s.vms[:17], s.vms[17:]
	want := s.measureOf(t, vms, 24)
	for _, cloned := range []bool{false, true} {
		if cloned {
			require.NoError(t, s.vc.CloneSettings(vms[0], others[0]))
		}
		for _, b := range behaviours(others) {
			s.vc.Events().Behave(b)
			got := s.measureOf(t, vms, 24)
			for id, vm := range want.VMs {
				r := got.VMs[id]
				if r.CompliancePercent == nil || math.Abs(*r.CompliancePercent-*vm.CompliancePercent) > 0.5 ||
					r.Violations != vm.Violations {
					t.Errorf("%+v, cloned %t, %s: got %+v, want %+v", b, cloned, id, r, vm)
				}
			}
		}
	}
}

// check compares the compliance of a week with that of four replayed weeks; single days differ by several points,
// because each sync depends on all previous ones.
func (of replayed) check(t *testing.T, points float64) {
	t.Helper()
	const (
		days, replay = 8, 28
		link         = 4e6 // bytes per second: 32 Mbit/s
		// 20 VMs of 60 kB/s are 1.2 MB/s, 30 of them 1.8 MB/s.
		night = 6e4
	)
	if of.to == 0 {
		of.from, of.to = 9, 11
	}
	appliance := gateway.Switches{Rule: published}
	s := replicatedApart(t, appliance, of.vms, of.rpo, of.apart, link, func(int) float64 { return night })
	s.Advance(vcsim.Epoch.Add(24 * time.Hour).Sub(s.Now()))
	for range days {
		for _, step := range []struct {
			hours int
			rate  float64
		}{{of.from, of.noon}, {of.to - of.from, night}, {24 - of.to, night}} {
			s.Advance(time.Duration(step.hours) * time.Hour)
			for _, id := range s.vms {
				s.SetChangeRate(id, step.rate)
			}
		}
	}
	reports := []vcsim.Behaviour{{}}
	if of.reported {
		s.checkReported(t)
		all := behaviours(nil) // no measured VM is hidden
		reports = append(reports, all[len(all)-1])
	}
	for _, b := range reports {
		s.vc.Events().Behave(b)
		of.replay(t, s.measure(t, (days-1)*24).Total, link, replay, points)
	}
}

func (of replayed) replay(t *testing.T, measured history.Result, link float64, replay, points float64) {
	t.Helper()
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps = float64(of.rpo), new(100.0), new(link*8/1e6)
	in.CompliancePercent, in.VMCount, in.Days = measured.CompliancePercent, float64(of.vms), replay
	in.ChangeCurve, in.HourlyWeights = measured.ChangeCurve, measured.HourlyWeights
	in.StartTogether = of.apart == 0
	r, err := calibration.Calibrate(in)
	require.NoError(t, err)
	t.Logf("measured %.3f %%, replayed %.3f %%, weights %.3f, curve %v", *measured.CompliancePercent,
		*r.ReplayedCompliancePercent, measured.HourlyWeights, measured.ChangeCurve)
	assert.LessOrEqual(t, *measured.CompliancePercent, 97.0)
	assert.LessOrEqual(t, math.Abs(*r.ComplianceDifference), points,
		"measured %v %%, replayed %v %%", *measured.CompliancePercent, *r.ReplayedCompliancePercent)
}
