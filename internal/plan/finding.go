package plan

import "slices"

// Finding is one fact about a result for readers and policies.
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
