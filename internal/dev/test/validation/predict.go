// Questions to the calculators, in the units of the sources.

package validation

import (
	"cmp"
	"errors"
	"strconv"

	"terraform-provider-vsla/internal/plan/energy"
	"terraform-provider-vsla/internal/plan/interactive"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	gib         = 1 << 30
	mib         = 1 << 20
	mibpsToMbps = 8 * mib / 1e6
	minute      = 60.0
	hour        = 3600.0
	full        = 100.0
	planning    = 70.0 // the efficiency that vsla recommends for the nominal rate of a link
)

// copied asks vsla_replication_estimate for the initial sync.
type copied struct {
	vms, bytes, mbps float64
	// efficiency is one value, or the ends of a range; none is 100 %.
	efficiency []float64
	// readMbps is what the source's storage reads, 0 for no limit.
	readMbps float64
	// per is the number of seconds in the source's unit.
	per float64
}

func (c copied) predict() ([]float64, error) {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.ThroughputMbps, in.RPOMinutes = max(1, c.vms), c.bytes/gib, c.mbps, 60
	if c.readMbps > 0 {
		in.SourceReadMbps = &c.readMbps
	}
	return each(c.efficiency, full, func(efficiency float64) (float64, error) {
		in.EfficiencyPercent = efficiency
		r, err := replication.Estimate(in)
		return r.InitialSyncSeconds / c.per, err
	})
}

// cycle asks vsla_replication_estimate for the changes of one RPO.
type cycle struct {
	// dailyBytes change in a day; all of them fall into one RPO, or an even part if spread.
	dailyBytes, rpoMinutes float64
	spread                 bool
	// mbps is the throughput; the answers that do not depend on it need none.
	mbps   float64
	answer func(replication.Result) (float64, error)
}

func (c cycle) predict() ([]float64, error) {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent = 1, c.dailyBytes/gib, full
	in.RPOMinutes, in.ThroughputMbps = c.rpoMinutes, cmp.Or(c.mbps, 1)
	if c.spread {
		even := 1.0
		in.PeakFactor = &even
	}
	return each(nil, 0, func(float64) (float64, error) {
		r, err := replication.Estimate(in)
		if err != nil {
			return 0, err
		}
		return c.answer(r)
	})
}

// neededFor returns the least throughput for the RPO in Mbit/s, divided by a number of Mbit/s.
func neededFor(unit float64) func(replication.Result) (float64, error) {
	return func(r replication.Result) (float64, error) {
		if r.ThroughputForRPOMbps == nil {
			return 0, errNoThroughput
		}
		return *r.ThroughputForRPOMbps / unit, nil
	}
}

func linkUse(r replication.Result) (float64, error) { return r.DailyLinkUsePercent, nil }

// changedIn returns the changes of one RPO in bytes, divided by a number of bytes.
func changedIn(unit float64) func(replication.Result) (float64, error) {
	return func(r replication.Result) (float64, error) { return r.ChangedGiBPerCycle * gib / unit, nil }
}

// carried asks vsla_link_throughput.
type carried struct {
	mbps        float64
	efficiency  []float64
	share       float64
	rttMs       []float64
	windowBytes float64
	streams     float64
	perFlowMbps float64
	lossPercent float64
	control     string
	mssBytes    float64
	answer      func(link.Result) float64
}

func (c carried) predict() ([]float64, error) {
	in := link.Defaults()
	in.BandwidthMbps = c.mbps
	if c.share > 0 {
		in.SharePercent = c.share
	}
	if c.windowBytes > 0 {
		window := c.windowBytes / 1024
		in.WindowKiB = &window
	}
	if c.streams > 0 {
		in.Streams = c.streams
	}
	if c.perFlowMbps > 0 {
		in.PerFlowLimitMbps = &c.perFlowMbps
	}
	if c.mssBytes > 0 {
		in.MSSBytes = c.mssBytes
	}
	if c.lossPercent > 0 {
		in.LossPercent, in.CongestionControl = &c.lossPercent, c.control
	}
	ask := func() (float64, error) {
		r, err := link.Throughput(in)
		if err != nil {
			return 0, err
		}
		return c.answer(r), nil
	}
	if len(c.efficiency) > 0 {
		if len(c.rttMs) > 0 {
			in.RTTMs = &c.rttMs[0]
		}
		return each(c.efficiency, full, func(efficiency float64) (float64, error) {
			in.EfficiencyPercent = efficiency
			return ask()
		})
	}
	if len(c.rttMs) == 0 {
		return each(nil, full, func(float64) (float64, error) { return ask() })
	}
	return each(c.rttMs, 0, func(rtt float64) (float64, error) {
		in.RTTMs = &rtt
		return ask()
	})
}

// mbpsOf returns the throughput in Mbit/s, divided by a number of Mbit/s.
func mbpsOf(unit float64) func(link.Result) float64 {
	return func(r link.Result) float64 { return r.ThroughputMbps / unit }
}

// moved asks vsla_vmotion_estimate.
type moved struct {
	bytes     float64
	mbps      []float64
	dirtyMbps float64
	goalMs    float64
	answer    func(migration.VMotionResult) (float64, error)
}

func (m moved) predict() ([]float64, error) {
	in := migration.VMotionDefaults()
	in.MemoryGiB, in.MemoryDirtyMbps = m.bytes/gib, m.dirtyMbps
	if m.goalMs > 0 {
		in.SwitchoverGoalMs = m.goalMs
	}
	return each(m.mbps, 0, func(mbps float64) (float64, error) {
		in.ThroughputMbps = mbps
		r, err := migration.VMotion(in)
		if err != nil {
			return 0, err
		}
		return m.answer(r)
	})
}

var (
	errNoEnd        = errors.New("the migration does not end")
	errNoThroughput = errors.New("no throughput meets the RPO")
)

func durationOf(r migration.VMotionResult) (float64, error) { return known(r.DurationSeconds) }
func stopOf(r migration.VMotionResult) (float64, error)     { return known(r.SwitchoverSeconds) }
func sentOf(r migration.VMotionResult) (float64, error)     { return known(r.TransferredGiB) }

func known(v *float64) (float64, error) {
	if v == nil {
		return 0, errNoEnd
	}
	return *v, nil
}

// evacuated asks vsla_migration_plan for moves that share a link.
type evacuated struct {
	vms   int
	bytes float64 // of each
	mbps  []float64
	// setup is the fixed cost of a migration, in seconds.
	setup, per float64
}

func (e evacuated) predict() ([]float64, error) {
	in := migration.PlanDefaults()
	in.VMs, in.SetupSeconds = map[string]migration.VM{}, e.setup
	for i := range e.vms {
		in.VMs[strconv.Itoa(i)] = migration.VM{Method: migration.MethodVMotion, MemoryGiB: e.bytes / gib}
	}
	return each(e.mbps, 0, func(mbps float64) (float64, error) {
		in.ThroughputMbps = &mbps
		r, err := migration.Plan(in)
		return r.DurationSeconds / e.per, err
	})
}

// split asks vsla_latency_impact.
type split struct {
	// users work at a time; before is what they do per second at a round trip of beforeRTTMs, rttMs is that of the row.
	users, before, beforeRTTMs, rttMs float64
	// trips is the number of round trips of an operation; if it is 0, it comes from what was measured at another one.
	trips, suppliedRTTMs, supplied float64
	answer                         func(interactive.Result) float64
}

func (s split) predict() ([]float64, error) {
	in := interactive.Defaults()
	in.Users, in.ThroughputBefore, in.RTTBeforeMs = s.users, s.before, s.beforeRTTMs
	trips := s.trips
	if trips == 0 {
		in.RTTAfterMs, in.ThroughputAfter = s.suppliedRTTMs, &s.supplied
		r, err := interactive.LatencyImpact(in)
		if err != nil {
			return nil, err
		}
		trips = r.RoundTrips
	}
	in.RTTAfterMs, in.ThroughputAfter, in.RoundTrips = s.rttMs, nil, &trips
	return each(nil, 0, func(float64) (float64, error) {
		r, err := interactive.LatencyImpact(in)
		return s.answer(r), err
	})
}

// powered asks vsla_energy_cost for a year.
type powered struct{ hosts, kw, price float64 }

func (p powered) predict() ([]float64, error) {
	in := energy.Defaults()
	in.Hosts, in.KWPerHost, in.PricePerKWh = p.hosts, p.kw, p.price
	return each(nil, 0, func(float64) (float64, error) {
		r, err := energy.Cost(in)
		return r.CostPerYear, err
	})
}

// each asks once for each value, or once for the default.
func each(values []float64, without float64, ask func(float64) (float64, error)) ([]float64, error) {
	if len(values) == 0 {
		values = []float64{without}
	}
	answers := make([]float64, 0, len(values))
	for _, v := range values {
		answer, err := ask(v)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}
