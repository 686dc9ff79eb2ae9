package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
)

// band sets the durations that 4 of 5, and 9 of 10, comparable transfers did not exceed.
func (in Input) band(r *Result) {
	if in.ChangeCurve != nil || r.LimitedBy != LimitedByLink {
		return
	}
	if in.ThroughputBasis == plan.BasisNominal {
		in.EfficiencyPercent = math.Min(in.EfficiencyPercent, plan.NominalEfficiencyPercent)
	}
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	if fourOfFive > 0 {
		r.InitialSyncSeconds80, r.OngoingSyncSeconds80 = new(fourOfFive*in.initial()), new(fourOfFive*in.ongoing())
	}
	if nineOfTen > 0 {
		r.InitialSyncSeconds90, r.OngoingSyncSeconds90 = new(nineOfTen*in.initial()), new(nineOfTen*in.ongoing())
	}
}
