package changerate

import (
	"cmp"
	"slices"
)

// Aggregate is the instance name of the whole VM.
const Aggregate = ""

// Series holds the samples of one VM as returned by vCenter.
type Series struct {
	// Times are the ends of the samples in Unix seconds, in any order.
	Times []int64
	// Instances are the written kilobytes (1,024 bytes) per second, for each virtual disk or Aggregate. Negative
	// values are gaps, and so are missing values at the end of a list.
	Instances map[string][]int64
}

// sample is the write rate of the whole VM in the interval that ends at a time.
type sample struct{ at, kbps int64 }

// samples sums up the instances at each time, sorted and without gaps. Aggregate is used only if no disk has a valid
// value. Disks without a value count as 0, because they may not exist then. A value above MaxKBps invalidates the
// moment. For duplicate times the larger value is kept.
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

// sum returns the sum of the i-th values; false if there is none or one is implausible.
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
