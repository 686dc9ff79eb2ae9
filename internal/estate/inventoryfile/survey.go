// Values of columns that are not read.

package inventoryfile

import (
	"maps"
	"slices"
	"strings"
)

// MaxSurveyed is the maximum number of values of a surveyed column.
const MaxSurveyed = 8

// Surveyed is a column with 2 to MaxSurveyed different values, sorted.
type Surveyed struct {
	Header string
	Values []string
}

// survey collects the values of columns. The values of a column with too many of them are nil.
type survey struct {
	headers []string
	values  []map[string]bool
}

func (s *survey) setHeader(header []string, found layout) {
	s.headers, s.values = nil, nil
	for _, text := range header {
		s.headers = append(s.headers, strings.Clone(strings.TrimSpace(text)))
		s.values = append(s.values, map[string]bool{})
	}
	for _, columns := range found {
		for _, c := range columns {
			s.values[c.index] = nil
		}
	}
}

func (s *survey) observe(cells []string) {
	for i, text := range cells[:min(len(cells), len(s.values))] {
		if text = strings.TrimSpace(text); s.values[i] == nil || text == "" || s.values[i][text] {
			continue
		}
		if s.values[i][strings.Clone(text)] = true; len(s.values[i]) > MaxSurveyed || len(text) > longText {
			s.values[i] = nil
		}
	}
}

func (s *survey) columns() []Surveyed {
	var all []Surveyed
	for i, header := range s.headers {
		if len(s.values[i]) > 1 && header != "" {
			all = append(all, Surveyed{header, slices.Sorted(maps.Keys(s.values[i]))})
		}
	}
	return all
}
