// Questions about live migrations at the same time across a round trip, in the units of the sources.

package validation

import "terraform-provider-vsla/internal/plan/link"

// crossed asks vsla_link_throughput what the connections of VMs carry together, and vsla_migration_plan how long it
// takes.
type crossed struct {
	vms                      int
	bytes                    float64 // of each
	mbps, rttMs, windowBytes float64
	efficiency               []float64 // none is 100 %
}

func (c crossed) predict() ([]float64, error) {
	in := link.Defaults()
	window := c.windowBytes / 1024
	in.BandwidthMbps, in.RTTMs, in.WindowKiB, in.Streams = c.mbps, &c.rttMs, &window, float64(c.vms)
	return each(c.efficiency, full, func(efficiency float64) (float64, error) {
		in.EfficiencyPercent = efficiency
		r, err := link.Throughput(in)
		if err != nil {
			return 0, err
		}
		seconds, err := evacuated{vms: c.vms, bytes: c.bytes, mbps: []float64{r.ThroughputMbps}, per: 1}.predict()
		if err != nil {
			return 0, err
		}
		return seconds[0], nil
	})
}

// between asks for both ends of a range, where more than one input differs.
type between [2]predictor

func (b between) predict() ([]float64, error) {
	var ends []float64
	for _, end := range b {
		answers, err := end.predict()
		if err != nil {
			return nil, err
		}
		ends = append(ends, answers...)
	}
	return ends, nil
}
