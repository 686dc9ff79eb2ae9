package changerate

import (
	"cmp"
	"slices"
)

// Aggregate is the instance name that vCenter uses for the whole VM.
const Aggregate = ""

// Series contains the samples of one VM as returned by vCenter.
type Series struct {
	// Times are the end times of the samples in Unix seconds, in any order.
	Times []int64
	// Instances contains the kilobytes (1,024 bytes) written per second, for each virtual disk or Aggregate. Negative
	// values, and missing values at the end of a list, are gaps.
	Instances map[string][]int64
}

// sample is the write rate of the whole VM in the interval that ends at a given time.
type sample struct{ at, kbps int64 }

// samples returns the sum of the instances at each time, sorted by time and without gaps. Aggregate is used only if no
// disk has a valid value. A disk without a value counts as 0, because it might not exist at that time. A value above
// MaxKBps invalidates the sample. If a time occurs more than once, the larger value is used.
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
