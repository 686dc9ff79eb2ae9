// Package changerate turns what vCenter measured of a VM's writes into rates of change: mean, 95th percentile and
// peak, written and changed data of a day.
//
// It deals with what such series are like: samples that are missing or come in any order, values that a counter invents
// when it starts anew, instances that come and go. It refuses to guess: a moment without a value is left out, not zero.
// A write is not a change: a block that is written ten times between two syncs changes once. Written data therefore
// bounds changed data from above, and the coalescing factor, which the caller has to know, is the ratio.
package changerate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// bytesPerKilobyte: vCenter's KBps are 1,024 bytes per second. Source: vSphere Monitoring and Performance, "Data
	// Counters", units of measurement.
	bytesPerKilobyte = 1024

	// MaxKBps is the largest value of one instance that is taken for a measurement, 95 GiB/s: more than a host can
	// write. A counter of 32 bits that starts anew shows up as 2^32 / 20 = 214,748,364. An assumption of vsla's.
	MaxKBps = 100_000_000
)

// RealTimeSeconds is the interval of the statistics that hosts keep themselves.
const RealTimeSeconds = 20

// The ranges of the inputs.
var (
	RangeCoalescingFactor = plan.Range{Min: 0, Max: 1, Above: true}
	RangeLookbackHours    = plan.Range{Min: 0, Max: 87600, Above: true, Unit: "hours"}
	RangeSizeBytes        = plan.Range{Min: 0, Max: 1 << 62, Unit: "bytes"}
)

// Intervals are the lengths of a sample that vCenter offers, in seconds.
func Intervals() []int64 { return []int64{RealTimeSeconds, 300, 1800, 7200, 86400} }

// KeptHours is how long statistics of an interval are kept unless vCenter is set otherwise: an hour of real-time
// samples, then a day, a week, a month of 30 days and a year. Zero for any other interval. Source: vSphere Monitoring
// and Performance, "Data Collection Intervals".
func KeptHours(intervalSeconds int64) float64 {
	switch intervalSeconds {
	case RealTimeSeconds:
		return 1
	case 300:
		return 24
	case 1800:
		return 7 * 24
	case 7200:
		return 30 * 24
	case 86400:
		return 365 * 24
	}
	return 0
}

// CheckLookback returns the error of a lookback without asking vCenter: it is shorter than one sample, or
// longer than the hour of real-time samples. How long the others are kept is a setting of vCenter's.
func CheckLookback(intervalSeconds int64, hours float64) error {
	switch {
	case RangeLookbackHours.Check(hours) != nil:
		return RangeLookbackHours.Check(hours)
	case hours*quantity.SecondsPerHour < float64(intervalSeconds):
		return fmt.Errorf(
			"must hold at least one sample of %d seconds, which is %s hours, got %s",
			intervalSeconds,
			strconv.FormatFloat(float64(intervalSeconds)/quantity.SecondsPerHour, 'g', 6, 64),
			strconv.FormatFloat(hours, 'g', -1, 64),
		)
	case intervalSeconds == RealTimeSeconds && hours > KeptHours(RealTimeSeconds):
		return fmt.Errorf("must be at most 1 hour with real-time samples (20 seconds), which hosts keep no longer, got %s; "+
			"for more take interval_seconds 300 (a day), 1800 (a week), 7200 (a month) or 86400 (a "+
			"year)", strconv.FormatFloat(hours, 'g', -1, 64))
	}
	return nil
}

// Input holds the settings of the calculation.
type Input struct {
	// IntervalSeconds is the length of a sample.
	IntervalSeconds int64
	// CoalescingFactor is the share of written data that is left when blocks that are written repeatedly between two syncs
	// count once, above 0 and at most 1. 1 takes every write for a change.
	CoalescingFactor float64
}

// VM is one VM as it was measured.
type VM struct {
	// Size is the base of percentages: the data to replicate.
	Size   quantity.Size
	Series Series
}

// Rates are what a VM, or all of them together, wrote.
type Rates struct {
	// Samples is the number of samples that hold a measurement. With none, all other numbers but SizeGiB are 0 and mean
	// nothing.
	Samples int
	// MeanWriteMbps, P95WriteMbps and PeakWriteMbps are in Mbit/s (10^6 bit/s). The 95th percentile is by nearest rank:
	// the smallest sample that at least 95 % of the samples do not exceed. A sample is itself a mean over its interval:
	// shorter peaks than that do not show.
	MeanWriteMbps, P95WriteMbps, PeakWriteMbps float64
	// DailyWriteGiB is the mean over a day, in GiB; DailyChangeGiB the same times the coalescing factor.
	DailyWriteGiB, DailyChangeGiB float64
	// DailyChangePercent is DailyChangeGiB of SizeGiB; nil when the size is 0.
	DailyChangePercent *float64
	SizeGiB            float64
	Hours              Hours
}

// Estate adds VMs up. It holds a number for each moment, however many VMs there are.
type Estate struct {
	in        Input
	mean      float64 // sum of the VMs' means, KBps
	size      quantity.Size
	samples   int
	measured  bool
	byInstant map[int64]instant
	hourly    [HoursPerDay]float64 // sums of the VMs' hourly means, KBps
	hourlyVMs int
}

// instant holds the rate of the VMs that have a sample at that time, and the mean rate of those same VMs.
type instant struct {
	written int64
	mean    float64
}

// NewEstate starts without VMs. The error is a plan.InputErrors.
func NewEstate(in Input) (*Estate, error) {
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("coalescing_factor"), RangeCoalescingFactor.Check(in.CoalescingFactor))
	if KeptHours(in.IntervalSeconds) == 0 {
		errs = errs.With(
			plan.Attr("interval_seconds"),
			fmt.Errorf("must be one of 20, 300, 1800, 7200 and 86400 seconds, got %d", in.IntervalSeconds),
		)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return &Estate{in: in, byInstant: make(map[int64]instant)}, nil
}

// Add returns a VM's rates and adds it to the total. A VM without a measurement adds nothing, its size neither.
// Sums of floating-point numbers depend on their order in the last digit: add VMs in a fixed order. The error is
// about a size that is negative or no number.
func (e *Estate) Add(m VM) (Rates, error) {
	if RangeSizeBytes.Check(float64(m.Size)) != nil {
		return Rates{}, errors.New("the size of a VM must not be negative, nor beyond 2^62 bytes")
	}
	samples := m.Series.samples()
	if len(samples) == 0 {
		return Rates{SizeGiB: m.Size.GiB(), Hours: Unmeasured()}, nil
	}
	var sum int64
	values := make([]float64, len(samples))
	for i, s := range samples {
		sum += s.kbps
		values[i] = float64(s.kbps)
	}
	mean := float64(sum) / float64(len(samples))
	e.mean += mean
	e.size += m.Size
	e.samples += len(samples)
	e.measured = true
	for at, kbps := range byInstant(samples, e.in.IntervalSeconds) {
		then := e.byInstant[at]
		e.byInstant[at] = instant{written: then.written + kbps, mean: then.mean + mean}
	}
	r := e.rates(mean, values, m.Size, len(samples))
	r.Hours = e.hours(samples)
	return r, nil
}

// Total returns the VMs together, as they would share a link: percentile and peak are of their sum at each moment, not
// sums of percentiles and peaks. A VM without a value at a moment counts with its mean then.
func (e *Estate) Total() Rates {
	if !e.measured {
		return Rates{Hours: e.totalHours()}
	}
	values := make([]float64, 0, len(e.byInstant))
	for _, then := range e.byInstant {
		// The difference of two sums of the same means may be a hair off zero.
		values = append(values, max(float64(then.written)+max(e.mean-then.mean, 0), 0))
	}
	r := e.rates(e.mean, values, e.size, e.samples)
	r.Hours = e.totalHours()
	return r
}

// rates takes kilobytes per second; it sorts values.
func (e *Estate) rates(mean float64, values []float64, size quantity.Size, samples int) Rates {
	slices.Sort(values)
	written := quantity.Size(mean * bytesPerKilobyte * quantity.SecondsPerDay)
	changed := quantity.Size(float64(written) * e.in.CoalescingFactor)
	r := Rates{
		Samples:        samples,
		MeanWriteMbps:  mbps(mean),
		P95WriteMbps:   mbps(values[rank95(len(values))]),
		PeakWriteMbps:  mbps(values[len(values)-1]),
		DailyWriteGiB:  written.GiB(),
		DailyChangeGiB: changed.GiB(),
		SizeGiB:        size.GiB(),
	}
	if size >= 1 {
		r.DailyChangePercent = new(float64(changed) / float64(size) * quantity.Percent)
	}
	return r
}

// rank95 is the index of the 95th percentile of n sorted values by nearest rank: the ceil(0.95 n)-th, in whole numbers.
func rank95(n int) int { return (95*n+99)/100 - 1 }

func mbps(kbps float64) float64 {
	return quantity.Rate(kbps * bytesPerKilobyte * quantity.BitsPerByte).Mbps()
}

// byInstant rounds times to whole intervals, because each host has its own beat, and keeps the largest sample of each.
func byInstant(samples []sample, intervalSeconds int64) map[int64]int64 {
	largest := make(map[int64]int64, len(samples))
	for _, s := range samples {
		at := int64(math.Round(float64(s.at) / float64(intervalSeconds)))
		largest[at] = max(largest[at], s.kbps)
	}
	return largest
}
