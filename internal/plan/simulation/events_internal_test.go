package simulation

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/quantity"
)

// TestSimulation_lateness checks a VM with back-to-back syncs of ten minutes: each cycle is late for 20 minutes minus
// the RPO. Lateness above one second counts in full, from a minute it is an alarm. The first of six cycles per hour
// starts in the steady state, with a recovery point ten minutes old.
func TestSimulation_lateness(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rpo                float64 // minutes
		violations, alarms int64
		late               float64 // seconds
	}{{15, 6, 6, 300}, {18.5, 6, 6, 90}, {19.1, 6, 0, 54}, {19.98, 6, 0, 1.2}, {19.99, 0, 0, 0}, {20.1, 0, 0, 0}} {
		s := newSimulation(oneVM(), 1, 1, true)
		r := &s.replicas[0]
		s.flows[0].rpo = test.rpo * 60
		r.point, r.mark = -600, -10
		r.kept, r.next = 0, 0
		r.remember(600)
		firstHour(s)
		f := s.flows[0]
		if f.violations != test.violations || f.alarms != test.alarms || math.Abs(f.days[0].late-6*test.late) > 1e-6 {
			t.Errorf("RPO of %v minutes: %d violations, %d alarms, %v s; want %d, %d, %v",
				test.rpo, f.violations, f.alarms, f.days[0].late, test.violations, test.alarms, 6*test.late)
		}
	}
}

// TestSpans checks intervals added in the order of their ends.
func TestSpans(t *testing.T) {
	t.Parallel()
	var u spans
	for _, s := range []span{{0, 60}, {100, 160}, {120, 200}, {100, 220}, {50, 230}, {300, 360}} {
		u = u.with(s)
	}
	// 0 to 230 and 300 to 360.
	require.Equal(t, 290.0, u.seconds())
	assert.Len(t, u, 2)
	for at, want := range map[float64]float64{0: 230, 229: 230, 230: 230, 250: 250, 300: 360, 400: 400} {
		assert.Equal(t, want, u.firstOutside(at), at)
	}
}

// TestP95 checks the nearest rank: the ceil(0.95 n)-th value.
func TestP95(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Float64Range(0, 1e12), 0, 50).Draw(t, "a")
		b := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 1.5, 1e-300, 7}), 0, 50).Draw(t, "b")
		all := slices.Sorted(slices.Values(slices.Concat(a, b)))
		got := p95(a, b)
		if len(all) == 0 {
			assert.Nil(t, got)
			return
		}
		assert.Equal(t, all[(95*len(all)+99)/100-1], *got)
	})
}

// TestTimetable checks the order of events, also if some are added in between or the calendar wraps around.
func TestTimetable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const end = 1000
		vms := rapid.IntRange(1, 40).Draw(t, "VMs")
		table := newTimetable(make([]event, vms), rapid.Float64Range(0.01, 100).Draw(t, "width"), 20, end)
		want := make(map[int]float64)
		push := func(id int, from float64) {
			key := from + rapid.Float64Range(0, 300).Draw(t, "wait")
			table.push(key, id)
			if key < end {
				want[id] = key
			}
		}
		for id := range vms {
			push(id, 0)
		}
		last := 0.0
		for table.n > 0 {
			e := table.first
			table.drop()
			for id, key := range want {
				require.False(t, (entry{key, id}).before(e), "%v comes before %v", e, entry{key, id})
			}
			require.Equal(t, want[e.id], e.key)
			require.GreaterOrEqual(t, e.key, last)
			last = e.key
			delete(want, e.id)
			if rapid.Bool().Draw(t, "again") {
				push(e.id, last)
			}
		}
		assert.Empty(t, want)
	})
}

// TestSimulation_jitter checks that the first start of VM 1 of two is later by the first number of "3/a/1", up to
// half of an RPO of 900 seconds, and the next start earlier by the second number.
func TestSimulation_jitter(t *testing.T) {
	t.Parallel()
	in := oneVM()
	in.Tiers[0].VMs[0] = VM{SizeGiB: 1, Count: 2}
	in.JitterPercent = 50
	s := newSimulation(in, 1, 3, true)
	numbers := draw.New("3/a/1")
	first := 450 + 450*numbers.Float64()
	assert.InDelta(t, first, s.replicas[1].point+900, 1e-9)
	for s.replicas[1].kept < 2 {
		s.step(&s.segments[0])
	}
	next := first + 900 - 450*numbers.Float64()
	for s.due.n > 0 {
		e := s.due.first
		s.due.drop()
		if e.id == 1 {
			assert.InDelta(t, next, e.key, 1e-9)
			return
		}
	}
	t.Error("no start is due")
}

// TestFlow_minutes checks weighted minutes: with all weight from 12:00 to 13:00 the 1,440 minutes of a day pass in
// that hour, also on days before the first.
func TestFlow_minutes(t *testing.T) {
	t.Parallel()
	weights := make([]float64, HoursPerDay)
	weights[12] = 7
	curve := map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}
	tier := Tier{RPOMinutes: 15, HourlyWeights: weights, CompressionRatio: 2, Curve: curve, VMs: []VM{{SizeGiB: 10}}}
	f := newFlow(tier, Estate{})
	for hours, want := range map[float64]float64{0: 0, 12: 0, 12.5: 720, 13: 1440, 24: 1440, 36.25: 1800, -11.5: -720} {
		assert.InDelta(t, want, f.minutes(hours*quantity.SecondsPerHour), 1e-9, hours)
	}
	// 2.8 GiB of 240 minutes are 1.4 GiB on the wire; the VM's 10 GiB limit the change to 5 on the wire.
	for minutes, gib := range map[float64]float64{0: 0, 7.5: 0.4, 15: 0.8, 240: 1.4, 1440: 3.5, 1e6: 5} {
		assert.InDelta(t, gib, f.kinds[0].changed(minutes)/quantity.BitsPerGiB, 1e-9, minutes)
	}
}

func TestQueue_sorts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		n := rapid.IntRange(0, 200).Draw(t, "n")
		for id := range n {
			q.push(entry{key: float64(rapid.IntRange(0, 20).Draw(t, "key")), id: id})
		}
		last := entry{key: -1}
		for range n {
			e := q.pop()
			assert.False(t, e.before(last), "%v comes after %v", e, last)
			last = e
		}
		assert.Equal(t, 0, q.len())
	})
}
