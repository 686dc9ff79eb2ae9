package quantity

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// List formats the first names of a list and the number of the others: "a, b and 3 more".
func List(names []string, most int) string {
	return ListOf(names, most, func(name string) string { return name })
}

// ListOf is List for named elements.
func ListOf[E any](all []E, most int, name func(E) string) string {
	names := make([]string, 0, min(len(all), most))
	for _, e := range all[:min(len(all), most)] {
		names = append(names, name(e))
	}
	text := strings.Join(names, ", ")
	if more := len(all) - most; more > 0 {
		text += " and " + plan.Thousands(float64(more), 0) + " more"
	}
	return text
}

const (
	// mostNear is the number of names that Nearest returns, longest the number of characters of each.
	mostNear = 10
	longest  = 80
)

// Nearest lists up to ten quoted names similar to an unknown one: first the names that contain it, then by edit
// distance.
func Nearest(names []string, wanted string) string {
	cut := func(name string) string {
		if letters := []rune(name); len(letters) > longest {
			return string(letters[:longest]) + "..."
		}
		return name
	}
	distances := make(map[string]int, len(names))
	for _, name := range names {
		name = cut(name)
		of, to := strings.ToLower(name), strings.ToLower(cut(wanted))
		distances[name] = distance(of, to)
		if !strings.Contains(of, to) {
			distances[name] += longest
		}
	}
	sorted := slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
		return cmp.Or(distances[a]-distances[b], strings.Compare(a, b))
	})
	return ListOf(sorted, mostNear, strconv.Quote)
}

// Existing returns a sentence with the existing names, preceded by a space, if err is about an unknown name.
func Existing(err error) string {
	var missing interface {
		error
		Existing() (name string, names []string)
	}
	if !errors.As(err, &missing) {
		return ""
	}
	switch name, names := missing.Existing(); {
	case names == nil:
		return ""
	case len(names) == 0:
		return " There is none."
	default:
		return " There are: " + Nearest(names, name) + "."
	}
}

func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for i := range row {
		row[i] = i
	}
	for i, r := range from {
		before := row[0]
		row[0] = i + 1
		for n, other := range to {
			replaced := before
			if r != other {
				replaced++
			}
			before = row[n+1]
			row[n+1] = min(replaced, row[n]+1, row[n+1]+1)
		}
	}
	return row[len(to)]
}
