// Bands: how far off an answer usually is, by how its rate is known.

package plan

// The values of throughput_basis: how a rate is known.
const (
	// BasisTransfer: whole transfers of this kind were measured, such as past syncs or a calibration.
	BasisTransfer = "transfer"
	// BasisNetwork: the network was measured, with iperf for example, not the storage at its ends.
	BasisNetwork = "network"
	// BasisNominal: the rate is that of a line.
	BasisNominal = "nominal"
)

// Bases are the values of throughput_basis.
var Bases = []string{BasisTransfer, BasisNetwork, BasisNominal}

// NominalEfficiencyPercent is the most that a band assumes to be usable of a nominal rate.
const NominalEfficiencyPercent = 70

// BandFactors returns how many times longer than calculated 4 of 5 and 9 of 10 measurements took at most, for a rate
// of a basis; 0 where too few were published. For BasisNominal the calculation assumes NominalEfficiencyPercent at
// most. docs/validation.md has the measurements; the factors stay as they are when rows are added.
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
