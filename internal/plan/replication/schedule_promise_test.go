package replication_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/replication"
)

// TestSchedule_bigVM checks that the largest VM determines the verdict. 99 VMs have 10 GiB and one has 10 TiB, with a
// daily change of 10% and a peak factor of 2. At its peak, the data of the large VM changes at 10,240 GiB * 10% * 2 *
// 2^33 / 86,400 s = 203.6 Mbit/s, but a sync is limited to 150 Mbit/s. 100 VMs of the mean size, 112.3 GiB, would all
// meet the target.
func TestSchedule_bigVM(t *testing.T) {
	t.Parallel()
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.PerSyncMbps = new(1000.0), new(150.0)
	g := replication.Group{DailyChangePercent: 10, RPOMinutes: 15, PeakFactor: new(2.0), CompressionRatio: 1}
	g.VMCount, g.VMSizeGiB = 100, 112.3
	in.Groups = map[string]replication.Group{"gold": g}
	if r := simulate(t, in); r.Verdict != replication.VerdictMeets {
		t.Errorf("a mean VM: %s, %v %%", r.Verdict, r.WithinRPOPercent)
	}
	g.VMCount, g.VMSizeGiB, g.VMSizesGiB = 0, 0, append(slices.Repeat([]float64{10}, 99), 10240)
	in.Groups["gold"] = g
	r := simulate(t, in)
	if r.Verdict != replication.VerdictMisses || r.LateVMCount != 1 || math.Abs(r.WithinRPOPercent-32.33) > 0.5 ||
		!strings.HasPrefix(r.DecidedBy, "gold, VM 100 of 10 TiB, ") {
		t.Errorf("%s, %v %% by %q, %d late; want misses, 32.33, VM 100", r.Verdict, r.WithinRPOPercent, r.DecidedBy,
			r.LateVMCount)
	}
}

// TestSchedule_sourceRead checks a slow source. With a daily change of 5% and a peak factor of 3, groups of 2,000 and
// 3,200 GiB require 5,200 GiB * 5% * 3 * 2^33 / 86,400 s = 77.5 Mbit/s. The link has a throughput of 500 Mbit/s, but
// the source can only be read at 50 Mbit/s.
func TestSchedule_sourceRead(t *testing.T) {
	t.Parallel()
	in := replication.ScheduleDefaults()
	in.ThroughputMbps = new(500.0)
	g := replication.Group{
		VMCount: 20, VMSizeGiB: 100, DailyChangePercent: 5, RPOMinutes: 15, PeakFactor: new(3.0), CompressionRatio: 1,
	}
	in.Groups = map[string]replication.Group{"gold": g}
	g.VMCount, g.VMSizeGiB, g.RPOMinutes = 40, 80, 60
	in.Groups["silver"] = g
	if r := simulate(t, in); r.Verdict != replication.VerdictMeets {
		t.Errorf("without a limit: %s, %v %%", r.Verdict, r.WithinRPOPercent)
	}
	in.SourceReadMbps = new(50.0)
	r := schedule(t, in)
	assert.True(t, r.Verdict == replication.VerdictMisses && r.PeakHourLinkUsePercent <= 10+1e-9,
		"through 50 Mbit/s: %s, the link is %v %% in use", r.Verdict, r.PeakHourLinkUsePercent)
	assert.Nil(t, r.ThroughputForTargetMbps)
}

// TestSchedule_deadlineOfAll checks that two groups miss a deadline of 20 h that each of them meets alone. They have
// 2,000 and 3,200 GiB. At 500 Mbit/s, sending both takes 5,200 * 2^33 / 5e8 = 24.8 h.
func TestSchedule_deadlineOfAll(t *testing.T) {
	t.Parallel()
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.DeadlineHours, in.StartInSync = new(500.0), new(20.0), false
	gold := replication.Group{VMCount: 20, VMSizeGiB: 100, DailyChangePercent: 5, RPOMinutes: 15, CompressionRatio: 1}
	silver := gold
	silver.VMCount, silver.VMSizeGiB, silver.RPOMinutes = 40, 80, 60
	for name, test := range map[string]struct {
		groups  map[string]replication.Group
		verdict string
	}{
		"gold":   {map[string]replication.Group{"gold": gold}, replication.VerdictMeets},
		"silver": {map[string]replication.Group{"silver": silver}, replication.VerdictMeets},
		"both":   {map[string]replication.Group{"gold": gold, "silver": silver}, replication.VerdictMisses},
	} {
		in.Groups = test.groups
		r := simulate(t, in)
		assert.Equal(t, test.verdict, r.Verdict,
			"%s: %s, in sync after %v h, %v %%", name, r.Verdict, *r.InSyncAfterMinutes/60, r.WithinRPOPercent)
		// Including the changes during that time, the initial sync takes 26.17 h, as computed by hand. WithinRPOPercent
		// excludes this time.
		hours := *r.InSyncAfterMinutes / 60
		assert.False(t, name == "both" && (hours < 24.8 || hours > 26.5 || r.WithinRPOPercent < 99.9),
			"both: in sync after %v h, then %v %%; want 24.8 to 26.5 h, 99.9 %%", hours, r.WithinRPOPercent)
	}
}

// TestSchedule_oneDraw checks that one good run is not sufficient. 6 VMs of 500 GiB have a daily change of 2% (5.966
// Mbit/s), an RPO of 5 minutes and an overhead of 90 s. In one run, they reached a compliance of 99% at 10.42 Mbit/s.
// Over several runs, the 5th percentile of the compliance is at most 95%.
func TestSchedule_oneDraw(t *testing.T) {
	t.Parallel()
	in := with(alike(6, 2, 5, 10.42), func(g *replication.Group) { g.VMSizeGiB, g.OverheadSeconds = 500, 90 })
	in.JitterPercent, in.TargetCompliancePercent = 10, new(99.0)
	r := schedule(t, in)
	assert.True(t, r.RunsSimulated >= 5 && r.Verdict == replication.VerdictMisses && r.P5CompliancePercent <= 95,
		"%s in %d runs, %v to %v %%", r.Verdict, r.RunsSimulated, r.P5CompliancePercent, r.P95CompliancePercent)
	in.ThroughputMbps = r.ThroughputForTargetMbps
	if again := schedule(t, in); *in.ThroughputMbps <= 10.42 || again.Verdict != replication.VerdictMeets ||
		*again.ThroughputForTargetMbps > *in.ThroughputMbps {
		t.Errorf("%v Mbit/s are enough: %s", *in.ThroughputMbps, again.Verdict)
	}
}

// TestSchedule_bandMisses checks that a group is at risk and needs more throughput if it meets its target at the given
// throughput but not at 1 / 1.14 of it. The given throughput is 90% of the lowest throughput that the search finds. It
// meets the target because the search leaves half of the permitted lateness unused.
func TestSchedule_bandMisses(t *testing.T) {
	t.Parallel()
	in := alike(20, 5, 15, 1)
	in.JitterPercent = 10
	need := *schedule(t, in).ThroughputForTargetMbps
	in.ThroughputMbps, in.ThroughputBasis = new(0.9*need), plan.BasisTransfer
	r := schedule(t, in)
	if r.Verdict != replication.VerdictAtRisk || !slices.Contains(plan.Codes(r.Findings), "band_misses") ||
		*r.ThroughputForTargetMbps <= need {
		t.Errorf("%s, %v, %v Mbit/s", r.Verdict, plan.Codes(r.Findings), *r.ThroughputForTargetMbps)
	}
}

// TestSchedule_aloneByHand checks a VM that uses half of a link: 5% of its 100 GiB changes a day, or 0.49710 Mbit/s,
// and the link has a throughput of 0.99421 Mbit/s. Its recovery points reach an age of RPO * 1.5 / 1.6 = 14.0625
// minutes.
func TestSchedule_aloneByHand(t *testing.T) {
	t.Parallel()
	g := simulate(t, alike(1, 5, 15, 0.9942053925925927)).Groups["a"]
	rounds(t, "share", g.VMLinkSharePercent, 50, 9)
	rounds(t, "by hand", *g.AloneRecoveryPointMinutes, 14.0625, 9)
	rounds(t, "simulated", g.WorstRecoveryPointMinutes, 14.0625, 6)
}

// proofs returns the number of schedules to generate: the value of VSLA_PROVE_SCHEDULES, or 12 by default (6 in short
// mode).
func proofs(t *testing.T) int {
	t.Helper()
	n := 12
	if testing.Short() {
		n = 6
	}
	if v := os.Getenv("VSLA_PROVE_SCHEDULES"); v != "" {
		var err error
		n, err = strconv.Atoi(v)
		require.NoError(t, err)
	}
	return n
}

func drawSchedule(i int) replication.ScheduleInput {
	numbers := draw.New(fmt.Sprintf("proof/%d", i))
	between := func(low, high float64) float64 { return low + (high-low)*numbers.Float64() }
	one := func(of ...float64) float64 { return of[int(between(0, float64(len(of))))] }
	in := replication.ScheduleDefaults()
	in.TargetCompliancePercent = new(one(90, 95, 99, 99, 99.9))
	in.Groups = map[string]replication.Group{}
	bits := 0.0
	for n := range int(between(1, 4)) {
		g := replication.GroupDefaults()
		g.VMCount, g.VMSizeGiB = math.Floor(between(1, 61)), between(20, 500)
		g.DailyChangePercent, g.RPOMinutes = between(0.5, 20), one(5, 15, 30, 60, 120, 240, 480, 1440)
		g.OverheadSeconds = one(0, 0, 0, 10, 60)
		switch shape := numbers.Float64(); {
		case shape < 0.25:
			g.PeakFactor = new(one(1.5, 2, 3, 5))
		case shape < 0.4:
			g.HourlyWeights = make([]float64, 24)
			for h := range g.HourlyWeights {
				g.HourlyWeights[h] = one(1, 2, 3, 5)
			}
		}
		in.Groups[strconv.Itoa(n)] = g
		bits += g.VMCount * g.VMSizeGiB * 8 * (1 << 30) * g.DailyChangePercent / 100
	}
	in.ThroughputMbps = new(bits / 86400 / 1e6 / between(0.05, 1.1))
	if numbers.Float64() < 0.2 {
		in.PerSyncMbps = new(*in.ThroughputMbps * between(0.1, 0.9))
	}
	return in
}

// further returns the schedule with 20 runs and with renamed groups, so that the random numbers differ.
func further(in replication.ScheduleInput) replication.ScheduleInput {
	groups := map[string]replication.Group{}
	for name, g := range in.Groups {
		groups["further/"+name] = g
	}
	in.Groups, in.Runs = groups, new(20.0)
	return in
}

// firstProof is the number of the first schedule. Schedules 0 to 59 are excluded, because they were used to choose the
// reserve (needLateShare in package simulation).
const firstProof = 1000

// TestSchedule_proof checks that at most 5% of the printed throughputs miss the promised share in 20 additional runs.
// With 200 schedules, 3 of 195 printed throughputs missed it.
func TestSchedule_proof(t *testing.T) {
	t.Parallel()
	n := proofs(t)
	var all sync.WaitGroup
	var counts sync.Mutex
	printed, below, meets, noLonger, slots := 0, 0, 0, 0, make(chan struct{}, 2)
	for i := range n {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			in := drawSchedule(firstProof + i)
			r := schedule(t, in)
			found := r.ThroughputForTargetMbps != nil
			short, verdict := false, r.Verdict
			if found {
				typedIn := further(in)
				typedIn.ThroughputMbps = r.ThroughputForTargetMbps
				short = simulate(t, typedIn).WithinRPOPercent < *in.TargetCompliancePercent
			}
			if r.Verdict == replication.VerdictMeets {
				verdict = simulate(t, further(in)).Verdict
			}
			counts.Lock()
			defer counts.Unlock()
			if found {
				printed++
			}
			if short {
				below++
			}
			if r.Verdict == replication.VerdictMeets {
				meets++
			}
			if verdict != r.Verdict {
				noLonger++
			}
		})
	}
	all.Wait()
	t.Logf(
		"of %d schedules %d print a throughput, %d of these are below the share in 20 further runs; %d meet, and %d of these "+
			"do not in 20 further runs",
		n,
		printed,
		below,
		meets,
		noLonger,
	)
	assert.True(t, printed >= n/2 && float64(below) <= max(1, 0.05*float64(printed)) && meets != 0,
		"%d of %d printed throughputs are below the share, want at most 5 %%; %d meet", below, printed, meets)
}

func idle(vms, days float64) replication.ScheduleInput {
	in := replication.ScheduleDefaults()
	in.ThroughputMbps, in.Days, in.JitterPercent = new(1000.0), &days, 0
	in.Groups = map[string]replication.Group{
		"g": {VMCount: vms, VMSizeGiB: 1, DailyChangePercent: 0.01, RPOMinutes: 60, CompressionRatio: 1},
	}
	return in
}

func TestSimulate_together(t *testing.T) {
	t.Parallel()
	in := idle(10, 1)
	apart, err := replication.Simulate(in)
	require.NoError(t, err)
	in.StartTogether = true
	together, err := replication.Simulate(in)
	require.NoError(t, err)
	assert.InDelta(t, 10.0, *together.P95SyncSeconds / *apart.P95SyncSeconds, 0.1)
}
