package replica_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	// tolerance is the maximum relative difference between the estimate and the simulation. It allows for little more
	// than rounding to bytes.
	tolerance = 0.001
	scenarios = 20
	// settlingCycles is the number of RPO periods before violations are counted. During these periods, the schedule
	// learns how long syncs take.
	settlingCycles  = 20
	observationTime = 5 * 24 * time.Hour
	maxVMs          = 40
)

// Outcomes of the two facts of an estimate.
const (
	noViolation = "no violation"
	withinRPO   = "within the RPO"
	late        = "late"
)

// scenario is a group of VMs that share a link. The bandwidth is derived from a random link utilization, so that each
// verdict occurs equally often.
type scenario struct {
	in replication.Input
	// evenUse is the link utilization if changes are spread evenly: the time to transfer the changes of one RPO period,
	// divided by the RPO. worstCaseUse is the link utilization if each cycle transfers a full day's changes. There is
	// no violation up to 0.5, and a cycle is within the RPO up to 1.
	evenUse      float64
	worstCaseUse float64
}

// drawScenario avoids link utilizations close to 0.5 and 1, where rounding would decide the verdict.
func drawScenario(verdict string) *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		in := replication.Defaults()
		fewest := 1
		if verdict == withinRPO {
			fewest = 6 // in a small group, VMs rarely delay each other
		}
		in.VMCount = float64(rapid.IntRange(fewest, maxVMs).Draw(t, "VMs"))
		in.VMSizeGiB = rapid.Float64Range(1, 2000).Draw(t, "GiB")
		in.DailyChangePercent = rapid.Float64Range(0.5, 60).Draw(t, "percent a day")
		in.RPOMinutes = float64(rapid.IntRange(5, 360).Draw(t, "RPO"))
		in.EfficiencyPercent = float64(rapid.IntRange(50, 100).Draw(t, "efficiency"))
		if rapid.Bool().Draw(t, "compressed") {
			in.CompressionRatio = rapid.Float64Range(1.1, 4).Draw(t, "compression")
		}
		if rapid.Bool().Draw(t, "seeded") {
			in.SeededPercent = rapid.Float64Range(5, 99).Draw(t, "seeded percent")
		}
		band := map[string][2]float64{
			noViolation: {0.05, 0.48},
			withinRPO:   {0.6, 0.97},
			late:        {1.03, 2},
		}[verdict]
		use := rapid.Float64Range(band[0], band[1])
		return scenario{
			in:           in,
			evenUse:      use.Draw(t, "use, evenly spread"),
			worstCaseUse: use.Draw(t, "use, a day's change in each cycle"),
		}
	})
}

func (s scenario) evenInput() replication.Input {
	in := s.in
	in.PeakFactor = new(1.0)
	in.ThroughputMbps = s.wireBits() / 86400 / 1e6 / s.evenUse / (in.EfficiencyPercent / 100)
	return in
}

// worstCaseInput returns the input for the published method, in which each cycle transfers a full day's changes.
func (s scenario) worstCaseInput() replication.Input {
	in := s.in
	in.ThroughputMbps = s.wireBits() / (in.RPOMinutes * 60) / 1e6 / s.worstCaseUse / (in.EfficiencyPercent / 100)
	return in
}

func (s scenario) wireBits() float64 {
	return s.in.VMCount * s.in.VMSizeGiB * (1 << 33) * s.in.DailyChangePercent / 100 / s.in.CompressionRatio
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	verdicts := []string{noViolation, withinRPO, late}
	for i := range scenarios {
		verdict := verdicts[i%len(verdicts)]
		s := drawScenario(verdict).Example(i)
		t.Run(fmt.Sprintf("%d %s", i, verdict), func(t *testing.T) {
			t.Parallel()
			simulateEven(t, s.evenInput(), verdict)
			simulateWorstCase(t, s.worstCaseInput(), verdict)
		})
	}
}

// simulateEven simulates the cycle that the estimate assumes: an initial sync without changes, one RPO period of
// changes, and a delta sync. It then continues with the regular schedule.
func simulateEven(t *testing.T, in replication.Input, verdict string) {
	t.Helper()
	want := estimate(t, in, verdict)
	g := newGroup(in, 0)
	g.runInitialSync(t, want.InitialSyncSeconds)

	rate := in.VMSizeGiB * (1 << 30) * in.DailyChangePercent / 100 / 86400
	for _, r := range g.vms {
		r.Pause()
		r.SetChangeRate(rate)
	}
	g.advance(g.rpo)
	for _, r := range g.vms {
		r.Resume()
	}
	resumed := g.Now()
	g.advance(seconds(want.OngoingSyncSeconds * (1 + tolerance)))
	for _, r := range g.vms {
		syncs := r.Syncs()
		i := slices.IndexFunc(syncs, func(s replica.Sync) bool { return s.Start == resumed })
		require.GreaterOrEqual(t, i, 0,
			"no sync from %v has ended in the predicted %v s", resumed, want.OngoingSyncSeconds)
		assertClose(t, "delta", (syncs[i].End - resumed).Seconds(), want.OngoingSyncSeconds)
		assertClose(t, "changes of a cycle in GiB", float64(syncs[i].Bytes)/(1<<30), want.ChangedGiBPerCycle/in.VMCount)
	}

	g.runInStep(t, in, want)
	g.runStaggered(t, verdict)
}

// runInStep continues with all VMs syncing at the same time, as the estimate assumes.
//
// Let u be the link utilization and x the RPO. If syncs start every s seconds, each one transfers the changes of s
// seconds, which takes u * s. To meet the RPO, a sync must end within x of the start of the previous one, so
// s + u * s = x. Syncs therefore start every s = x / (1 + u) and take u * x / (1 + u). As long as u <= 1, each one ends
// before the next one starts. The estimate transfers the changes of the whole period x, which takes (1 + u) times as
// long. If a cycle is within the RPO, violations therefore occur only if the VMs do not sync at the same time (see
// runStaggered).
func (g group) runInStep(t *testing.T, in replication.Input, want replication.Result) {
	t.Helper()
	use := want.DailyLinkUsePercent / 100
	for i, violations := range g.observeViolations() {
		if !want.MeetsRPO {
			assert.True(t, isOngoing(violations), "the RPO is kept in the end: %v", violations)
			continue
		}
		assert.Empty(t, violations)
		syncs := g.vms[i].Syncs()
		for n, s := range syncs {
			assertClose(t, "delta of the schedule", (s.End - s.Start).Seconds(), want.OngoingSyncSeconds/(1+use))
			if n > 0 {
				assertClose(t, "spacing of the schedule", (s.Start - syncs[n-1].Start).Seconds(),
					in.RPOMinutes*60/(1+use))
			}
		}
	}
}

// runStaggered spreads the starts of the syncs evenly over the RPO and checks the verdict. The number of VMs that share
// the link varies, so earlier durations do not predict later ones. As in the documented rule, this causes violations
// only if the link utilization exceeds one half, even though no single sync takes half of the RPO.
func (g group) runStaggered(t *testing.T, verdict string) {
	t.Helper()
	for _, r := range g.vms {
		r.Pause()
	}
	for _, r := range g.vms {
		r.Resume()
		g.advance(g.rpo / time.Duration(len(g.vms)))
	}
	count := 0
	for _, violations := range g.observeViolations() {
		count += len(violations)
		if verdict == late {
			assert.True(t, isOngoing(violations), "the RPO is kept in the end: %v", violations)
		}
	}
	switch {
	case verdict == noViolation && count > 0,
		verdict == withinRPO && count < len(g.vms):
		t.Errorf("%s, in turn: %d VMs have %d violations", verdict, len(g.vms), count)
	}
}

// simulateWorstCase transfers a full day's changes in each sync, regardless of the time since the last sync, as in the
// published method. Each sync therefore takes the same time T, as in the documented rule.
func simulateWorstCase(t *testing.T, in replication.Input, verdict string) {
	t.Helper()
	want := estimate(t, in, verdict)
	g := newGroup(in, int64(in.VMSizeGiB*(1<<30)*in.DailyChangePercent/100))
	g.runInitialSync(t, want.InitialSyncSeconds)

	for i, seen := range g.observeViolations() {
		for _, s := range g.vms[i].Syncs() {
			assertClose(t, "delta", (s.End - s.Start).Seconds(), want.OngoingSyncSeconds)
		}
		switch verdict {
		case noViolation:
			assert.Empty(t, seen)
		case withinRPO:
			// T exceeds x / 2, so each sync starts as soon as the previous one ends. A recovery point is 2 T old when
			// its successor arrives, so each cycle of length T contains a violation that lasts 2 T - x.
			assert.GreaterOrEqual(t, len(seen), int(observationTime.Seconds()/want.OngoingSyncSeconds)-1)
			for n, v := range seen[:max(0, len(seen)-1)] {
				assertClose(t, "cycle of violations", (seen[n+1].Start - v.Start).Seconds(), want.OngoingSyncSeconds)
				assertClose(t, "age of a recovery point", (v.End - v.Start + g.rpo).Seconds(),
					2*want.OngoingSyncSeconds)
			}
		default:
			// Each recovery point is already older than the RPO when it arrives, so the violation never ends.
			assert.True(t, isOngoing(seen), "the RPO is kept in the end: %v", seen)
		}
	}
}

type group struct {
	*replica.Engine
	vms []*replica.Replica
	rpo time.Duration
}

func newGroup(in replication.Input, least int64) group {
	g := group{
		Engine: replica.New(in.ThroughputMbps * 1e6 / 8 * in.EfficiencyPercent / 100),
		rpo:    time.Duration(in.RPOMinutes) * time.Minute,
	}
	for range int(in.VMCount) {
		g.vms = append(g.vms, running(g.Engine, replica.Spec{
			RPO:      g.rpo,
			Full:     int64(in.VMSizeGiB * (1 << 30) * (1 - in.SeededPercent/100)),
			MinDelta: least,
			Factor:   1 / in.CompressionRatio,
		}))
	}
	return g
}

func (g group) advance(d time.Duration) { g.Advance(g.Now() + d) }

func (g group) runInitialSync(t *testing.T, want float64) {
	t.Helper()
	g.advance(seconds(want * (1 - tolerance)))
	// Advance in small steps, because only the latest syncs are stored and empty syncs follow the initial sync.
	for latest := seconds(want * (1 + tolerance)); g.vms[0].Count() == 0 && g.Now() < latest; {
		g.advance(g.rpo)
	}
	for _, r := range g.vms {
		syncs := r.Syncs()
		require.NotEmpty(t, syncs, "no initial sync has ended in the predicted %v s", want)
		require.Equal(t, replica.Initial, syncs[0].Kind, "no initial sync has ended in the predicted %v s", want)
		require.Zero(t, syncs[0].Start, "no initial sync has ended in the predicted %v s", want)
		assertClose(t, "initial sync", syncs[0].End.Seconds(), want)
	}
}

// observeViolations lets the schedule settle and returns each VM's violations during the observation time that follows.
func (g group) observeViolations() [][]replica.Violation {
	g.advance(settlingCycles * g.rpo)
	from := g.Now()
	g.advance(observationTime)
	var list [][]replica.Violation
	for _, r := range g.vms {
		over := func(v replica.Violation) bool { return v.End != 0 && v.End < from }
		list = append(list, slices.DeleteFunc(r.Violations(), over))
	}
	return list
}

func estimate(t *testing.T, in replication.Input, verdict string) replication.Result {
	t.Helper()
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	require.Equal(t, verdict != late, r.MeetsRPO)
	require.Equal(t, verdict == noViolation, r.ViolationFree)
	return r
}

func assertClose(t *testing.T, what string, got, want float64) {
	t.Helper()
	off := math.Abs(got-want) / want
	assert.LessOrEqual(t, off, tolerance, "%s: %v simulated, %v predicted, %.2f %% apart", what, got, want, 100*off)
}

func isOngoing(all []replica.Violation) bool { return len(all) > 0 && all[len(all)-1].End == 0 }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
