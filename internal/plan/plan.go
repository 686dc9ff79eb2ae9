// Package plan holds the arithmetic of replication and migration promises.
//
// The package is pure: it imports neither Terraform nor govmomi, reads no clock, file or environment, and returns the
// same result for the same input. Each calculator has its own package below this one, with the same shape: an Input
// with units in its names, a Result with a verdict and findings that explain it, and one function between them. A
// missed objective is a finding. Invalid input is an error that names the input.
//
// Every numeric input has a finite range, far beyond any real estate, so that no calculation overflows or returns
// NaN.
package plan

import "slices"

// Finding is one fact about a result, for readers and policies.
type Finding struct {
	// Code identifies the finding: lower case with underscores, stable across releases.
	Code string
	// Sentence explains the finding with its numbers, so that a reader can check them.
	Sentence string
}

// Codes returns the codes, sorted.
func Codes(findings []Finding) []string {
	codes := make([]string, 0, len(findings))
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return codes
}

// Sentences returns the sentences, sorted by code.
func Sentences(findings []Finding) []string {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int {
		switch {
		case a.Code < b.Code:
			return -1
		case a.Code > b.Code:
			return 1
		}
		return 0
	})
	sentences := make([]string, 0, len(sorted))
	for _, f := range sorted {
		sentences = append(sentences, f.Sentence)
	}
	return sentences
}

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
