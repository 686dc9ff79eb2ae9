package assess

// Outlook states in how many months a promise will no longer hold.
type Outlook struct {
	// HasGrowth reports whether a growth rate was given.
	HasGrowth bool
	// HorizonMonths is the last month for which growth was computed.
	HorizonMonths float64
	// MonthsUntilAtRisk is nil if it is beyond the horizon.
	MonthsUntilAtRisk *float64
	// MonthsUntilMiss is nil if it is beyond the horizon.
	MonthsUntilMiss *float64
}

// First returns the smallest number of months, or nil if all are beyond the horizon.
func (o *Outlook) First() *float64 {
	var first *float64
	for _, at := range []*float64{o.MonthsUntilAtRisk, o.MonthsUntilMiss} {
		if at != nil && (first == nil || *at < *first) {
			first = at
		}
	}
	return first
}
