// The hours of the day: when VMs write.

package changerate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// HoursPerDay is the length of a profile.
	HoursPerDay = 24

	// leastCovered is how many seconds of an hour samples have to cover, on all days together, for the hour to count as
	// measured. vsla assumes that the rest of a sample that began in the hour before adds little to it.
	leastCovered = quantity.SecondsPerHour / 2
	// longestHourly is the longest sample that has an hour of the day. One of a day is the same in every hour.
	longestHourly = 7200
)

// Hours is how writes are spread over the day.
type Hours struct {
	// Weights are the means of the 24 hours from midnight UTC, each divided by the mean of the 24: 1 is the mean hour.
	// They are nil if Reason is set.
	Weights *[HoursPerDay]float64
	// Reason is a sentence; empty with Weights.
	Reason string
	// VMs is the number of VMs that were measured in every hour. No other VM is in Weights.
	VMs int
}

// day holds the data written in each hour of the day, on all days together.
type day struct {
	kilobytes, seconds [HoursPerDay]float64
}

// Unmeasured returns the hours of a VM without samples.
func Unmeasured() Hours { return Hours{Reason: "The VM has no samples."} }

// dayOf spreads each sample evenly over the time that it covers, which ends at its time.
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

// floorDiv rounds down, below zero as well.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// means returns the kilobytes per second of each hour, and the hours that were not measured.
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

// hours returns the profile of one VM and adds it to that of all.
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

// totalHours returns the profile of the VMs that were measured in every hour.
func (e *Estate) totalHours() Hours {
	total := Hours{VMs: e.hourlyVMs}
	switch {
	case e.in.IntervalSeconds > longestHourly:
		total.Reason = e.tooLong()
	case e.hourlyVMs == 0:
		total.Reason = "No VM has samples of every hour of the day."
	default:
		if total.Weights = weigh(e.hourly); total.Weights == nil {
			total.Reason = "The VMs wrote nothing."
		}
	}
	return total
}

func (e *Estate) tooLong() string {
	return fmt.Sprintf("A sample of %d seconds has no hour of the day: use an interval of %d seconds or less.",
		e.in.IntervalSeconds, longestHourly)
}

// weigh divides by the mean; nil when nothing was written.
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

// ranges writes sorted hours: "0 to 6, 13".
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
