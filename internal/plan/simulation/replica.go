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

// kind contains the data of identical VMs of a tier. Amounts are in bits on the wire.
type kind struct {
	count int
	// initialBits is the amount that the initial sync of one VM sends. seedBits is the uncompressed amount that is
	// compared.
	initialBits, seedBits float64
	// perMinute is the change of one VM in bits per minute. It is used if there is no curve.
	perMinute float64
	curve     *changerate.Curve
	// bitsPerGiB is the number of bits on the wire for each GiB of the curve.
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

func (k *kind) changed(minutes float64) float64 {
	if k.curve == nil {
		return k.perMinute * minutes
	}
	return k.curve.At(minutes) * k.bitsPerGiB
}

// flow contains the state of a tier. Amounts are in bits on the wire, times in seconds.
type flow struct {
	name     string
	link     int
	line     *line
	class    *class
	rpo      float64
	jitter   float64 // maximum shift of a start
	overhead float64
	// first is the ID of the first VM, and vms the number of VMs.
	first, vms int
	kinds      []kind

	// before[h] is the share of the daily change that occurs before hour h. It is not used if the change is evenly
	// distributed.
	before [HoursPerDay + 1]float64
	even   bool
	// peak is the ratio of the change rate to its mean, from minute peakStart of the day until the daily change is
	// complete; 0 for no peak.
	peak, peakStart float64

	violations, alarms int64
	days               []day
	oldest             float64 // maximum age of a recovery point on the current day
	sent               float64
	durations          []float64
	spans              spans
	// tolerated and toleratedHalf are the permitted lateness of each VM in the run and in its second half. The run ends as
	// soon as a VM exceeds either of them.
	tolerated, toleratedHalf float64
	unsynced                 int     // VMs that have not completed an initial sync
	lastInitial              float64 // completion of the last initial sync
	// shortest and longest are the shortest and longest intervals, in minutes, for which the curve was evaluated.
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

func (f *flow) sum(of func(*kind) float64) float64 {
	sum := 0.0
	for i := range f.kinds {
		sum += float64(f.kinds[i].count) * of(&f.kinds[i])
	}
	return sum
}

// minutes returns the number of minutes since midnight of the first day, weighted by the ratio of the change rate to
// its mean. If there is a peak, the count starts at the peak of the previous day. The function is linear within each
// hour and within a peak, and is also defined for negative times.
func (f *flow) minutes(t float64) float64 {
	if f.even { // inlined for speed
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

// replica is the replication of one VM. The fields that most events need come first and share one cache line of 64
// bytes. The struct occupies three cache lines.
type replica struct {
	flow *flow
	// point is the time to which the newest recovery point refers, that is the start of its sync; -Inf if there is no
	// recovery point.
	point float64
	// begun is the start of the current sync and bits its size. mark is the number of weighted minutes at the most recent
	// start.
	begun, bits, mark float64
	// since is the start of the open violation, or onTime. counted is the part of the violation that has already been
	// counted.
	since, counted float64
	// kept is the number of recorded durations, and next the index of the next duration.
	kept, next uint8
	// parts is the number of transfers that the sync is waiting for: the data, and the comparison with the seed.
	parts uint8
	// opening reports whether the pending event is the end of a sync's overhead rather than the start of a sync.
	opening bool
	kind    uint32
	// history is a ring buffer of the most recent durations. Unused entries are 0.
	history [PredictionSyncs]float64
	jitter  draw.Source
}

func (r *replica) initial() bool { return r.point < -math.MaxFloat64 }

func (r *replica) data() *kind { return &r.flow.kinds[r.kind] }

// predicted returns the expected duration of the next sync. The history must not be empty.
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

func (r *replica) moved() float64 {
	if r.flow.jitter == 0 {
		return 0
	}
	return r.jitter.Float64() * r.flow.jitter
}

// age returns the age of the newest recovery point. If there is none, it returns the time since the start of the run.
func (r *replica) age(at float64) float64 {
	if r.initial() {
		return at
	}
	return at - r.point
}

// newReplicas appends the VMs of a tier and schedules their first starts. VMs that are in sync start in the steady
// state that a single VM has at the given rate in bit/s. run is the number of the run, counted from 1.
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

// steadySpacing returns the interval s between the sync starts of a single VM, where s + 1.2 (overhead + U(s) / rate) =
// RPO. It returns 0 if the overhead is too long.
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
