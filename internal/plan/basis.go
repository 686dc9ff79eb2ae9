package plan

// The values of throughput_basis, from the most to the least reliable.
const (
	// BasisTransfer marks a rate that was measured on transfers of the same kind, such as past syncs.
	BasisTransfer = "transfer"
	// BasisNetwork marks a rate that was measured on the network, with iperf for example, without the storage.
	BasisNetwork = "network"
	// BasisNominal marks the nominal rate of a line.
	BasisNominal = "nominal"
)

// Bases lists the values of throughput_basis.
var Bases = []string{BasisTransfer, BasisNetwork, BasisNominal}

// NominalEfficiencyPercent caps the usable share of a nominal rate in a band.
const NominalEfficiencyPercent = 70

// BandFactors returns the 80th and the 90th percentile of measured over calculated duration, for a rate of a basis; 0
// if too few measurements are published. For BasisNominal the calculation uses at most NominalEfficiencyPercent.
// docs/validation.md lists the measurements; new rows there leave the factors unchanged.
func BandFactors(basis string) (fourOfFive, nineOfTen float64) {
	const transfer80, transfer90, nominal80 = 1.14, 1.32, 1.87
	switch basis {
	case BasisTransfer:
		return transfer80, transfer90
	case BasisNominal:
		return nominal80, 0
	}
	return 0, 0
}
