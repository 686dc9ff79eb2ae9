package difference

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
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
	switch {
	case i.Managed:
		return i.describeAction(), i.describeChanges()
	case s.Collapsed:
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
		return i.VerdictChange == "" && (i.Category == Unchanged || i.Category == Unknown)
	})
	unchanged.Collapsed = true
	all := []section{
		d.promisesSection(name),
		list("Gets worse", verdictChanged(VerdictWorse, VerdictLess, VerdictKnown)),
		list("No longer checked", verdictChanged(VerdictRemoved)),
		list("Weakened", func(i *Item) bool {
			return len(i.Weakened) > 0 && (i.VerdictChange == "" || i.VerdictChange == VerdictBetter || becameHolding(i))
		}),
		list("Not known before apply", verdictChanged(VerdictLost)),
		list("Gets better", func(i *Item) bool {
			return len(i.Weakened) == 0 && (i.VerdictChange == VerdictBetter || becameHolding(i))
		}),
		list("New", others(Added)),
		list("Gone", others(Gone)),
		d.totalsSection(),
		d.figuresSection(name),
		d.resourcesSection(),
		d.attributesSection(name),
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
			s.Rows = append(s.Rows, []string{name(i), i.Before.verdictText(), i.After.verdictText(), i.After.reserveText()})
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

func (d *Difference) totalsSection() section {
	s := section{Title: "In vSphere"}
	columns := []struct {
		title string
		of    func(Total) int
	}{
		{"Added", func(t Total) int { return t.Added }},
		{"Removed", func(t Total) int { return t.Removed }},
		{"Changed", func(t Total) int { return t.Changed }},
		{"Replaced", func(t Total) int { return t.Replaced }},
		{"No longer managed", func(t Total) int { return t.Forgotten }},
		{"Not comparable", func(t Total) int { return t.NotKnown }},
	}
	s.Columns = []string{""}
	for _, t := range d.Totals {
		s.Rows = append(s.Rows, []string{t.What})
	}
	for _, c := range columns {
		if !slices.ContainsFunc(d.Totals, func(t Total) bool { return c.of(t) > 0 }) {
			continue
		}
		s.Columns = append(s.Columns, c.title)
		for n, t := range d.Totals {
			s.Rows[n] = append(s.Rows[n], wording.Decimal(float64(c.of(t))))
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

func (d *Difference) resourcesSection() section {
	s := section{Title: "Resources", Collapsed: true}
	for n := range d.Resources {
		i := &d.Resources[n]
		if i.Category == Unchanged && i.FormerAddress == "" || i.Category == Unknown && !isChanged(*i) {
			continue
		}
		s.Items = append(s.Items, i)
	}
	return s
}

func (i *Item) describeAction() string {
	switch {
	case i.Category == Added:
		return "added"
	case i.Category == Gone && i.Action == document.Forget:
		return "no longer managed, but not deleted"
	case i.Category == Gone:
		return "removed"
	case i.Action == document.Replace && i.Type == "vsla_replication":
		return "replaced: requires a new initial sync"
	case i.Action == document.Replace:
		return "replaced"
	case i.Category == Unknown:
		return "withheld"
	case i.Category == Changed:
		return "changed"
	}
	return "renamed"
}

func (i *Item) describeChanges() string {
	all := make([]string, 0, len(i.Changes))
	for _, c := range i.Changes {
		text := lower(c.Label) + " " + c.text()
		if c.Detail != "" && c.Before != c.After {
			text += " (" + c.Detail + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func (d *Difference) attributesSection(name func(*Item) string) section {
	s := section{
		Title:     "Other inputs and figures",
		Collapsed: true, Columns: []string{"Result", "Attribute", "Before", "After", "Detail"},
	}
	detailed := false
	for n := range d.Results {
		i := &d.Results[n]
		for _, c := range i.Changes {
			if isKeyFigure(c.Name) && c.Detail == "" {
				continue
			}
			s.Rows = append(s.Rows, []string{name(i), c.Label, c.Before, c.After, c.Detail})
			detailed = detailed || c.Detail != ""
		}
	}
	if !detailed {
		s.Columns = s.Columns[:len(s.Columns)-1]
		for n, row := range s.Rows {
			s.Rows[n] = row[:len(row)-1]
		}
	}
	return s
}
