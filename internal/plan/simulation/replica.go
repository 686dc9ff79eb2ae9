package simulation

import (
	"math"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/quantity"
)

// vmGroup describes identical VMs of a tier. Amounts are in bits on the wire.
type vmGroup struct {
	count int
	// initialBits is the amount that the initial sync of one VM sends. seedBits is the uncompressed amount of seeded
	// data that it compares.
	initialBits, seedBits float64
	// bitsPerMinute is the change rate of one VM. It is used if there is no curve.
	bitsPerMinute float64
	curve         *changerate.Curve
	// bitsPerGiB is the number of bits on the wire for each GiB of the curve.
	bitsPerGiB float64
}

func (t Tier) newVMGroup(v VM) vmGroup {
	size := v.SizeGiB * quantity.BitsPerGiB
	g := vmGroup{
		count:         v.count(),
		bitsPerGiB:    quantity.BitsPerGiB / t.CompressionRatio,
		initialBits:   size * (quantity.Percent - v.SeededPercent) / quantity.Percent / t.CompressionRatio,
		bitsPerMinute: size / t.CompressionRatio * v.DailyChangePercent / quantity.Percent / quantity.MinutesPerDay,
		seedBits:      v.SizeGiB * v.SeededPercent / quantity.Percent * quantity.BitsPerGiB,
	}
	if t.Curve != nil {
		c := changerate.NewCurve(t.Curve, v.SizeGiB)
		g.curve = &c
	}
	return g
}

func (g *vmGroup) changedBits(minutes float64) float64 {
	if g.curve == nil {
		return g.bitsPerMinute * minutes
	}
	return g.curve.At(minutes) * g.bitsPerGiB
}

// tierState contains the state of a tier. Amounts are in bits on the wire, and times are in seconds.
type tierState struct {
	name      string
	linkIndex int
	linkState *linkState
	class     *class
	// promised and configured are the two RPOs.
	promised, configured float64
	jitter               float64 // maximum time by which a sync starts early
	overhead             float64
	firstID, vmCount     int
	groups               []vmGroup

	// shareBefore[h] is the share of the daily change that occurs before hour h. It is used only with hourly weights.
	shareBefore [HoursPerDay + 1]float64
	isEven      bool
	hasCurve    bool
	// peak is the ratio of the change rate to its mean, from minute peakStart of the day until the daily change is
	// complete; 0 for no peak.
	peak, peakStart float64

	// skipsEmpty reports whether a sync without data ends at once, so that it need not be simulated.
	skipsEmpty bool

	// stopsAt is the Requirement whose violation ends the run.
	stopsAt Requirement
	// oldest is the greatest possible age of a recovery point, and oldestVM is the VM that has it. longest is the
	// longest duration of a sync. lateUntil is the end of the last sync that was too late.
	oldest, longest, lateUntil float64
	oldestVM                   int
	isLate                     bool
	unsynced                   int
	// syncedAt is the time since which all recovery points after a cold start are within the promised RPO, or no sync
	// takes longer than by the vendor's rule.
	syncedAt float64
}

// longestByRule returns the longest sync, in seconds, with which the vendor promises no violations.
func (ts *tierState) longestByRule() float64 { return ts.configured / 2 }

func newTierState(t Tier, e Estate) *tierState {
	ts := &tierState{
		name:       t.Name,
		linkIndex:  t.Link,
		overhead:   t.OverheadSeconds,
		promised:   t.PromisedMinutes * quantity.SecondsPerMinute,
		configured: t.ConfiguredMinutes * quantity.SecondsPerMinute,
		isEven:     t.HourlyWeights == nil && t.PeakFactor == 0,
		hasCurve:   t.Curve != nil,
	}
	ts.jitter = e.JitterPercent / quantity.Percent * ts.configured
	if len(e.Links) > 0 {
		l := e.Links[t.Link]
		ts.skipsEmpty = !ts.isEven && l.MaxSyncs == 0 && slices.Min(l.HourlyRates[:]) > 0
	}
	for _, v := range t.VMs {
		g := t.newVMGroup(v)
		if e.ChecksumRate == 0 {
			g.seedBits = 0
		}
		ts.groups = append(ts.groups, g)
		ts.vmCount += g.count
	}
	if ts.isEven {
		return ts
	}
	if t.PeakFactor > 0 {
		ts.peak, ts.peakStart = t.PeakFactor, t.PeakStartHour*quantity.MinutesPerHour
		return ts
	}
	for h, weight := range t.HourlyWeights {
		ts.shareBefore[h+1] = ts.shareBefore[h] + weight
	}
	total := ts.shareBefore[HoursPerDay]
	for h := range ts.shareBefore {
		ts.shareBefore[h] /= total
	}
	return ts
}

func (ts *tierState) sumVMs(of func(*vmGroup) float64) float64 {
	sum := 0.0
	for i := range ts.groups {
		sum += float64(ts.groups[i].count) * of(&ts.groups[i])
	}
	return sum
}

// changeMinutes returns the number of minutes from midnight of the first day until t, weighted by the ratio of the
// change rate to its mean. If there is a peak, it counts from the start of the first day's peak instead. The result
// grows linearly within each hour or peak. t can be negative.
func (ts *tierState) changeMinutes(t float64) float64 {
	if ts.isEven { // inlined for speed
		return t / quantity.SecondsPerMinute
	}
	return ts.weightedMinutes(t)
}

func (ts *tierState) weightedMinutes(t float64) float64 {
	if ts.peak > 0 {
		since := t/quantity.SecondsPerMinute - ts.peakStart
		day := math.Floor(since / quantity.MinutesPerDay)
		return quantity.MinutesPerDay*day + min(quantity.MinutesPerDay, ts.peak*(since-quantity.MinutesPerDay*day))
	}
	day := math.Floor(t / quantity.SecondsPerDay)
	hours := (t - day*quantity.SecondsPerDay) / quantity.SecondsPerHour
	h := min(int(hours), HoursPerDay-1)
	share := ts.shareBefore[h] + (ts.shareBefore[h+1]-ts.shareBefore[h])*(hours-float64(h))
	return quantity.MinutesPerDay * (day + share)
}

// unchangedUntil returns a time until which nothing changes after a time t at which nothing changes: one second before
// the next peak, or t if there is no peak.
func (ts *tierState) unchangedUntil(t float64) float64 {
	if ts.peak == 0 {
		return t
	}
	day := math.Floor((t/quantity.SecondsPerMinute - ts.peakStart) / quantity.MinutesPerDay)
	return ((day+1)*quantity.MinutesPerDay+ts.peakStart)*quantity.SecondsPerMinute - 1
}

// replica is the replication of one VM. It fills a cache line.
type replica struct {
	// due is the time at which the current sync should have started. syncStart is the start of the most recent sync,
	// and lastDuration is the duration of the last completed one. startMinutes is the value of changeMinutes at the
	// start of the last sync that began to send data.
	due          float64
	syncStart    float64
	lastDuration float64
	startMinutes float64
	// total is the time in which ages are counted.
	total float64
	// bitsPerMinute is that of the group.
	bitsPerMinute float64
	random        draw.Source
	group         uint32
	tier          uint16
	state         state
	// pendingTransfers is the number of transfers that the sync is waiting for: the data and the comparison of the
	// seed.
	pendingTransfers uint8
}

type state uint8

const (
	// synced is the state of a VM with a recovery point, unless a sync is in its overhead.
	synced state = iota
	// inOverhead means that the pending event is the end of a sync's overhead rather than the start of a sync.
	inOverhead
	// unsynced is the state of a VM until it has a recovery point.
	unsynced
)

func (r *replica) needsInitialSync() bool { return r.state == unsynced }

func (s *simulation) vmGroup(r *replica) *vmGroup { return &s.tiers[r.tier].groups[r.group] }

// changedBits returns the change since the start of the previous sync.
func (s *simulation) changedBits(r *replica, minutes float64) float64 {
	if s.tiers[r.tier].hasCurve {
		return s.vmGroup(r).changedBits(minutes)
	}
	return r.bitsPerMinute * minutes
}

// newReplicas adds the VMs of a tier and schedules their first syncs.
func (s *simulation) newReplicas(tier int) {
	ts := s.tiers[tier]
	ts.firstID = len(s.replicas)
	seed := strconv.Itoa(s.number) + "/" + ts.name + "/"
	for i := range ts.groups {
		for range ts.groups[i].count {
			index := len(s.replicas) - ts.firstID
			r := replica{
				tier:          uint16(tier), //nolint:gosec // callers limit the number of tiers
				group:         uint32(i),
				bitsPerMinute: ts.groups[i].bitsPerMinute,
				random:        *draw.New(seed + strconv.Itoa(index)),
			}
			switch s.begin {
			case coldStart:
				r.state = unsynced
				ts.unsynced++
			case together:
				r.due = s.countFrom
			case spread:
				r.due = ts.configured * r.random.Float64()
			}
			if s.begin != coldStart {
				r.syncStart = r.due - ts.configured
				r.startMinutes = ts.changeMinutes(r.syncStart)
			}
			s.replicas = append(s.replicas, r)
			s.due.push(r.due, len(s.replicas)-1)
		}
	}
}
