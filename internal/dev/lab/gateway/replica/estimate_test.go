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
	// agreement is the maximum relative difference between the estimate and the simulation. It covers little more than
	// rounding to bytes.
	agreement = 0.001
	scenarios = 20
	// settling is the number of RPO periods at the start in which violations are ignored, because the schedule has yet
	// to learn how long syncs take.
	settling = 20
	watched  = 5 * 24 * time.Hour
	groupMax = 40
)

// scenario is a group of VMs that share a link. The bandwidth is derived from the intended link use, so that each
// verdict occurs equally often.
type scenario struct {
	in replication.Input
	// even is the link use if changes are spread evenly: the transfer time of the changes in one RPO period, divided by
	// the RPO. whole is the link use if each cycle transfers a full day's changes. The estimate returns "meets" up to
	// 0.5 and "at_risk" up to 1.
	even, whole float64
}

// drawScenario avoids link uses close to 0.5 and 1, where rounding would decide the verdict.
func drawScenario(verdict string) *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		in := replication.Defaults()
		fewest := 1
		if verdict == replication.VerdictAtRisk {
			fewest = 6 // a few VMs rarely delay each other
		}
		in.VMCount = float64(rapid.IntRange(fewest, groupMax).Draw(t, "VMs"))
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
			replication.VerdictMeets: {0.05, 0.48}, replication.VerdictAtRisk: {0.6, 0.97}, replication.VerdictMisses: {1.03, 2},
		}[verdict]
		use := rapid.Float64Range(band[0], band[1])
		return scenario{
			in:    in,
			even:  use.Draw(t, "use, evenly spread"),
			whole: use.Draw(t, "use, a day's change in each cycle"),
		}
	})
}

func (s scenario) evenly() replication.Input {
	in, one := s.in, 1.0
	in.PeakFactor = &one
	in.ThroughputMbps = s.wireBits() / 86400 / 1e6 / s.even / (in.EfficiencyPercent / 100)
	return in
}

// worst returns the input for the published method, in which each cycle transfers a full day's changes.
func (s scenario) worst() replication.Input {
	in := s.in
	in.ThroughputMbps = s.wireBits() / (in.RPOMinutes * 60) / 1e6 / s.whole / (in.EfficiencyPercent / 100)
	return in
}

func (s scenario) wireBits() float64 {
	return s.in.VMCount * s.in.VMSizeGiB * (1 << 33) * s.in.DailyChangePercent / 100 / s.in.CompressionRatio
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	verdicts := []string{replication.VerdictMeets, replication.VerdictAtRisk, replication.VerdictMisses}
	for i := range scenarios {
		verdict := verdicts[i%len(verdicts)]
		s := drawScenario(verdict).Example(i)
		t.Run(fmt.Sprintf("%d %s", i, verdict), func(t *testing.T) {
			t.Parallel()
			playEvenly(t, s.evenly(), verdict)
			playWorst(t, s.worst(), verdict)
		})
	}
}

// playEvenly simulates the cycle that the estimate assumes: an initial sync without changes, one RPO period of changes,
// and a delta sync. It then continues with the regular schedule.
func playEvenly(t *testing.T, in replication.Input, verdict string) {
	t.Helper()
	want := estimated(t, in, verdict)
	g := startGroup(in, 0)
	g.first(t, want.InitialSyncSeconds)

	rate := in.VMSizeGiB * (1 << 30) * in.DailyChangePercent / 100 / 86400
	for _, r := range g.vms {
		r.Pause()
		r.SetChangeRate(rate)
	}
	g.pass(g.rpo)
	for _, r := range g.vms {
		r.Resume()
	}
	resumed := g.Now()
	g.pass(seconds(want.OngoingSyncSeconds * (1 + agreement)))
	for _, r := range g.vms {
		syncs := r.Syncs()
		i := slices.IndexFunc(syncs, func(s replica.Sync) bool { return s.Start == resumed })
		require.GreaterOrEqual(t, i, 0,
			"no sync from %v has ended in the predicted %v s", resumed, want.OngoingSyncSeconds)
		agree(t, "delta", (syncs[i].End - resumed).Seconds(), want.OngoingSyncSeconds)
		agree(t, "changes of a cycle in GiB", float64(syncs[i].Bytes)/(1<<30), want.ChangedGiBPerCycle/in.VMCount)
	}

	g.inStep(t, in, want)
	g.inTurn(t, verdict)
}

// inStep continues with all VMs syncing at the same time, as the estimate assumes.
//
// With link use u, transferring s seconds of changes takes u * s. The schedule starts the next sync u * s before the
// RPO x ends, so that s + u * s = x. Syncs therefore start every x / (1 + u) and take u * x / (1 + u), which fits as
// long as u <= 1. The estimate transfers the changes of the whole period x, which takes (1 + u) times as long.
// "at_risk" therefore causes violations only if the VMs do not sync at the same time (see inTurn).
func (g group) inStep(t *testing.T, in replication.Input, want replication.Result) {
	t.Helper()
	use := want.DailyLinkUsePercent / 100
	for i, violations := range g.watch() {
		if want.Verdict == replication.VerdictMisses {
			assert.True(t, lasts(violations), "the RPO is kept in the end: %v", violations)
			continue
		}
		assert.Empty(t, violations)
		syncs := g.vms[i].Syncs()
		for n, s := range syncs {
			agree(t, "delta of the schedule", (s.End - s.Start).Seconds(), want.OngoingSyncSeconds/(1+use))
			if n > 0 {
				agree(t, "spacing of the schedule", (s.Start - syncs[n-1].Start).Seconds(), in.RPOMinutes*60/(1+use))
			}
		}
	}
}

// inTurn spreads the starts of the syncs evenly over the RPO and checks the verdict. The number of VMs that share the
// link varies, so earlier durations do not predict later ones. As the documented rule says, violations occur only if
// the link use exceeds one half, even though no single sync takes more than half of the RPO.
func (g group) inTurn(t *testing.T, verdict string) {
	t.Helper()
	for _, r := range g.vms {
		r.Pause()
	}
	for _, r := range g.vms {
		r.Resume()
		g.pass(g.rpo / time.Duration(len(g.vms)))
	}
	count := 0
	for _, violations := range g.watch() {
		count += len(violations)
		assert.False(t, verdict == replication.VerdictMisses && !lasts(violations),
			"the RPO is kept in the end: %v", violations)
	}
	switch {
	case verdict == replication.VerdictMeets && count > 0,
		verdict == replication.VerdictAtRisk && count < len(g.vms):
		t.Errorf("%s, in turn: %d VMs have %d violations", verdict, len(g.vms), count)
	}
}

// playWorst transfers a full day's changes in each sync, regardless of the time since the last sync, as in the
// published method. Each sync therefore takes the same time T, as in the documented rule.
func playWorst(t *testing.T, in replication.Input, verdict string) {
	t.Helper()
	want := estimated(t, in, verdict)
	g := startGroup(in, int64(in.VMSizeGiB*(1<<30)*in.DailyChangePercent/100))
	g.first(t, want.InitialSyncSeconds)

	for i, seen := range g.watch() {
		for _, s := range g.vms[i].Syncs() {
			agree(t, "delta", (s.End - s.Start).Seconds(), want.OngoingSyncSeconds)
		}
		switch verdict {
		case replication.VerdictMeets:
			assert.Empty(t, seen)
		case replication.VerdictAtRisk:
			// T exceeds x / 2, so each sync starts as soon as the previous one ends. A recovery point is 2 T old when
			// its successor arrives, so each cycle of length T contains a violation of 2 T - x.
			assert.GreaterOrEqual(t, len(seen), int(watched.Seconds()/want.OngoingSyncSeconds)-1)
			for n, v := range seen[:max(0, len(seen)-1)] {
				agree(t, "cycle of violations", (seen[n+1].Start - v.Start).Seconds(), want.OngoingSyncSeconds)
				agree(t, "age of a recovery point", (v.End - v.Start + g.rpo).Seconds(), 2*want.OngoingSyncSeconds)
			}
		default:
			// Each recovery point is already older than the RPO when it arrives, so the violation never ends.
			assert.True(t, lasts(seen), "the RPO is kept in the end: %v", seen)
		}
	}
}

type group struct {
	*replica.Engine
	vms []*replica.Replica
	rpo time.Duration
}

func startGroup(in replication.Input, least int64) group {
	g := group{
		Engine: replica.New(in.ThroughputMbps * 1e6 / 8 * in.EfficiencyPercent / 100),
		rpo:    time.Duration(in.RPOMinutes) * time.Minute,
	}
	for range int(in.VMCount) {
		g.vms = append(g.vms, running(g.Engine, replica.Spec{
			RPO: g.rpo, Full: int64(in.VMSizeGiB * (1 << 30) * (1 - in.SeededPercent/100)), Least: least,
			Factor: 1 / in.CompressionRatio,
		}))
	}
	return g
}

func (g group) pass(d time.Duration) { g.Advance(g.Now() + d) }

func (g group) first(t *testing.T, want float64) {
	t.Helper()
	g.pass(seconds(want * (1 - agreement)))
	// Advance in small steps, because empty syncs follow and only the latest syncs are stored.
	for latest := seconds(want * (1 + agreement)); g.vms[0].Count() == 0 && g.Now() < latest; {
		g.pass(g.rpo)
	}
	for _, r := range g.vms {
		syncs := r.Syncs()
		require.True(t, len(syncs) != 0 && syncs[0].Kind == replica.Initial && syncs[0].Start == 0,
			"no initial sync has ended in the predicted %v s: %v", want, syncs)
		agree(t, "initial sync", syncs[0].End.Seconds(), want)
	}
}

func (g group) watch() [][]replica.Violation {
	g.pass(settling * g.rpo)
	from := g.Now()
	g.pass(watched)
	var list [][]replica.Violation
	for _, r := range g.vms {
		over := func(v replica.Violation) bool { return v.End != 0 && v.End < from }
		list = append(list, slices.DeleteFunc(r.Violations(), over))
	}
	return list
}

func estimated(t *testing.T, in replication.Input, verdict string) replication.Result {
	t.Helper()
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	require.Equal(t, verdict, r.Verdict)
	return r
}

func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	off := math.Abs(got-want) / want
	assert.True(t, off <= agreement, "%s: %v simulated, %v predicted, %.2f %% apart", what, got, want, 100*off)
}

func lasts(all []replica.Violation) bool { return len(all) > 0 && all[len(all)-1].End == 0 }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
