// Package plan contains the common parts of the calculators for replication and migration promises.
//
// The package and its subpackages are pure: they import neither Terraform nor govmomi, read no clock, file or
// environment, and return the same result for the same input. Each calculator is a subpackage with the same structure:
// an Input whose field names include units, a Result with a verdict and findings that explain it, and a function that
// computes the result. A missed objective is a finding. Invalid input is an error that names the input.
//
// Every numeric input has a finite range, which is far larger than any real data center needs, so that no calculation
// overflows or returns NaN.
package plan

import "slices"

// Finding is a fact that explains a result, intended for readers and policies.
type Finding struct {
	// Code identifies the finding. It is in snake case and stable across releases.
	Code string
	// Sentence explains the finding, including the numbers that a reader needs to check it.
	Sentence string
}

// Codes returns the codes of the findings, sorted.
func Codes(findings []Finding) []string {
	codes := make([]string, 0, len(findings))
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return codes
}

// Sentences returns the sentences of the findings, sorted by code.
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
// at most NominalEfficiencyPercent of the rate. docs/validation.md lists the measurements. Adding rows there does not
// change the factors.
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
