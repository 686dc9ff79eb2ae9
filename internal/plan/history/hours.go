// In which hours of the day data changed.

package history

import "time"

const (
	// rounds is how often the rates of the hours are improved. Ten are enough for intervals of an hour; more would
	// only find a pattern in the noise of longer ones. An assumption of this project.
	rounds = 10
	// farthest is how many hours two hours of the day can be apart.
	farthest = hoursPerDay / 2
)

// byHour is a time in milliseconds by the hour of the day, from midnight UTC.
type byHour [hoursPerDay]float64

// hours adds up the changes of intervals.
type hours struct {
	// ms are the milliseconds of all intervals, and bytes what changed in them if each is spread evenly.
	bytes, ms byHour
	// apart[d-1][h] is how much hour h and the one d hours later come together: the sum of the product of their
	// milliseconds over those of the interval. It has as many entries as intervals are long.
	apart [][hoursPerDay]float32
}

// add adds an interval and returns its hours.
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

// merge adds the changes of another VM.
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

// weights returns the rate of change of each hour against their mean; nil where an hour was not measured, or nothing
// changed.
//
// An interval that reaches into a busy hour brings its change to the adjacent hours, so the rates come closer to what
// was measured in rounds: each is multiplied by what its intervals brought, over what they would have brought at the
// rates so far. That is the image space reconstruction algorithm (Daube-Witherspoon and Muehllehner, 1986), whose limit
// are the least squares with no rate below 0. The first round is the even spread.
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

// expected is what bytes would be at these rates.
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
			if d+1 < farthest { // hours that are half a day apart have an entry each
				together(j, i, float64(ms))
			}
		}
	}
	for i, ms := range alone {
		brought[i] += max(0, ms) * rates[i]
	}
	return brought
}
