package simulation

import (
	"math"
	"strconv"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Scheduling rule of vSphere Replication.
const (
	// PredictionFactor and PredictionSyncs define the predicted duration of a sync: 1.2 times the mean of the last 15
	// durations (VMware vSphere blog, June 2014).
	PredictionFactor = 1.2
	PredictionSyncs  = 15
)

// vmGroup describes identical VMs of a tier. Amounts are in bits on the wire.
type vmGroup struct {
	count int
	// initialBits is the amount that the initial sync of one VM sends. seedBits is the uncompressed amount of seeded data
	// that it compares.
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
		count: v.count(), bitsPerGiB: quantity.BitsPerGiB / t.CompressionRatio,
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
	name             string
	linkIndex        int
	linkState        *linkState
	class            *class
	rpo              float64
	jitter           float64 // maximum shift of a sync start
	overhead         float64
	firstID, vmCount int
	groups           []vmGroup

	// shareBefore[h] is the share of the daily change that occurs before hour h. It is used only with hourly weights.
	shareBefore [HoursPerDay + 1]float64
	isEven      bool
	// peak is the ratio of the change rate to its mean, from minute peakStart of the day until the daily change is
	// complete; 0 for no peak.
	peak, peakStart float64

	violations, alarms int64
	days               []day
	oldestToday        float64 // maximum age of a recovery point on the current day
	sentBits           float64
	durations          []float64
	lateSpans          spans
	// tolerated and toleratedHalf are the permitted lateness of each VM in the run and in its second half. The run is
	// aborted as soon as a VM exceeds either of them.
	tolerated, toleratedHalf float64
	unsynced                 int
	lastInitial              float64 // time at which the last initial sync completed
	// The curve was evaluated for intervals from shortestInterval to longestInterval, in minutes.
	shortestInterval, longestInterval float64
}

func newTierState(t Tier, e Estate) *tierState {
	ts := &tierState{
		name: t.Name, linkIndex: t.Link, rpo: t.RPOMinutes * quantity.SecondsPerMinute, overhead: t.OverheadSeconds,
		jitter: e.JitterPercent / quantity.Percent * t.RPOMinutes * quantity.SecondsPerMinute,
		isEven: t.HourlyWeights == nil && t.PeakFactor == 0, tolerated: math.Inf(1), toleratedHalf: math.Inf(1),
		shortestInterval: math.Inf(1),
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
	return quantity.MinutesPerDay * (day + ts.shareBefore[h] + (ts.shareBefore[h+1]-ts.shareBefore[h])*(hours-float64(h)))
}

// replica is the replication of one VM. The fields that most events need come first and share one cache line of 64
// bytes. The struct occupies three cache lines.
type replica struct {
	tier          *tierState
	recoveryPoint float64
	// syncStart and syncBits are the start and the size of the current sync. startMinutes is the value of changeMinutes at
	// the most recent sync start.
	syncStart, syncBits, startMinutes float64
	// violationStart is the start of the open violation, or onTime if there is none. countedSeconds is the part of the
	// violation that has already been counted.
	violationStart, countedSeconds float64
	durationCount, nextDuration    uint8
	// pendingTransfers is the number of transfers that the sync is waiting for: the data and the comparison of the seed.
	pendingTransfers uint8
	// inOverhead reports whether the pending event is the end of a sync's overhead rather than the start of a sync.
	inOverhead bool
	group      uint32
	durations  [PredictionSyncs]float64
	jitter     draw.Source
}

func (r *replica) needsInitialSync() bool { return r.recoveryPoint < -math.MaxFloat64 }

func (r *replica) vmGroup() *vmGroup { return &r.tier.groups[r.group] }

// predictedDuration returns the expected duration of the next sync. At least one duration must be recorded.
func (r *replica) predictedDuration() float64 {
	h := &r.durations
	sum := ((h[0] + h[1]) + (h[2] + h[3])) + ((h[4] + h[5]) + (h[6] + h[7])) +
		((h[8] + h[9]) + (h[10] + h[11])) + ((h[12] + h[13]) + h[14])
	return PredictionFactor * sum / float64(r.durationCount)
}

func (r *replica) addDuration(duration float64) {
	r.durations[r.nextDuration] = duration
	if r.nextDuration++; r.nextDuration == PredictionSyncs {
		r.nextDuration = 0
	}
	if r.durationCount < PredictionSyncs {
		r.durationCount++
	}
}

func (r *replica) drawJitter() float64 {
	if r.tier.jitter == 0 {
		return 0
	}
	return r.jitter.Float64() * r.tier.jitter
}

func (r *replica) age(at float64) float64 {
	if r.needsInitialSync() {
		return at
	}
	return at - r.recoveryPoint
}

// newReplicas adds the VMs of a tier and schedules their first syncs. Unless there is a cold start, each VM begins in
// the steady state that it would reach if it had the given rate, in bit/s, to itself. run is the number of the run,
// counted from 1.
func (s *simulation) newReplicas(ts *tierState, rate float64, run int) {
	ts.firstID = len(s.replicas)
	seed := strconv.Itoa(run) + "/" + ts.name + "/"
	for i := range ts.groups {
		g := &ts.groups[i]
		spacing := ts.steadySpacing(g, rate)
		for range g.count {
			index := len(s.replicas) - ts.firstID
			r := replica{tier: ts, recoveryPoint: math.Inf(-1), violationStart: onTime, group: uint32(i)}
			if ts.jitter > 0 {
				r.jitter = *draw.New(seed + strconv.Itoa(index))
			}
			first := r.drawJitter()
			if s.estate.ColdStart {
				r.violationStart = 0
				ts.unsynced++
			} else {
				if !s.estate.StartTogether {
					first += ts.rpo * float64(index) / float64(ts.vmCount)
				}
				r.recoveryPoint = first - spacing
				r.startMinutes = ts.changeMinutes(r.recoveryPoint)
				r.addDuration(ts.overhead + g.changedBits(spacing/quantity.SecondsPerMinute)/rate)
			}
			s.replicas = append(s.replicas, r)
			s.due.push(first, len(s.replicas)-1)
		}
	}
}

// steadySpacing returns the interval s between the sync starts of a single VM in the steady state, where s + 1.2
// (overhead + U(s) / rate) = RPO and U(s) is the change within s. It returns 0 if the overhead is too long.
func (ts *tierState) steadySpacing(g *vmGroup, rate float64) float64 {
	if g.curve == nil {
		use := g.bitsPerMinute / quantity.SecondsPerMinute / rate
		return max(0, (ts.rpo-PredictionFactor*ts.overhead)/(1+PredictionFactor*use))
	}
	low, high := 0.0, ts.rpo
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return low
		}
		if middle+PredictionFactor*(ts.overhead+g.changedBits(middle/quantity.SecondsPerMinute)/rate) <= ts.rpo {
			low = middle
		} else {
			high = middle
		}
	}
}
