package gateway_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	// agreement is how far prediction and the appliance may be apart, as a part of the prediction: rounding to bytes and
	// little else.
	agreement = 0.001
	scenarios = 20
	// settling is how many RPOs the appliance's schedule is given to learn how long syncs take, before violations count.
	settling = 20
	watched  = 5 * 24 * time.Hour
	groupMax = 40
)

// scenario is a group of VMs on a link. The link follows from use, so that verdicts come in equal parts.
type scenario struct {
	in replication.Input
	// even is the wanted use of the link by changes that are evenly spread: the delta of an RPO's changes against the RPO.
	// whole is the same for a day's change in each cycle. The estimate calls up to 0.5 "meets", up to 1 "at_risk".
	even, whole float64
}

// drawScenario draws sizes, rates and the rest. The bands of use stay off the verdicts' bounds at 0.5 and 1, where
// rounding would decide, and where violations just begin.
func drawScenario(verdict string) *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		in := replication.Defaults()
		fewest := 1
		if verdict == replication.VerdictAtRisk {
			fewest = 6 // who shares the link with few others is hardly ever in their way
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

// worst is the input of the published method: each cycle has to send what changes in a day.
func (s scenario) worst() replication.Input {
	in := s.in
	in.ThroughputMbps = s.wireBits() / (in.RPOMinutes * 60) / 1e6 / s.whole / (in.EfficiencyPercent / 100)
	return in
}

func (s scenario) wireBits() float64 {
	return s.in.VMCount * s.in.VMSizeGiB * (1 << 33) * s.in.DailyChangePercent / 100 / s.in.CompressionRatio
}

// TestEstimate plays 20 generated groups, each with evenly spread changes and with the published worst case.
func TestEstimate(t *testing.T) {
	t.Parallel()
	vcenters := gateway.Config{}
	for n := range 2 {
		v, err := vcsim.Start(t.Context(), vcsim.Config{Site: n, VMs: groupMax})
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		if n == 0 {
			vcenters.Protected = v
		} else {
			vcenters.Recovery = v
		}
	}
	for _, m := range vcenters.Protected.VMs() { // one that is off is not replicated
		require.NoError(t, vcenters.Protected.SetPower(m.ID, types.VirtualMachinePowerStatePoweredOn))
	}
	verdicts := []string{replication.VerdictMeets, replication.VerdictAtRisk, replication.VerdictMisses}
	for i := range scenarios {
		verdict := verdicts[i%len(verdicts)]
		s := drawScenario(verdict).Example(i)
		t.Run(fmt.Sprintf("%d %s", i, verdict), func(t *testing.T) {
			t.Parallel()
			t.Run("evenly spread", func(t *testing.T) {
				t.Parallel()
				playEvenly(t, vcenters, s.evenly(), verdict)
			})
			t.Run("a day's change in each cycle", func(t *testing.T) {
				t.Parallel()
				playWorst(t, vcenters, s.worst(), verdict)
			})
		})
	}
}

// playEvenly lets the VMs be quiet during the initial sync, of which the estimate counts no changes, then lets an RPO's
// worth of changes gather and sends that, which is the cycle that the estimate describes, and then leaves the VMs to
// the appliance's schedule.
func playEvenly(t *testing.T, vcenters gateway.Config, in replication.Input, verdict string) {
	t.Helper()
	want := estimated(t, in, verdict)
	g := startGroup(t, vcenters, in, 0)
	g.first(t, want.InitialSyncSeconds)

	// Bytes of one VM in a second.
	rate := in.VMSizeGiB * (1 << 30) * in.DailyChangePercent / 100 / 86400
	g.each(func(vm string) { g.PauseReplication(vm, true); g.SetChangeRate(vm, rate) })
	g.Advance(g.rpo)
	g.each(func(vm string) { g.PauseReplication(vm, false) })
	resumed := g.Now()
	g.Advance(seconds(want.OngoingSyncSeconds * (1 + agreement)))
	for _, r := range g.Replications() {
		i := slices.IndexFunc(r.Syncs, func(s gateway.Sync) bool { return s.Start.Equal(resumed) })
		require.GreaterOrEqual(t, i, 0,
			"%s: no sync from %v has ended in the predicted %v s", r.Name, resumed, want.OngoingSyncSeconds)
		agree(t, "delta", r.Syncs[i].End.Sub(resumed).Seconds(), want.OngoingSyncSeconds)
		agree(t, "changes of a cycle in GiB", float64(r.Syncs[i].Bytes)/(1<<30), want.ChangedGiBPerCycle/in.VMCount)
	}

	g.inStep(t, in, want)
	g.inTurn(t, verdict)
}

// inStep continues with VMs that do the same at the same time, and so take as long as the estimate's group: one block.
//
// With use u of the link a sync of s seconds of changes takes u * s. The schedule starts the next one u * s before
// the RPO x ends, so s + u * s = x: syncs are x / (1 + u) apart and take u * x / (1 + u), which ends before the next
// has to start as long as u <= 1. The estimate's delta is that of the changes of all of x, which is why it is (1 + u)
// times as long, and why its "at_risk" is no violation here. It is one as soon as VMs do not go in step: see inTurn.
func (g *group) inStep(t *testing.T, in replication.Input, want replication.Result) {
	t.Helper()
	use := want.DailyLinkUsePercent / 100
	for _, r := range g.watch() {
		if want.Verdict == replication.VerdictMisses {
			assert.True(t, lasts(r.Violations), "%s keeps its RPO in the end: %v", r.Name, r.Violations)
			continue
		}
		assert.Empty(t, r.Violations)
		for i, s := range r.Syncs {
			agree(t, "delta of the schedule", s.End.Sub(s.Start).Seconds(), want.OngoingSyncSeconds/(1+use))
			if i > 0 {
				agree(t, "spacing of the schedule", s.Start.Sub(r.Syncs[i-1].Start).Seconds(), in.RPOMinutes*60/(1+use))
			}
		}
	}
}

// inTurn spreads the starts over the RPO, as they are without a schedule, and judges the verdict. A sync now
// has the link to itself or shares it with some others, so that the last durations say little of the next. Up to half
// of the RPO that does no harm, and beyond it does, again and again: the documentation's rule, though no sync takes
// so long.
func (g *group) inTurn(t *testing.T, verdict string) {
	t.Helper()
	g.each(func(vm string) { g.PauseReplication(vm, true) })
	g.each(func(vm string) {
		g.PauseReplication(vm, false)
		g.Advance(g.rpo / time.Duration(g.vms))
	})
	violations := 0
	for _, r := range g.watch() {
		violations += len(r.Violations)
		assert.False(t, verdict == replication.VerdictMisses && !lasts(r.Violations),
			"%s keeps its RPO in the end: %v", r.Name, r.Violations)
	}
	switch {
	case verdict == replication.VerdictMeets && violations > 0,
		verdict == replication.VerdictAtRisk && violations < g.vms:
		t.Errorf("%s, in turn: %d VMs have %d violations", verdict, g.vms, violations)
	}
}

// playWorst lets each sync have a day's change to send, whatever the time since the last one: the published method,
// and the documentation's rule in its pure form, for a sync then takes the same time T in each cycle.
func playWorst(t *testing.T, vcenters gateway.Config, in replication.Input, verdict string) {
	t.Helper()
	want := estimated(t, in, verdict)
	delta := int64(in.VMSizeGiB * (1 << 30) * in.DailyChangePercent / 100)
	g := startGroup(t, vcenters, in, delta)
	g.first(t, want.InitialSyncSeconds)

	for _, r := range g.watch() {
		for _, s := range r.Syncs {
			agree(t, "delta", s.End.Sub(s.Start).Seconds(), want.OngoingSyncSeconds)
		}
		seen := r.Violations
		switch verdict {
		case replication.VerdictMeets:
			assert.Empty(t, seen, r.Name)
		case replication.VerdictAtRisk:
			// T is more than x / 2, so the next sync has to start before the last one has ended, and starts when it has. A
			// recovery point is 2 T old when the next lands, and in violation for 2 T - x: in each cycle of T.
			assert.GreaterOrEqual(t, len(seen), int(watched.Seconds()/want.OngoingSyncSeconds)-1, r.Name)
			for i, v := range seen[:max(0, len(seen)-1)] {
				agree(t, "cycle of violations", seen[i+1].Start.Sub(v.Start).Seconds(), want.OngoingSyncSeconds)
				agree(t, "age of a recovery point", v.End.Sub(v.Start).Seconds()+in.RPOMinutes*60, 2*want.OngoingSyncSeconds)
			}
		default:
			// A recovery point is older than the RPO when it lands: there is no end.
			assert.True(t, lasts(seen), "%s keeps its RPO in the end: %v", r.Name, seen)
		}
	}
}

type group struct {
	*lab
	vms     int
	rpo     time.Duration
	started time.Time
}

func startGroup(t *testing.T, config gateway.Config, in replication.Input, least int64) *group {
	t.Helper()
	config.Link = in.ThroughputMbps * 1e6 / 8 * in.EfficiencyPercent / 100
	config.Switches = gateway.Switches{
		Compression: 1 / in.CompressionRatio, SeedDelta: 1 - in.SeededPercent/100, LeastDelta: least,
		ChecksumRate: math.MaxInt64, // comparing seeds is work of disks, not of the link: the estimate does not count it
		Enhanced:     true,
	}
	g := &group{lab: connect(t, config), vms: int(in.VMCount), rpo: time.Duration(in.RPOMinutes) * time.Minute}
	var specs []any
	for i := range g.vms {
		g.SetUsed(g.vm(i), int64(in.VMSizeGiB*(1<<30)))
		spec := g.spec(t, i)
		spec["rpo"], spec["network_compression_enabled"] = in.RPOMinutes, in.CompressionRatio > 1
		disks, ok := spec["disks"].([]any)
		require.True(t, ok, "VM %d has no disk", i)
		require.GreaterOrEqual(t, len(disks), 2, "VM %d has no disk", i)
		for n := 1; in.SeededPercent > 0 && n < len(disks); n++ { // the first is the VM's folder
			seed := fmt.Sprintf("seeds-%d/disk%d.vmdk", i, n)
			g.AddFile(g.datastore(), seed)
			spec = disk(t, spec, n, "use_seeds", true, "destination_path", seed)
		}
		specs = append(specs, spec)
	}
	g.call(t, http.MethodPost, g.pairing+"/replications", specs).want(t, http.StatusAccepted)
	g.Advance(8 * time.Second) // the task
	g.started = g.Now()
	return g
}

func (g *group) first(t *testing.T, want float64) {
	t.Helper()
	g.Advance(seconds(want * (1 - agreement)))
	// Step by step, because syncs of nothing follow and only the newest are remembered.
	latest := g.started.Add(seconds(want * (1 + agreement)))
	for g.Replications()[0].SyncCount == 0 && g.Now().Before(latest) {
		g.Advance(g.rpo)
	}
	for _, r := range g.Replications() {
		require.True(t, len(r.Syncs) != 0 && r.Syncs[0].Initial && r.Syncs[0].Start.Equal(g.started),
			"%s: no initial sync has ended in the predicted %v s: %v", r.Name, want, r.Syncs)
		agree(t, "initial sync", r.Syncs[0].End.Sub(g.started).Seconds(), want)
	}
}

func (g *group) watch() []gateway.Replication {
	g.Advance(settling * g.rpo)
	from := g.Now()
	g.Advance(watched)
	list := g.Replications()
	for i := range list {
		list[i].Violations = slices.DeleteFunc(
			list[i].Violations,
			func(v gateway.Violation) bool { return !v.End.IsZero() && v.End.Before(from) },
		)
	}
	return list
}

func (g *group) each(f func(vm string)) {
	for i := range g.vms {
		f(g.vm(i))
	}
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
	assert.True(t, off <= agreement, "%s: %v in the appliance, %v predicted, %.2f %% apart", what, got, want, 100*off)
}

func lasts(all []gateway.Violation) bool { return len(all) > 0 && all[len(all)-1].End.IsZero() }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
