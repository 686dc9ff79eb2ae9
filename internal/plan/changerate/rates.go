// Package changerate derives the change rates of VMs from vCenter write statistics: mean, 95th percentile and peak, and
// the data written and changed per day.
//
// Series can have missing or unsorted samples, wrong values after a counter reset, and instances that appear or
// disappear. A time without a value is skipped rather than counted as zero. Written data is an upper bound for changed
// data, because a block that is written ten times between two syncs is sent once. The caller supplies the ratio of
// changed to written data as the coalescing factor.
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
	// bytesPerKilobyte is the number of bytes in vCenter's unit KBps. Source: vSphere Monitoring and Performance, "Data
	// Counters", units of measurement.
	bytesPerKilobyte = 1024

	// MaxKBps is the largest plausible value of one instance: 95 GiB/s, more than a host can write. When a 32-bit
	// counter is reset, a 20-second sample shows 2^32 / 20 = 214,748,364 KBps. The value is this project's own
	// assumption.
	MaxKBps = 100_000_000
)

// RealTimeSeconds is the sample interval of the real-time statistics on the hosts.
const RealTimeSeconds = 20

// Ranges of the inputs.
var (
	RangeCoalescingFactor = plan.Range{Min: 0, Max: 1, Above: true}
	RangeLookbackHours    = plan.Range{Min: 0, Max: 87600, Above: true, Unit: "hours"}
	RangeSizeBytes        = plan.Range{Min: 0, Max: 1 << 62, Unit: "bytes"}
)

// Intervals returns vCenter's sample intervals in seconds.
func Intervals() []int64 { return []int64{RealTimeSeconds, 300, 1800, 7200, 86400} }

// KeptHours returns the default retention of statistics with the given interval: one hour for real-time samples, then a
// day, a week, a month of 30 days, and a year. It returns 0 for other intervals. Source: vSphere Monitoring and
// Performance, "Data Collection Intervals".
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

// CheckLookback returns an error if a lookback is shorter than one sample or, for real-time samples, longer than one
// hour. Other retention times are not checked, because they can be configured in vCenter.
func CheckLookback(intervalSeconds int64, hours float64) error {
	switch {
	case RangeLookbackHours.Check(hours) != nil:
		return RangeLookbackHours.Check(hours)
	case hours*quantity.SecondsPerHour < float64(intervalSeconds):
		return fmt.Errorf("must be at least one sample of %d seconds (%s hours), got %s", intervalSeconds,
			strconv.FormatFloat(float64(intervalSeconds)/quantity.SecondsPerHour, 'g', 6, 64),
			strconv.FormatFloat(hours, 'g', -1, 64))
	case intervalSeconds == RealTimeSeconds && hours > KeptHours(RealTimeSeconds):
		return fmt.Errorf("must be at most 1 hour with real-time samples (20 seconds), which hosts keep for one "+
			"hour, got %s; for longer lookbacks, set interval_seconds to 300 (a day), 1800 (a week), 7200 (a month) "+
			"or 86400 (a year)", strconv.FormatFloat(hours, 'g', -1, 64))
	}
	return nil
}

// Input contains the settings for computing rates.
type Input struct {
	IntervalSeconds int64
	// CoalescingFactor is the ratio of changed to written data, above 0 and at most 1. A block that is written
	// repeatedly between two syncs counts as changed once. With a factor of 1, every write counts.
	CoalescingFactor float64
}

// VM contains the measurements of one VM.
type VM struct {
	// Size is the size of the replicated data, on which percentages are based.
	Size   quantity.Size
	Series Series
}

// Rates contains the write and change rates of one VM or of all VMs.
type Rates struct {
	// Samples is the number of valid samples. If it is 0, the rates are unknown and all numbers except SizeGiB are 0.
	Samples int
	// MeanWriteMbps, P95WriteMbps and PeakWriteMbps are in Mbit/s (10^6 bit/s). The 95th percentile is determined by
	// the nearest-rank method: it is the smallest sample that at least 95% of the samples do not exceed. Each sample is
	// the mean over its interval, so shorter peaks are not visible.
	MeanWriteMbps, P95WriteMbps, PeakWriteMbps float64
	// DailyWriteGiB is the mean amount of data written per day. DailyChangeGiB is DailyWriteGiB times the coalescing
	// factor.
	DailyWriteGiB, DailyChangeGiB float64
	// DailyChangePercent is DailyChangeGiB in percent of SizeGiB; nil if the size is 0.
	DailyChangePercent *float64
	SizeGiB            float64
	Hours              Hours
}

// Estate accumulates the rates of VMs. It stores a single entry per sample time, shared by all VMs.
type Estate struct {
	in        Input
	mean      float64 // sum of the VM means in KBps
	size      quantity.Size
	samples   int
	measured  bool
	byInstant map[int64]instant
	hourly    [HoursPerDay]float64 // sums of the hourly VM means in KBps
	hourlyVMs int
}

// instant contains the total rate at one time, and the sum of the mean rates of the VMs that have a sample at that
// time.
type instant struct {
	written int64
	mean    float64
}

// NewEstate returns an empty estate. The error is a plan.InputErrors.
func NewEstate(in Input) (*Estate, error) {
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("coalescing_factor"), RangeCoalescingFactor.Check(in.CoalescingFactor))
	if KeptHours(in.IntervalSeconds) == 0 {
		errs = errs.With(plan.Attr("interval_seconds"),
			fmt.Errorf("must be 20, 300, 1800, 7200 or 86400 seconds, got %d", in.IntervalSeconds))
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return &Estate{in: in, byInstant: make(map[int64]instant)}, nil
}

// Add returns the rates of a VM and adds them to the total. VMs without valid samples are not added. It returns an
// error if the size is invalid. VMs must be added in a fixed order, because the order affects the last digit of
// floating-point sums.
func (e *Estate) Add(m VM) (Rates, error) {
	if RangeSizeBytes.Check(float64(m.Size)) != nil {
		return Rates{}, errors.New("the size of a VM must be between 0 and 2^62 bytes")
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

// Total returns the rates of all VMs together. The percentile and the peak refer to the sum of the VMs' rates at each
// time. If a VM has no sample at a given time, its mean is used.
func (e *Estate) Total() Rates {
	if !e.measured {
		return Rates{Hours: e.totalHours()}
	}
	values := make([]float64, 0, len(e.byInstant))
	for _, then := range e.byInstant {
		// Rounding errors can make the difference of the sums slightly negative.
		values = append(values, max(float64(then.written)+max(e.mean-then.mean, 0), 0))
	}
	r := e.rates(e.mean, values, e.size, e.samples)
	r.Hours = e.totalHours()
	return r
}

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

// rank95 returns the index of the 95th percentile in n sorted values by the nearest-rank method: ceil(0.95 n) - 1, in
// integer arithmetic.
func rank95(n int) int { return (95*n+99)/100 - 1 }

func mbps(kbps float64) float64 {
	return quantity.Rate(kbps * bytesPerKilobyte * quantity.BitsPerByte).Mbps()
}

// byInstant rounds times to whole intervals, because samples from different hosts are not aligned. It keeps the maximum
// of each interval.
func byInstant(samples []sample, intervalSeconds int64) map[int64]int64 {
	largest := make(map[int64]int64, len(samples))
	for _, s := range samples {
		at := int64(math.Round(float64(s.at) / float64(intervalSeconds)))
		largest[at] = max(largest[at], s.kbps)
	}
	return largest
}
