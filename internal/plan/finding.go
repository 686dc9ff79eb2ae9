// Findings: the reasons of a result.

package plan

import "slices"

// Finding is one fact about a result that a reader or a policy should know.
type Finding struct {
	// Code is stable: lower case with underscores.
	Code string
	// Sentence states the same with the numbers, so that it can be checked with a pocket calculator.
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

// Sentences returns the sentences, in the order of the sorted codes.
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
