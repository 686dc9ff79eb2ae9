package plan

// Values of throughput_basis, from most to least reliable.
const (
	// BasisTransfer marks a rate measured on transfers of the same kind, such as past syncs.
	BasisTransfer = "transfer"
	// BasisNetwork marks a rate measured on the network alone, without storage, for example with iperf.
	BasisNetwork = "network"
	// BasisNominal marks the nominal rate of a line.
	BasisNominal = "nominal"
)

// Bases lists the values of throughput_basis.
var Bases = []string{BasisTransfer, BasisNetwork, BasisNominal}

// NominalEfficiencyPercent is the highest percentage of a nominal rate that a band treats as usable.
const NominalEfficiencyPercent = 70

// BandFactors returns the 80th and 90th percentiles of the ratio of measured to calculated duration for rates with the
// given basis. A percentile with too few published measurements is 0. For BasisNominal, the calculated duration assumes
// at most NominalEfficiencyPercent of the rate. That BasisNetwork has the factors of BasisTransfer is this project's
// own assumption. templates/guides/validation.md lists the measurements. Adding rows there does not change the
// factors.
func BandFactors(basis string) (fourOfFive, nineOfTen float64) {
	const transfer80, transfer90, nominal80 = 1.14, 1.32, 1.87
	switch basis {
	case BasisTransfer, BasisNetwork:
		return transfer80, transfer90
	case BasisNominal:
		return nominal80, 0
	}
	return 0, 0
}
