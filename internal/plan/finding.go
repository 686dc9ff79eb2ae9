package plan

import (
	"slices"
)

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
