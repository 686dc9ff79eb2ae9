package difference

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

type section struct {
	Title string
	// Collapsed collapses the section initially.
	Collapsed bool
	Items     []*Item
	Columns   []string
	Rows      [][]string
}

func (s *section) describe(i *Item) (change, reason string) {
	if s.Collapsed {
		return i.verdictText(), strings.Join(i.Notes, " ")
	}
	return i.verdictText(), i.Sentence
}

func itemName(i *Item) string { return i.Name }

func itemHeading(i *Item) string { return cmp.Or(i.Heading, i.Name) }

func (d *Difference) sections(name func(*Item) string) []section {
	list := func(title string, selects func(*Item) bool) section {
		s := section{Title: title}
		for n := range d.Results {
			if i := &d.Results[n]; selects(i) {
				s.Items = append(s.Items, i)
			}
		}
		return s
	}
	verdictChanged := func(turns ...VerdictChange) func(*Item) bool {
		return func(i *Item) bool { return slices.Contains(turns, i.VerdictChange) && !becameHolding(i) }
	}
	others := func(category Category) func(*Item) bool {
		return func(i *Item) bool {
			return i.Category == category && (i.VerdictChange == "" || i.VerdictChange == VerdictNew)
		}
	}
	unchanged := list("No change", func(i *Item) bool {
		return i.VerdictChange == "" && (i.Category == Unchanged || i.Category == Unknown) &&
			i.verdictText()+strings.Join(i.Notes, "") != "" // otherwise, there is nothing to say
	})
	unchanged.Collapsed = true
	all := []section{
		d.promisesSection(name),
		list("Gets worse", verdictChanged(VerdictWorse, VerdictLess, VerdictKnown)),
		list("No longer checked", verdictChanged(VerdictRemoved)),
		list("Weakened", func(i *Item) bool {
			return len(i.Weakened) > 0 &&
				(i.VerdictChange == "" || i.VerdictChange == VerdictBetter || becameHolding(i))
		}),
		list("No longer known", verdictChanged(VerdictLost)),
		list("Gets better", func(i *Item) bool {
			return len(i.Weakened) == 0 && (i.VerdictChange == VerdictBetter || becameHolding(i))
		}),
		list("New", others(Added)),
		list("Gone", others(Gone)),
		d.inputsSection(name),
		d.figuresSection(name),
		unchanged,
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Items)+len(s.Rows) == 0 })
}

func (d *Difference) promisesSection(name func(*Item) string) section {
	s := section{Title: "Promises", Columns: []string{"Promise", "Before", "After", "Link reserve"}}
	for _, changed := range []bool{true, false} {
		for n := range d.Results {
			i := &d.Results[n]
			if i.Type != assess.KindPromise.Type || (i.VerdictChange != "") != changed {
				continue
			}
			s.Rows = append(
				s.Rows,
				[]string{name(i), i.Before.verdictText(), i.After.verdictText(), i.After.reserveText()},
			)
		}
	}
	return s
}

func (s *Side) verdictText() string {
	if s == nil {
		return wording.None
	}
	return wording.LevelSymbol(s.Level) + " " + wording.LevelWord(s.Level)
}

func (s *Side) reserveText() string {
	if s == nil {
		return wording.None
	}
	return cmp.Or(s.Reserve, wording.None)
}

func becameHolding(i *Item) bool {
	return i.VerdictChange == VerdictKnown && i.After.Level == plan.Meets
}

// verdictText returns the verdicts before and after the change, for example "holds → at risk".
func (i *Item) verdictText() string {
	var words []string
	for _, s := range []*Side{i.Before, i.After} {
		if s == nil || s.Level == plan.Neutral {
			continue
		}
		words = append(words, s.verdictText())
	}
	if len(words) == 2 && words[0] == words[1] {
		words = words[:1]
	}
	return strings.Join(words, " → ")
}

// inputsSection lists the changed inputs of results whose sentence does not contain all of them.
func (d *Difference) inputsSection(name func(*Item) string) section {
	s := section{Title: "Changed inputs", Columns: []string{"Result", "Change"}}
	for n := range d.Results {
		i := &d.Results[n]
		inputs := describeInputs(i.Changes, maxMembers)
		isStated := i.VerdictChange != "" && inputs == describeInputs(i.Changes, maxReasons)
		if inputs != "" && !isStated {
			s.Rows = append(s.Rows, []string{name(i), inputs})
		}
	}
	return s
}

var keyColumns = []struct {
	title string
	names []string
}{
	{"VMs", []string{"vm_count"}},
	{"RPO", []string{"rpo_minutes"}},
	{"Initial sync", []string{"initial_sync_seconds"}},
	{"One cycle's changes", []string{"ongoing_sync_seconds"}},
	{"Link use", []string{"daily_link_use_percent", "link_use_percent"}},
	{"Waves", []string{"waves"}},
	{"Duration", []string{"duration_seconds"}},
	{"Holds until", []string{"holds_until"}},
}

func isKeyFigure(name string) bool {
	for _, c := range keyColumns {
		if slices.Contains(c.names, name) {
			return true
		}
	}
	return false
}

func (d *Difference) figuresSection(name func(*Item) string) section {
	s := section{Title: "Figures", Columns: []string{"Result"}}
	var shown []*Item
	for n := range d.Results {
		i := &d.Results[n]
		if slices.ContainsFunc(i.Changes, func(c Change) bool { return isKeyFigure(c.Name) }) {
			shown = append(shown, i)
			s.Rows = append(s.Rows, []string{name(i)})
		}
	}
	for _, column := range keyColumns {
		cells, used := make([]string, len(shown)), false
		for n, i := range shown {
			for _, c := range i.Changes {
				if slices.Contains(column.names, c.Name) {
					cells[n], used = c.text(), true
				}
			}
		}
		if !used {
			continue
		}
		s.Columns = append(s.Columns, column.title)
		for n := range shown {
			s.Rows[n] = append(s.Rows[n], cmp.Or(cells[n], "same"))
		}
	}
	return s
}
