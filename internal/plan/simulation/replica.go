// Tiers and VMs as the simulation needs them.

package simulation

import (
	"math"
	"strconv"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/quantity"
)

// The product's rule of prediction, and where it comes from.
const (
	// PredictionFactor and PredictionSyncs are vSphere Replication's: it predicts a sync by the mean of the last 15, and a
	// fifth more (VMware vSphere blog, June 2014).
	PredictionFactor = 1.2
	PredictionSyncs  = 15
)

// kind is the data of equal VMs of a tier; amounts are bits on the wire.
type kind struct {
	count int
	// initialBits are sent by the initial sync of one VM, and seedBits, uncompressed, compared.
	initialBits, seedBits float64
	// perMinute are the bits of one VM that change in a minute, without a curve.
	perMinute float64
	curve     *changerate.Curve
	// bitsPerGiB is the number of bits on the wire for a GiB of the curve.
	bitsPerGiB float64
}

func (t Tier) kind(v VM) kind {
	size := v.SizeGiB * quantity.BitsPerGiB
	k := kind{
		count:       v.count(),
		bitsPerGiB:  quantity.BitsPerGiB / t.CompressionRatio,
		initialBits: size * (quantity.Percent - v.SeededPercent) / quantity.Percent / t.CompressionRatio,
		perMinute:   size / t.CompressionRatio * v.DailyChangePercent / quantity.Percent / quantity.MinutesPerDay,
		seedBits:    v.SizeGiB * v.SeededPercent / quantity.Percent * quantity.BitsPerGiB,
	}
	if t.Curve != nil {
		c := changerate.NewCurve(t.Curve, v.SizeGiB)
		k.curve = &c
	}
	return k
}

// changed returns the bits of one VM that change in weighted minutes.
func (k *kind) changed(minutes float64) float64 {
	if k.curve == nil {
		return k.perMinute * minutes
	}
	return k.curve.At(minutes) * k.bitsPerGiB
}

// flow is a tier; amounts are bits on the wire, times seconds.
type flow struct {
	name     string
	link     int
	line     *line
	class    *class
	rpo      float64
	jitter   float64 // the most by which a start moves
	overhead float64
	// first is the id of its first VM, vms their number.
	first, vms int
	kinds      []kind

	// before[h] is the part of a day's change that has happened by the start of hour h; unused when even.
	before [HoursPerDay + 1]float64
	even   bool
	// peak times the mean changes in a minute from minute peakStart of the day on, until all of the day's change has
	// happened; 0 without a peak.
	peak, peakStart float64

	violations, alarms int64
	days               []day
	oldest             float64 // point of this day
	sent               float64
	durations          []float64
	spans              spans
	// tolerated is how long each VM may be late, in the run and in its second half, in a run that ends when one is later.
	tolerated, toleratedHalf float64
	unsynced                 int     // VMs without an initial sync
	lastInitial              float64 // when the last one arrived
	// shortest and longest are the bounds of the minutes at which the curve was read.
	shortest, longest float64
}

func newFlow(t Tier, e Estate) *flow {
	f := &flow{
		name:      t.Name,
		link:      t.Link,
		rpo:       t.RPOMinutes * quantity.SecondsPerMinute,
		overhead:  t.OverheadSeconds,
		jitter:    e.JitterPercent / quantity.Percent * t.RPOMinutes * quantity.SecondsPerMinute,
		even:      t.HourlyWeights == nil && t.PeakFactor == 0,
		tolerated: math.Inf(1), toleratedHalf: math.Inf(1),
		shortest: math.Inf(1),
	}
	for _, v := range t.VMs {
		k := t.kind(v)
		if e.Checksum == 0 {
			k.seedBits = 0
		}
		f.kinds = append(f.kinds, k)
		f.vms += k.count
	}
	if f.even {
		return f
	}
	if t.PeakFactor > 0 {
		f.peak, f.peakStart = t.PeakFactor, t.PeakStartHour*quantity.MinutesPerHour
		return f
	}
	for h, weight := range t.HourlyWeights {
		f.before[h+1] = f.before[h] + weight
	}
	total := f.before[HoursPerDay]
	for h := range f.before {
		f.before[h] /= total
	}
	return f
}

// sum adds up a figure over its VMs.
func (f *flow) sum(of func(*kind) float64) float64 {
	sum := 0.0
	for i := range f.kinds {
		sum += float64(f.kinds[i].count) * of(&f.kinds[i])
	}
	return sum
}

// minutes returns the minutes since midnight of the first day, or since a peak of the day before, each weighted by its
// change over the mean. It is linear within an hour and within a peak, and continues below zero.
func (f *flow) minutes(t float64) float64 {
	if f.even { // inlined
		return t / quantity.SecondsPerMinute
	}
	return f.weighted(t)
}

func (f *flow) weighted(t float64) float64 {
	if f.peak > 0 {
		since := t/quantity.SecondsPerMinute - f.peakStart
		day := math.Floor(since / quantity.MinutesPerDay)
		return quantity.MinutesPerDay*day + min(quantity.MinutesPerDay, f.peak*(since-quantity.MinutesPerDay*day))
	}
	day := math.Floor(t / quantity.SecondsPerDay)
	hours := (t - day*quantity.SecondsPerDay) / quantity.SecondsPerHour
	h := min(int(hours), HoursPerDay-1)
	return quantity.MinutesPerDay * (day + f.before[h] + (f.before[h+1]-f.before[h])*(hours-float64(h)))
}

// replica is one VM's replication. What most events need comes first, in one cache line of 64 bytes; the whole takes
// three.
type replica struct {
	flow *flow
	// point is the start of the sync of the newest recovery point; -Inf without a point.
	point float64
	// begun is the start of the sync that runs, bits what it sends. mark are the weighted minutes at the newest start.
	begun, bits, mark float64
	// since is the start of the stretch above the RPO, onTime without one; counted is how much of it has been counted.
	since, counted float64
	// kept is how many durations there are, next where the next one goes.
	kept, next uint8
	// parts are the transfers that its sync waits for: the link, and the comparison of seeds.
	parts uint8
	// opening: the event that is due is the end of a sync's overhead, not its start.
	opening bool
	// kind is the index of its kind.
	kind uint32
	// history are the last durations, in a ring; unused ones are 0.
	history [PredictionSyncs]float64
	jitter  draw.Source
}

func (r *replica) initial() bool { return r.point < -math.MaxFloat64 }

func (r *replica) data() *kind { return &r.flow.kinds[r.kind] }

// predicted returns how long the next sync should take. There is a history.
func (r *replica) predicted() float64 {
	h := &r.history
	sum := ((h[0] + h[1]) + (h[2] + h[3])) + ((h[4] + h[5]) + (h[6] + h[7])) +
		((h[8] + h[9]) + (h[10] + h[11])) + ((h[12] + h[13]) + h[14])
	return PredictionFactor * sum / float64(r.kept)
}

func (r *replica) remember(duration float64) {
	r.history[r.next] = duration
	if r.next++; r.next == PredictionSyncs {
		r.next = 0
	}
	if r.kept < PredictionSyncs {
		r.kept++
	}
}

// moved returns by how much the next start moves.
func (r *replica) moved() float64 {
	if r.flow.jitter == 0 {
		return 0
	}
	return r.jitter.Float64() * r.flow.jitter
}

// age returns the age of the newest recovery point; without one, that of the run.
func (r *replica) age(at float64) float64 {
	if r.initial() {
		return at
	}
	return at - r.point
}

// newReplicas appends the VMs of a tier to the list and their first starts to due. In sync, each is in the steady
// state of a VM alone, at rate bit/s. run is the number of the run, from 1.
func (s *simulation) newReplicas(f *flow, rate float64, run int) {
	f.first = len(s.replicas)
	seed := strconv.Itoa(run) + "/" + f.name + "/"
	for i := range f.kinds {
		k := &f.kinds[i]
		spacing := f.steadySpacing(k, rate)
		for range k.count {
			index := len(s.replicas) - f.first
			r := replica{flow: f, point: math.Inf(-1), since: onTime, kind: uint32(i)}
			if f.jitter > 0 {
				r.jitter = *draw.New(seed + strconv.Itoa(index))
			}
			first := r.moved()
			if s.in.ColdStart {
				r.since = 0
				f.unsynced++
			} else {
				if !s.in.StartTogether {
					first += f.rpo * float64(index) / float64(f.vms)
				}
				r.point = first - spacing
				r.mark = f.minutes(r.point)
				r.remember(f.overhead + k.changed(spacing/quantity.SecondsPerMinute)/rate)
			}
			s.replicas = append(s.replicas, r)
			s.due.push(first, len(s.replicas)-1)
		}
	}
}

// steadySpacing returns the spacing s of the starts of a VM alone: s + 1.2 (overhead + U(s) / rate) = RPO; 0 if the
// overhead alone is too long.
func (f *flow) steadySpacing(k *kind, rate float64) float64 {
	if k.curve == nil {
		use := k.perMinute / quantity.SecondsPerMinute / rate
		return max(0, (f.rpo-PredictionFactor*f.overhead)/(1+PredictionFactor*use))
	}
	low, high := 0.0, f.rpo
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return low
		}
		if middle+PredictionFactor*(f.overhead+k.changed(middle/quantity.SecondsPerMinute)/rate) <= f.rpo {
			low = middle
		} else {
			high = middle
		}
	}
}
