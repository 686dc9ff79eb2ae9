// Questions about change, in the units of the sources.

package validation

import "terraform-provider-vsla/internal/plan/replication"

// changing asks vsla_replication_estimate what changes in a time, by a change curve.
type changing struct {
	// points are GiB of a VM of so many GiB that change in a number of minutes.
	points map[float64]float64
	gib    float64
	// minutes is the time that is asked for, per the number of GiB in the source's unit.
	minutes, per float64
}

func (c changing) predict() ([]float64, error) {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.ThroughputMbps = 1, c.gib, 1
	in.ChangeCurve, in.RPOMinutes, in.PeakFactor = c.points, c.minutes, new(1.0)
	r, err := replication.Estimate(in)
	return []float64{r.ChangedGiBPerCycle / c.per}, err
}
