package history

import (
	"time"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

const (
	// rounds is the number of iterations for the hourly rates. Ten iterations suffice for one-hour intervals. With longer
	// intervals, more iterations would fit the noise. The value is this project's own assumption.
	rounds   = 10
	farthest = hoursPerDay / 2
)

type byHour [hoursPerDay]float64

type hours struct {
	// ms is the total time that the intervals cover in each hour of the day. bytes is the amount of data that changes in
	// each hour if the changes are spread evenly over each interval.
	bytes, ms byHour
	// apart[d-1][h] is the weight of the intervals that overlap both hour h and the hour that is d hours later. Each such
	// interval adds the product of its milliseconds in the two hours, divided by its length. The longest interval
	// determines the number of entries.
	apart [][hoursPerDay]float32
}

func (h *hours) add(from, to int64, bytes float64) byHour {
	const hour = int64(time.Hour / time.Millisecond)
	var in byHour
	for at := from; at < to; {
		next := min(to, (at/hour+1)*hour)
		in[at/hour%hoursPerDay] += float64(next - at)
		at = next
	}
	all := float64(to - from)
	for i, ms := range in {
		if ms == 0 {
			continue
		}
		h.ms[i] += ms
		h.bytes[i] += bytes * (ms / all)
		for d := 1; d <= farthest; d++ {
			if other := in[(i+d)%hoursPerDay]; other > 0 {
				h.grow(d)
				h.apart[d-1][i] += float32(ms * (other / all))
			}
		}
	}
	return in
}

func (h *hours) grow(entries int) {
	for len(h.apart) < entries {
		h.apart = append(h.apart, [hoursPerDay]float32{})
	}
}

func (h *hours) merge(other *hours) {
	for i := range h.ms {
		h.ms[i] += other.ms[i]
		h.bytes[i] += other.bytes[i]
	}
	h.grow(len(other.apart))
	for d := range other.apart {
		for i, ms := range other.apart[d] {
			h.apart[d][i] += ms
		}
	}
}

// weights returns the change rate of each hour relative to the mean, or nil if any hour was not measured or nothing
// changed.
//
// An interval that overlaps a busy hour also raises the rates of the adjacent hours. The rates are therefore refined
// iteratively: each rate is multiplied by the ratio of the change measured in the intervals that overlap its hour to
// the change expected from the current rates. This is the image space reconstruction algorithm (Daube-Witherspoon and
// Muehllehner, 1986), which converges to the non-negative least squares solution. It starts with an even spread over
// each interval.
func (h *hours) weights() []float64 {
	rates := make([]float64, hoursPerDay)
	for i, ms := range h.ms {
		if ms == 0 {
			return nil
		}
		rates[i] = h.bytes[i] / ms
	}
	for range rounds {
		for i, brought := range h.expected(rates) {
			if brought > 0 {
				rates[i] *= h.bytes[i] / brought
			}
		}
	}
	sum := 0.0
	for _, rate := range rates {
		sum += rate
	}
	if sum == 0 {
		return nil
	}
	for i := range rates {
		rates[i] *= hoursPerDay / sum
	}
	return rates
}

func (h *hours) expected(rates []float64) byHour {
	var brought byHour
	alone := h.ms
	together := func(i, j int, ms float64) {
		brought[i] += ms * rates[j]
		alone[i] -= ms
	}
	for d := range h.apart {
		for i, ms := range h.apart[d] {
			j := (i + d + 1) % hoursPerDay
			together(i, j, float64(ms))
			if d+1 < farthest { // two hours that are half a day apart already have two entries, one for each direction
				together(j, i, float64(ms))
			}
		}
	}
	for i, ms := range alone {
		brought[i] += max(0, ms) * rates[i]
	}
	return brought
}

type pending struct {
	before int64 // end of the previous sync, or none
	due    int64 // start of the violation during which the sync ended, or none
	bytes  float64
	change bool // whether the sync sent the changes since lastStart
}

// starts estimates the start times of syncs, which events do not contain: they only show when a sync ended. A sync
// sends the changes made between the start of the previous sync and its own start.
type starts struct {
	pending   *pending
	lastStart int64 // start of the sync before pending
	// took is a ring buffer of the most recent durations in minutes; taken is the total number of durations.
	took  [simulation.PredictionSyncs]float32
	taken int
}

// began estimates the start of the pending sync. It is called with the end of the next sync, or with none at the end of
// the log.
//
// Late syncs run back to back. The first late sync started no later than the beginning of the violation. If no
// violation occurs before the next sync ends, the pending sync started at most one RPO before that end. Otherwise the
// scheduling rule of vSphere Replication applies: a sync starts when the time left in the RPO is 1.2 times the mean of
// the most recent durations.
func (v *vmLog) began(next int64) int64 {
	p := v.pending
	if p == nil || v.rpo == 0 {
		return v.lastSync
	}
	low, high := max(p.before, v.lastStart), v.lastSync
	if p.due != none {
		if p.before >= p.due {
			return p.before
		}
		high = p.due
	}
	if v.since == none && next != none {
		low = max(low, next-v.rpo)
	}
	return min(high, max(low, v.planned(next)))
}

// planned returns the start of the pending sync according to the scheduling rule. If no durations are known, the
// duration is derived from the time between the end of the pending sync and the end of the next one. The last sync of
// the log is assumed to take no time.
func (v *vmLog) planned(next int64) int64 {
	n := min(v.taken, len(v.took))
	switch {
	case next == none:
		return v.lastSync
	case n == 0:
		return v.lastSync - int64(float64(v.rpo-(next-v.lastSync))/simulation.PredictionFactor)
	}
	sum := 0.0
	for _, m := range v.took[:n] {
		sum += float64(m)
	}
	predicted := simulation.PredictionFactor * sum / float64(n) * float64(time.Minute/time.Millisecond)
	return v.lastStart + v.rpo - int64(predicted)
}

// missed returns the start of the pending sync if a violation begins at the given time: the sync started one RPO
// earlier.
func (v *vmLog) missed(at int64) int64 {
	if v.pending == nil || v.rpo == 0 {
		return v.lastSync
	}
	return min(v.lastSync, max(at-v.rpo, v.pending.before, v.lastStart))
}

func (v *vmLog) settle(start int64) {
	p := v.pending
	if p == nil {
		return
	}
	if p.change {
		v.took[v.taken%len(v.took)] = float32(minutes(v.lastSync - start))
		v.taken++
	}
	if p.change && start > v.lastStart {
		v.changed += p.bytes
		v.changing += float64(start - v.lastStart)
		at := v.curve.at(minutes(start - v.lastStart))
		at.syncs++
		at.gib += gib(p.bytes)
		at.add(v.hours.add(v.lastStart, start, p.bytes))
	}
	v.lastStart, v.pending = start, nil
}

const (
	msPerMinute = float64(time.Minute / time.Millisecond)
	msPerDay    = float64(24 * time.Hour / time.Millisecond)
)

func minutes(ms int64) float64 { return float64(ms) / msPerMinute }

func milliseconds(minutes float64) int64 { return int64(minutes * msPerMinute) }

func gib(bytes float64) float64 { return quantity.Size(bytes).GiB() }

func (v *vmLog) merge(other *vmLog) {
	v.vm.Size += other.vm.Size
	v.unknown += other.unknown
	v.violated += other.violated
	v.violations += other.violations
	v.interruptions += other.interruptions
	v.bytes += other.bytes
	v.daily += other.dailyBytes()
	for i, n := range other.syncs {
		v.syncs[i] += n
	}
	v.hours.merge(&other.hours)
	v.changing += other.changing
	v.deltas.merge(&other.deltas)
	v.intervals.merge(&other.intervals)
	v.late.merge(&other.late)
	v.curve.merge(other.curve)
}

func (v *vmLog) dailyBytes() float64 {
	if v.changing == 0 {
		return 0
	}
	return v.changed / v.changing * msPerDay
}

func (v *vmLog) result(span int64, dailyBytes float64) Result {
	r := Result{
		VMCount:    1,
		RPOMinutes: v.vm.RPOMinutes,
		Size:       v.vm.Size,
		Syncs: Syncs{
			Delta: v.syncs[Delta], AppQuiescedDelta: v.syncs[AppQuiescedDelta],
			FSQuiescedDelta: v.syncs[FSQuiescedDelta], UnquiescedDelta: v.syncs[UnquiescedDelta], Full: v.syncs[FullSync],
		},
		Transferred: quantity.Size(v.bytes),
		Delta:       v.deltas.quantiles(), Interval: v.intervals.quantiles(), Lateness: v.late.quantiles(),
		Violations:        v.violations,
		Interruptions:     v.interruptions,
		ViolationMinutes:  minutes(v.violated),
		KnownMinutes:      minutes(span - v.unknown),
		UnknownMinutes:    minutes(v.unknown),
		CompliancePercent: kept(v.violated, span-v.unknown),
		HourlyWeights:     v.hours.weights(),
	}
	r.ChangeCurve = v.curve.points(r.HourlyWeights)
	if v.changing > 0 {
		r.DailyChangeGiB = new(gib(dailyBytes))
		if v.vm.Size >= 1 {
			r.DailyChangePercent = new(dailyBytes / float64(v.vm.Size) * quantity.Percent)
		}
	}
	return r
}

func kept(violated, known int64) *float64 {
	if known <= 0 {
		return nil
	}
	return new(quantity.Percent * (1 - float64(violated)/float64(known)))
}

type calendar struct {
	from, to int64
	days     []dayTotals
}

type dayTotals struct{ violated, unknown int64 }

func newCalendar(from, to int64) calendar {
	first, last := from/int64(msPerDay), (to-1)/int64(msPerDay)
	return calendar{from: from, to: to, days: make([]dayTotals, max(0, last-first+1))}
}

func (c *calendar) add(from, to int64, into func(*dayTotals, int64)) {
	const day = int64(msPerDay)
	for at := from; at < to; {
		next := min(to, (at/day+1)*day)
		into(&c.days[at/day-c.from/day], next-at)
		at = next
	}
}

func (c *calendar) result(vms int) []Day {
	const day = int64(msPerDay)
	list := make([]Day, len(c.days))
	for i, d := range c.days {
		start := (c.from/day + int64(i)) * day
		known := int64(vms)*(min(c.to, start+day)-max(c.from, start)) - d.unknown
		list[i] = Day{
			Start: time.UnixMilli(start).UTC(), ViolationMinutes: minutes(d.violated), KnownMinutes: minutes(known),
			UnknownMinutes: minutes(d.unknown), CompliancePercent: kept(d.violated, known),
		}
	}
	return list
}
