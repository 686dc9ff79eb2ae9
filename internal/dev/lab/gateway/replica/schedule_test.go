// The simulated schedule of internal/plan/replication against what happens in the appliance: two engines that share
// neither code nor the rule by which they predict how long the next sync takes.

package replica_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/plan/replication"
)

// mix is some groups on one link, of which their changes use a part.
type mix struct {
	groups    map[string]replication.Group
	use, mbps float64
}

// drawMix draws groups and how much of the link they use, between two bounds.
func drawMix(low, high float64) *rapid.Generator[mix] {
	return rapid.Custom(func(t *rapid.T) mix {
		m := mix{groups: map[string]replication.Group{}, use: rapid.Float64Range(low, high).Draw(t, "use")}
		bits := 0.0
		for i, n := 0, rapid.IntRange(2, 4).Draw(t, "groups"); i < n; i++ {
			g := replication.Group{
				VMCount:            float64(rapid.IntRange(6, 40).Draw(t, "VMs")),
				VMSizeGiB:          rapid.Float64Range(10, 500).Draw(t, "GiB"),
				DailyChangePercent: rapid.Float64Range(1, 20).Draw(t, "percent a day"),
				RPOMinutes:         rapid.SampledFrom([]float64{5, 15, 30, 60, 240}).Draw(t, "RPO"),
				CompressionRatio:   rapid.Float64Range(1, 3).Draw(t, "compression"),
			}
			m.groups[strconv.Itoa(i)] = g
			bits += g.VMCount * g.VMSizeGiB * (1 << 33) * g.DailyChangePercent / 100 / g.CompressionRatio
		}
		m.mbps = bits / 86400 / 1e6 / m.use
		return m
	})
}

// published is the product's rule, by its vendor's blog of June 2014, which the simulated schedule follows: the next
// sync takes 1.2 times the mean of the last 15.
func published(rpo time.Duration, measured []time.Duration, load float64) time.Duration {
	if len(measured) == 0 {
		return replica.NextStart(rpo, measured, load)
	}
	sum := time.Duration(0)
	for _, d := range measured {
		sum += d
	}
	return max(0, rpo-sum*12/10/time.Duration(len(measured)))
}

// TestSchedule plays 20 generated mixes. Where each sync starts depends on all before it, so that the two engines do
// not do the same at the same moment: the test compares their totals over some days.
//
// By the published rule they come to the same: a percentage point of VM time in all, two for a group, and the
// oldest recovery point, which is a single event of thousands, to 15 %. By the lab's own rule, which starts sooner
// after a long sync and later after short ones, less so: one and a half, and three. Such differences grow where the
// link is nearly full.
func TestSchedule(t *testing.T) {
	t.Parallel()
	rules := []struct {
		name              string
		rule              replica.Rule
		all, group, worst float64
	}{
		{"by the published rule", published, 1, 2, 0.15},
		{"by the lab's rule", nil, 1.5, 3, 0.15},
	}
	for _, band := range [][2]float64{{0.05, 0.48}, {0.52, 0.9}, {0.9, 0.97}, {1.03, 1.5}} {
		for i := range 5 {
			m := drawMix(band[0], band[1]).Example(i)
			in, days := replication.ScheduleDefaults(), watched.Hours()/24
			in.Groups, in.Days, in.ThroughputMbps, in.JitterPercent = m.groups, &days, &m.mbps, 0
			want, err := replication.Simulate(in)
			if err != nil {
				t.Fatal(err)
			}
			in.Runs, in.JitterPercent = 5, 1
			runs, err := replication.Simulate(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range rules {
				t.Run(fmt.Sprintf("%.0f %% of the link %s", 100*m.use, rule.name), func(t *testing.T) {
					t.Parallel()
					groups, all := m.play(t, rule.rule)
					within(t, "compliance of all", all, runs.Totals, rule.all)
					for name, got := range groups {
						g := want.Groups[name]
						what := fmt.Sprintf("group %s, RPO %v", name, m.groups[name].RPOMinutes)
						within(t, what+": compliance", got.compliance, runs.Groups[name], rule.group)
						apart(
							t,
							what+": worst recovery point",
							got.worst.Minutes(),
							g.WorstRecoveryPointMinutes,
							rule.worst*g.WorstRecoveryPointMinutes,
						)
					}
				})
			}
		}
	}
}

func apart(t *testing.T, what string, got, want, allowed float64) {
	t.Helper()
	if math.Abs(got-want) > allowed {
		t.Errorf("%s: %.3f in the appliance, %.3f simulated", what, got, want)
	}
}

// within compares compliance with that of all runs: where the link is nearly full, they differ by points although
// starts move by a hundredth of the RPO.
func within(t *testing.T, what string, got float64, want replication.Totals, allowed float64) {
	t.Helper()
	if got < want.P5CompliancePercent-allowed || got > want.P95CompliancePercent+allowed {
		t.Errorf("%s: %.3f in the appliance, %.3f to %.3f simulated",
			what, got, want.P5CompliancePercent, want.P95CompliancePercent)
	}
}

// watched is how long is counted.
const watched = 5 * 24 * time.Hour

// seen is what came of a group: the share of VM time within the RPO in percent, and the oldest recovery point.
type seen struct {
	compliance float64
	worst      time.Duration
}

// VM is one replication, with all its syncs.
type vm struct {
	*replica.Replica
	group string
	syncs []replica.Sync
}

// play lets the appliance run as the schedule does: first starts spread over the RPO, each VM with a recovery point of
// the time that a VM alone on the link would have left between two.
func (m mix) play(t *testing.T, rule replica.Rule) (map[string]seen, float64) {
	t.Helper()
	e := replica.New(m.mbps * 1e6 / 8)
	var list []*vm
	shortest, longest := time.Duration(math.MaxInt64), time.Duration(0)
	for _, g := range m.groups {
		rpo := time.Duration(g.RPOMinutes) * time.Minute
		shortest, longest = min(shortest, rpo), max(longest, rpo)
	}
	from := longest // start of the counted period
	for _, name := range slices.Sorted(maps.Keys(m.groups)) {
		g := m.groups[name]
		rpo := time.Duration(g.RPOMinutes) * time.Minute
		rate := g.VMSizeGiB * (1 << 30) * g.DailyChangePercent / 100 / 86400
		interval := time.Duration(float64(rpo) / (1 + 1.2*rate/g.CompressionRatio/(m.mbps*1e6/8)))
		for i := range int(g.VMCount) {
			r := e.Add(replica.Spec{RPO: rpo, Powered: true, Factor: 1 / g.CompressionRatio, ChangeRate: rate, Rule: rule})
			list = append(list, &vm{Replica: r, group: name})
			first := from + rpo*time.Duration(i)/time.Duration(g.VMCount)
			e.At(first-interval, r.Activate)
			e.At(first-interval+time.Nanosecond, r.Pause)
			e.At(first, r.Resume)
		}
	}
	for end := from + watched; e.Now() < end; {
		e.Advance(min(end, e.Now()+4*shortest)) // only the newest syncs are remembered
		for _, r := range list {
			r.note(t)
		}
	}
	return m.sum(list, from)
}

// note takes down the syncs that are new.
func (r *vm) note(t *testing.T) {
	t.Helper()
	for _, s := range r.Syncs() {
		if n := len(r.syncs); n == 0 || s.Start > r.syncs[n-1].Start {
			r.syncs = append(r.syncs, s)
		}
	}
	if len(r.syncs) != r.Count() {
		t.Fatalf("%d of %d syncs were seen", len(r.syncs), r.Count())
	}
}

// late is how long the VM was in violation from a time on, without violations of a second or less.
func (r *vm) late(from time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, v := range r.Violations() {
		if v.End == 0 {
			v.End = from + watched
		}
		if late := v.End - max(v.Start, from); late > time.Second {
			sum += late
		}
	}
	return sum
}

// worst is the oldest that a recovery point became from a time on, before the next was there.
func (r *vm) worst(from time.Duration) time.Duration {
	oldest := time.Duration(0)
	for i, s := range r.syncs {
		until := from + watched
		if i+1 < len(r.syncs) {
			until = r.syncs[i+1].End
		}
		if until > from {
			oldest = max(oldest, until-s.Start)
		}
	}
	return oldest
}

// sum returns what came of each group, and the compliance of all.
func (m mix) sum(list []*vm, from time.Duration) (map[string]seen, float64) {
	late, all := map[string]time.Duration{}, time.Duration(0)
	groups := map[string]seen{}
	for _, r := range list {
		l := r.late(from)
		late[r.group] += l
		all += l
		s := groups[r.group]
		s.worst = max(s.worst, r.worst(from))
		s.compliance = 100 * (1 - late[r.group].Seconds()/watched.Seconds()/m.groups[r.group].VMCount)
		groups[r.group] = s
	}
	return groups, 100 * (1 - all.Seconds()/watched.Seconds()/float64(len(list)))
}
