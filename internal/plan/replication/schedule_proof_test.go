package replication_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/replication"
)

// proofs returns the number of generated schedules: a few, or VSLA_PROVE_SCHEDULES.
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

// drawSchedule generates schedule i: one to three groups that use 5 to 110 % of the link.
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

// further returns a schedule with other random numbers, by renaming its groups, in 20 runs.
func further(in replication.ScheduleInput) replication.ScheduleInput {
	groups := map[string]replication.Group{}
	for name, g := range in.Groups {
		groups["further/"+name] = g
	}
	in.Groups, in.Runs = groups, new(20.0)
	return in
}

// firstProof skips the schedules from 0 to 59, which were used to choose the reserve of a printed throughput.
const firstProof = 1000

// TestSchedule_proof checks that at most 5 % of the printed throughputs miss the promised share in 20 additional
// runs. Of 195 throughputs for 200 schedules, 3 missed.
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
