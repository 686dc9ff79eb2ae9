package changerate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// HoursPerDay is the length of an hourly profile.
	HoursPerDay = 24

	// leastCovered is the minimum time in seconds that samples must cover within an hour of the day, summed over all
	// days. A sample that spans several hours counts toward each of them at its mean rate, which is assumed to have
	// little effect.
	leastCovered = quantity.SecondsPerHour / 2
	// longestHourly is the longest sample interval that can be assigned to an hour of the day, in seconds.
	longestHourly = 7200
)

// Hours is the distribution of writes over the hours of the day.
type Hours struct {
	// Weights contains the mean of each of the 24 hours, starting at midnight UTC, divided by the mean of the day. It
	// is nil if Reason is set.
	Weights *[HoursPerDay]float64
	// Reason explains in one sentence why Weights is missing.
	Reason string
	// VMs is the number of VMs that were measured in every hour. Other VMs are not included in Weights.
	VMs int
}

type day struct {
	kilobytes, seconds [HoursPerDay]float64
}

// Unmeasured returns the profile of a VM without samples.
func Unmeasured() Hours { return Hours{Reason: "The VM has no samples."} }

func dayOf(samples []sample, intervalSeconds int64) day {
	var d day
	for _, s := range samples {
		for from := s.at - intervalSeconds; from < s.at; {
			hour := floorDiv(from, quantity.SecondsPerHour)
			to := min(s.at, (hour+1)*quantity.SecondsPerHour)
			h := hour - floorDiv(hour, HoursPerDay)*HoursPerDay
			d.seconds[h] += float64(to - from)
			d.kilobytes[h] += float64(s.kbps) * float64(to-from)
			from = to
		}
	}
	return d
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (d day) means() (means [HoursPerDay]float64, missing []int) {
	for h := range d.seconds {
		if d.seconds[h] < leastCovered {
			missing = append(missing, h)
			continue
		}
		means[h] = d.kilobytes[h] / d.seconds[h]
	}
	return means, missing
}

func (e *Estate) hours(samples []sample) Hours {
	if e.in.IntervalSeconds > longestHourly {
		return Hours{Reason: e.tooLong()}
	}
	means, missing := dayOf(samples, e.in.IntervalSeconds).means()
	if len(missing) > 0 {
		return Hours{Reason: "Samples cover less than half of these hours (UTC): " + ranges(missing) + "."}
	}
	for h, mean := range means {
		e.hourly[h] += mean
	}
	e.hourlyVMs++
	if weights := weigh(means); weights != nil {
		return Hours{Weights: weights, VMs: 1}
	}
	return Hours{Reason: "The VM wrote nothing.", VMs: 1}
}

func (e *Estate) totalHours() Hours {
	total := Hours{VMs: e.hourlyVMs}
	switch {
	case e.in.IntervalSeconds > longestHourly:
		total.Reason = e.tooLong()
	case e.hourlyVMs == 0:
		total.Reason = "No VM has samples for every hour of the day."
	default:
		if total.Weights = weigh(e.hourly); total.Weights == nil {
			total.Reason = "The VMs wrote nothing."
		}
	}
	return total
}

func (e *Estate) tooLong() string {
	return fmt.Sprintf(
		"Samples of %d seconds are too long for an hourly profile: use an interval of at most %d seconds.",
		e.in.IntervalSeconds,
		longestHourly,
	)
}

func weigh(means [HoursPerDay]float64) *[HoursPerDay]float64 {
	var sum float64
	for _, mean := range means {
		sum += mean
	}
	if sum == 0 {
		return nil
	}
	for h := range means {
		means[h] = math.Min(means[h]/sum*HoursPerDay, HoursPerDay)
	}
	return &means
}

func ranges(hours []int) string {
	var parts []string
	for i := 0; i < len(hours); {
		last := i
		for last+1 < len(hours) && hours[last+1] == hours[last]+1 {
			last++
		}
		part := strconv.Itoa(hours[i])
		if last > i {
			part += fmt.Sprintf(" to %d", hours[last])
		}
		parts = append(parts, part)
		i = last + 1
	}
	return strings.Join(parts, ", ")
}
