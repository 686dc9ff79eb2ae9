// Series: from what vCenter's counters say to one clean series of measurements.

package changerate

import (
	"cmp"
	"slices"
)

// Aggregate is the name of the instance that stands for the whole VM.
const Aggregate = ""

// Series holds the samples of one VM, as vCenter returns them.
type Series struct {
	// Times are the ends of the samples in seconds since 1970, in any order.
	Times []int64
	// Instances are the written kilobytes (1,024 bytes) per second at those times, by instance: one for each virtual
	// disk, or Aggregate. A negative value is a gap, and so is one that is not there because the list is shorter than
	// Times.
	Instances map[string][]int64
}

// sample is the write rate of the whole VM in the interval that ends at a time.
type sample struct{ at, kbps int64 }

// samples adds the instances up, by time and without gaps. Disks count if there is a measurement of any, Aggregate
// only otherwise, never both. A disk without a value counts nothing: it was not there yet, or not any more. A value
// beyond MaxKBps makes the whole moment a gap, because the true rate is not known. Of two values for one time
// the larger stays.
func (s Series) samples() []sample {
	var instances [][]int64
	measured := false
	for name, values := range s.Instances {
		if name != Aggregate {
			instances = append(instances, values)
			measured = measured || slices.ContainsFunc(values, func(v int64) bool { return v >= 0 && v <= MaxKBps })
		}
	}
	if !measured {
		instances = [][]int64{s.Instances[Aggregate]}
	}
	clean := make([]sample, 0, len(s.Times))
	for i, at := range s.Times {
		if kbps, ok := sum(instances, i); ok {
			clean = append(clean, sample{at: at, kbps: kbps})
		}
	}
	slices.SortFunc(clean, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.kbps, a.kbps))
	})
	return slices.CompactFunc(clean, func(a, b sample) bool { return a.at == b.at })
}

// sum adds the i-th values up; false when there is none, or one that cannot be.
func sum(instances [][]int64, i int) (total int64, ok bool) {
	for _, values := range instances {
		switch {
		case i >= len(values) || values[i] < 0:
		case values[i] > MaxKBps:
			return 0, false
		default:
			total += values[i]
			ok = true
		}
	}
	return total, ok
}
