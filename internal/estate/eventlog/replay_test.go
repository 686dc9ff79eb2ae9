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

// blogRule is the scheduling rule from VMware's blog of June 2014: the next sync is expected to take 1.2 times the mean
// duration of the last 15 syncs.
func blogRule(rpo time.Duration, measured []time.Duration, _ float64) time.Duration {
	sum := time.Duration(0)
	for _, took := range measured {
		sum += took
	}
	if len(measured) == 0 {
		return rpo / 2
	}
	return max(0, rpo-time.Duration(1.2*float64(sum)/float64(len(measured))))
}

// TestReplay checks that a replay of the measured change rates reproduces the measured compliance within half a
// percentage point, even if, for some hours each day, the VMs change faster than the link can transfer. VMs that are
// configured at the same time also sync at the same time, so their replay needs StartTogether.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, scenario := range map[string]replayScenario{
		// 20 VMs at 250 kB/s need 5 MB/s, but the link provides only 4 MB/s.
		"a quarter above the link in step": {vms: 20, rpo: 15, noon: 2.5e5},
		"twice the link in step":           {vms: 20, rpo: 15, noon: 4e5},
		"a quarter above the link":         {vms: 20, rpo: 15, noon: 2.5e5, interval: 45 * time.Second, reported: true},
		"twice the link":                   {vms: 20, rpo: 15, noon: 4e5, interval: 45 * time.Second},
		// From 18:00 to 22:00, 30 VMs change at 160 kB/s each, which is 4.8 MB/s in total.
		"an evening with an RPO of half an hour": {
			vms:      30,
			rpo:      30,
			noon:     1.6e5,
			interval: time.Minute,
			from:     18,
			to:       22,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario.check(t, 0.5)
		})
	}
}

// replayScenario describes VMs that are configured one after another, at the given interval. The fields from and to are
// hours of the day (9 and 11 by default). Between them, each VM changes at the rate noon, in bytes per second. rpo is
// in minutes.
type replayScenario struct {
	vms      int
	rpo      int64
	noon     float64
	interval time.Duration
	from, to int
	// reported repeats the measurement with every combination of vCenter behaviors.
	reported bool
}

// behaviours returns all combinations of four settings: violations are reported repeatedly, every other sync is
// unquiesced, events of other VMs are hidden, and every third page is empty.
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

// checkReported checks that vCenter's behavior does not affect the last day's results of 17 VMs. It tries all 16
// combinations, with and without a clone of one VM.
func (s *site) checkReported(t *testing.T) {
	t.Helper()
	vms, others := s.vms[:17], s.vms[17:]
	want := s.measureVMs(t, vms, 24)
	for _, cloned := range []bool{false, true} {
		if cloned {
			require.NoError(t, s.vc.CloneSettings(vms[0], others[0]))
		}
		for _, b := range behaviours(others) {
			s.vc.Events().Behave(b)
			got := s.measureVMs(t, vms, 24)
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

// check compares the compliance of a measured week with that of four replayed weeks. Individual days may differ by
// several percentage points, because each sync depends on all previous ones.
func (sc replayScenario) check(t *testing.T, points float64) {
	t.Helper()
	const (
		days, replay = 8, 28
		link         = 4e6 // bytes per second, or 32 Mbit/s
		// 20 VMs at 60 kB/s need 1.2 MB/s; 30 VMs need 1.8 MB/s.
		night = 6e4
	)
	if sc.to == 0 {
		sc.from, sc.to = 9, 11
	}
	appliance := gateway.Switches{Rule: blogRule}
	s := newSpacedSite(t, appliance, sc.vms, sc.rpo, sc.interval, link, func(int) float64 { return night })
	s.Advance(vcsim.Epoch.Add(24 * time.Hour).Sub(s.Now()))
	for range days {
		for _, step := range []struct {
			hours int
			rate  float64
		}{{sc.from, sc.noon}, {sc.to - sc.from, night}, {24 - sc.to, night}} {
			s.Advance(time.Duration(step.hours) * time.Hour)
			for _, id := range s.vms {
				s.SetChangeRate(id, step.rate)
			}
		}
	}
	reports := []vcsim.Behaviour{{}}
	if sc.reported {
		s.checkReported(t)
		all := behaviours(nil)
		reports = append(reports, all[len(all)-1])
	}
	for _, b := range reports {
		s.vc.Events().Behave(b)
		sc.replay(t, s.measure(t, (days-1)*24).Total, link, replay, points)
	}
}

func (sc replayScenario) replay(t *testing.T, measured history.Result, link float64, replay, points float64) {
	t.Helper()
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps = float64(sc.rpo), new(100.0), new(link*8/1e6)
	in.CompliancePercent, in.VMCount, in.Days = measured.CompliancePercent, float64(sc.vms), replay
	in.ChangeCurve, in.HourlyWeights = measured.ChangeCurve, measured.HourlyWeights
	in.StartTogether = sc.interval == 0
	r, err := calibration.Calibrate(in)
	require.NoError(t, err)
	t.Logf("measured %.3f %%, replayed %.3f %%, weights %.3f, curve %v", *measured.CompliancePercent,
		*r.ReplayedCompliancePercent, measured.HourlyWeights, measured.ChangeCurve)
	assert.LessOrEqual(t, *measured.CompliancePercent, 97.0)
	assert.LessOrEqual(t, math.Abs(*r.ComplianceDifference), points,
		"measured %v %%, replayed %v %%", *measured.CompliancePercent, *r.ReplayedCompliancePercent)
}
