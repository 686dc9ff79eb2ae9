package history

import (
	"time"
)

const (
	// rounds is the number of iterations for the hourly rates. Ten iterations suffice for one-hour intervals. With
	// longer intervals, more iterations would fit the noise. The value is this project's own assumption.
	rounds   = 10
	farthest = hoursPerDay / 2
)

type byHour [hoursPerDay]float64

type hours struct {
	// ms is the total time that the intervals cover in each hour of the day. bytes is the amount of data that changes
	// in each hour if the changes are spread evenly over each interval.
	bytes, ms byHour
	// apart[d-1][h] is the weight of the intervals that overlap both hour h and the hour that is d hours later. Each
	// such interval adds the product of its milliseconds in the two hours, divided by its length. The longest interval
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
