package main

import (
	"slices"
	"strings"
)

// whole selects everything.
func whole(printed string) string { return printed }

// from selects what begins with a text, or everything if the output lacks it.
func from(start string) func(string) string {
	return func(printed string) string { return printed[max(0, strings.Index(printed, start)):] }
}

// between selects what begins with a text, up to another text.
func between(start, end string) func(string) string {
	return func(printed string) string {
		kept, _, _ := strings.Cut(from(start)(printed), end)
		return strings.TrimRight(kept, "\n")
	}
}

// lines selects the lines that contain any of the texts, because the full output of a plan has hundreds of IDs.
func lines(texts ...string) func(string) string {
	return func(printed string) string {
		var kept []string
		for line := range strings.Lines(printed) {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) }) {
				kept = append(kept, strings.TrimRight(line, "\n"))
			}
		}
		return strings.Join(kept, "\n")
	}
}
