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

// List formats the first few names of a list and the number of remaining names: "a, b and 3 more".
func List(names []string, most int) string {
	return ListOf(names, most, func(name string) string { return name })
}

// ListOf formats elements like List, using the given function to name each element.
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
	// mostNear is the maximum number of names that Nearest returns. longest is the maximum number of characters per
	// name.
	mostNear = 10
	longest  = 80
)

// Nearest returns up to ten quoted names similar to an unknown name. Names that contain it come first. Within each of
// the two groups, names are sorted by edit distance.
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

// Existing returns a space and a sentence that lists the existing names if err reports an unknown name. Otherwise, it
// returns an empty string.
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
		return " None are available."
	default:
		return " Available: " + Nearest(names, name) + "."
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
