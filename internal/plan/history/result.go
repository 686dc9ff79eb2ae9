package history

import (
	"time"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	msPerMinute = float64(time.Minute / time.Millisecond)
	msPerDay    = float64(24 * time.Hour / time.Millisecond)
)

func minutes(ms int64) float64 { return float64(ms) / msPerMinute }

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
			Delta:            v.syncs[Delta],
			AppQuiescedDelta: v.syncs[AppQuiescedDelta],
			FSQuiescedDelta:  v.syncs[FSQuiescedDelta],
			UnquiescedDelta:  v.syncs[UnquiescedDelta],
			Full:             v.syncs[FullSync],
		},
		Transferred:       quantity.Size(v.bytes),
		Delta:             v.deltas.quantiles(),
		Interval:          v.intervals.quantiles(),
		Lateness:          v.late.quantiles(),
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
			Start:             time.UnixMilli(start).UTC(),
			ViolationMinutes:  minutes(d.violated),
			KnownMinutes:      minutes(known),
			UnknownMinutes:    minutes(d.unknown),
			CompliancePercent: kept(d.violated, known),
		}
	}
	return list
}
