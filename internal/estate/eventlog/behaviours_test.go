package eventlog_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
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

// TestBehaviours checks that vCenter's behavior does not affect the last day's results of 17 VMs. It tries all 16
// combinations, with and without a clone of one VM. The 20 VMs are configured one after another. Between 9:00 and
// 11:00, they change at 250 kB/s each, so they need 5 MB/s, but the link provides only 4 MB/s.
func TestBehaviours(t *testing.T) {
	t.Parallel()
	const link, night, noon = 4e6, 6e4, 2.5e5
	s := newSpacedSite(t, gateway.Switches{Rule: blogRule}, 20, 15, 45*time.Second, link,
		func(int) float64 { return night })
	s.Advance(vcsim.Epoch.Add(24 * time.Hour).Sub(s.Now()))
	for range 2 {
		for _, step := range []struct {
			lasts time.Duration
			rate  float64
		}{
			{9 * time.Hour, noon},
			{2 * time.Hour, night},
			{13 * time.Hour, night},
		} {
			s.Advance(step.lasts)
			for _, id := range s.vms {
				s.SetChangeRate(id, step.rate)
			}
		}
	}
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
