package archtest_test

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// budget limits wording that comments need rarely: they should name the thing and its reason instead.
type budget struct {
	name  string
	words *regexp.Regexp
	// most is the limit, as occurrences in 10,000 lines of comments.
	most float64
}

var budgets = []budget{
	{"what is", words(`what (?:is|was|are|were)`), 6},
	{"says", words(`says`), 15},
	{"beside", words(`beside`), 2},
	{"somebody, nobody", words(`(?:some|no)body`), 3},
	{"of its own", words(`of (?:its|their) own`), 1},
	{"meanwhile", words(`meanwhile`), 1},
	{"also when", words(`also (?:when|where|for)`), 6},
}

// TestComments_budget keeps the comments of the tree within the budgets.
func TestComments_budget(t *testing.T) {
	t.Parallel()
	lines := 0
	found := make([]map[string]int, len(budgets)) // by budget and file
	for i := range found {
		found[i] = make(map[string]int)
	}
	eachFile(t, func(name, text string) {
		if !strings.HasSuffix(name, ".go") || name == "internal/dev/test/archtest/comments_test.go" {
			return
		}
		for _, line := range commentsOf(t, name, text) {
			lines++
			for i, b := range budgets {
				if n := len(b.words.FindAllString(line, -1)); n > 0 {
					found[i][name] += n
				}
			}
		}
	})
	if lines < 1000 {
		t.Fatalf("got %d lines of comments, want at least 1,000", lines)
	}
	for i, b := range budgets {
		total := 0
		for _, n := range found[i] {
			total += n
		}
		if got := float64(total) * 10_000 / float64(lines); got > b.most {
			t.Errorf("%q: got %.2f in 10,000 lines of comments (%d in %d), want at most %v; most are in %s",
				b.name, got, total, lines, b.most, worst(found[i]))
		}
	}
}

// worst lists the five files with the most occurrences.
func worst(found map[string]int) string {
	names := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(found[b]-found[a], strings.Compare(a, b))
	})
	list := make([]string, 0, 5)
	for _, name := range names[:min(5, len(names))] {
		list = append(list, fmt.Sprintf("%s (%d)", name, found[name]))
	}
	return strings.Join(list, ", ")
}

// commentsOf returns the lines of a Go file's comments without directives.
func commentsOf(t *testing.T, name, text string) []string {
	t.Helper()
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(text))
	s.Init(file, []byte(text), func(at token.Position, msg string) { t.Errorf("%s: %s", at, msg) }, scanner.ScanComments)
	var lines []string
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return lines
		case kind == token.COMMENT && !strings.HasPrefix(literal, "//nolint") && !strings.HasPrefix(literal, "//go:"):
			lines = append(lines, strings.Split(literal, "\n")...)
		}
	}
}
