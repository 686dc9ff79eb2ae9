package report

import (
	"cmp"
	"context"
	"encoding/base32"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

const defaultTitle = "Capacity review"

const maxGeneric = 50

// Build creates the review of a document.
func (c Cover) Build(ctx context.Context, d *document.Document) *Review {
	b := &builder{
		Review: &Review{
			FormatVersion: "2.0",
			Title:         cmp.Or(c.Title, defaultTitle),
			Author:        c.Author,
			Version:       c.Version,
			Verdict:       plan.Neutral,
			Source:        d.Source(),
			Loads:         []string{},
			Basis:         []string{},
			Changes:       c.Changes,
			Sections:      []Section{},
			Assumptions:   []Table{},
			Notes:         append(d.Notes(), c.Notes...),
		},
		document: d,
		date:     c.Date,
		all:      slices.Clone(d.Results()),
		ids:      reservedIDs(),
		anchors:  map[*assess.Assessment]string{},
	}
	if b.date.IsZero() {
		b.date = d.CreationDate()
	}
	if !b.date.IsZero() {
		b.Date = b.date.Format(time.DateOnly)
	}
	assess.Sort(b.all)
	b.selectDetailed()
	for _, a := range b.all {
		b.anchors[a] = newAnchor(a.Address, b.ids)
	}
	for _, assessments := range b.bySection() {
		b.Sections = append(b.Sections, b.newSection(ctx, assessments))
	}
	b.addPeriod()
	if s, ok := b.groupSection(); ok {
		b.Sections = append(b.Sections, s)
	}
	b.addAssumptions()
	b.summarize(c.Decision)
	if len(b.Sections) == 0 {
		b.addManaged()
	}
	if c.Changes != nil {
		for i := range c.Changes.Tables {
			c.Changes.Tables[i].truncate(maxGeneric, "change")
		}
	}
	return b.Review
}

func (b *builder) selectDetailed() {
	b.isDetailed = make(map[*assess.Assessment]bool)
	b.hasCharts = make(map[*assess.Assessment]bool)
	detailed, charts := budget(len(b.all))
	for i, a := range b.all {
		b.isDetailed[a] = i < detailed
		if hasChart(a) && charts > 0 {
			b.hasCharts[a] = true
			charts--
		}
	}
}

func (b *builder) newSection(ctx context.Context, all []*assess.Assessment) Section {
	k := all[0].Kind
	s := Section{
		ID:       k.ID,
		Title:    k.Section,
		Intro:    k.Intro,
		Tables:   []Table{},
		Figures:  []Figure{},
		Subjects: make([]Subject, 0, len(all)),
	}
	b.ids[k.ID] = true
	moreResults := newTable("More results", "Result", "Verdict", "Promised")
	withoutCharts := 0
	for _, a := range all {
		subject := b.newSubject(ctx, a)
		s.Subjects = append(s.Subjects, subject)
		switch {
		case !subject.Detailed:
			moreResults.Rows = append(moreResults.Rows, []Cell{
				{Text: subject.Name},
				levelCell(subject.Level),
				{Text: cmp.Or(subject.Promise, subject.Summary)},
			})
		case hasChart(a) && !b.hasCharts[a]:
			withoutCharts++
		}
	}
	b.addOverview(k, all, &s)
	moreCount := len(moreResults.Rows)
	if moreCount > 0 {
		moreResults.truncate(maxRows, "result")
		s.Tables = append(s.Tables, moreResults)
		s.Note = plan.Thousands(float64(moreCount), 0) + " of " + wording.Count(len(all), "result") + " " +
			pluralVerb(moreCount, "is", "are") + " listed in tables only. Only the worst results have details."
	} else if withoutCharts > 0 {
		s.Note = wording.Count(withoutCharts, "result") + " " + pluralVerb(withoutCharts, "has", "have") +
			" no charts. Only the worst results have charts."
	}
	return s
}

func (b *builder) newSubject(ctx context.Context, a *assess.Assessment) Subject {
	s := Subject{
		ID:       b.anchors[a],
		Address:  a.Address,
		Name:     a.Title,
		Type:     a.Type,
		Level:    a.Level,
		Verdict:  a.Verdict,
		Detailed: b.isDetailed[a],
		Promise:  a.Texts.Statement(),
		Summary:  wording.Plain(a.Summary),
		Remedies: []string{},
		Reasons:  []assess.Reason{},
		Facts:    []Fact{},
		Tables:   []Table{},
		Figures:  []Figure{},
	}
	if !a.Hidden() && (a.Level == plan.Misses || a.Level == plan.AtRisk) {
		for _, option := range a.Texts.Options {
			s.Remedies = append(s.Remedies, wording.Capital(option))
		}
	}
	for _, r := range a.Reasons {
		sentence := wording.Plain(r.Sentence)
		if sentence != s.Summary {
			s.Reasons = append(s.Reasons, assess.Reason{Code: r.Code, Sentence: sentence})
		}
	}
	if !a.Hidden() {
		if b.hasCharts[a] && b.isDetailed[a] {
			s.Figures = append(s.Figures, figuresOf(ctx, a)...)
		}
		if a.Kind != assess.KindPromise || len(s.Figures) == 0 { // the figure of a promise contains its table
			s.Tables = append(s.Tables, tablesOf(a)...)
		}
	}
	b.addFacts(a, &s)
	s.Notes = append([]string{}, a.Notes...)
	return s
}

// addFacts adds scalar values as facts. For a map or a list of objects, it adds a table unless the result has tables of
// its own.
func (b *builder) addFacts(a *assess.Assessment, s *Subject) {
	hasTable := len(s.Tables) > 0 || a.Kind == assess.KindPromise
	s.Open = a.Kind == assess.KindPromise || a.Kind == assess.KindLink || a.Kind == assess.KindTarget
	for _, f := range a.Facts() {
		switch {
		case !f.HasValue():
		case f.Members == nil:
			s.Facts = append(s.Facts, Fact{Name: f.Name, Label: f.Label, Text: f.Text(), Value: valueOf(&f)})
		case !hasTable && len(f.Members) > 0 && s.Detailed && a.Type != "vsla_inventory_file": // the file has the VMs
			s.Tables = append(s.Tables, memberTable(&f))
		}
	}
}

func valueOf(f *assess.Fact) any {
	if f.Texts != nil {
		return f.Texts
	}
	return f.Value
}

func memberTable(f *assess.Fact) Table {
	t := newTable(f.Label, "Key")
	var columns []string
	for _, m := range f.Members[:min(len(f.Members), maxGeneric)] {
		for _, fact := range m.Facts {
			if fact.HasValue() && fact.Text() != wording.None && !slices.Contains(columns, fact.Label) {
				columns = append(columns, fact.Label)
			}
		}
	}
	for _, title := range columns {
		if len(columns) == 1 && title == f.Label {
			title = "Value"
		}
		t.Columns = append(t.Columns, title)
	}
	for _, m := range f.Members[:min(len(f.Members), maxGeneric)] {
		row := []Cell{{Text: cmp.Or(m.Key, f.Label)}}
		for _, title := range columns {
			text := wording.None
			if i := slices.IndexFunc(m.Facts, func(fact assess.Fact) bool { return fact.Label == title }); i >= 0 {
				text = m.Facts[i].Text()
			}
			row = append(row, Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	if len(f.Members) > maxGeneric {
		t.Note = "The first " + plan.Thousands(maxGeneric, 0) + " of " + wording.Count(len(f.Members), "entry") + "."
	}
	return t
}

func (b *builder) addManaged() {
	counts := make(map[string]int)
	for _, r := range b.document.Resources() {
		counts[r.Type]++
	}
	t := newTable("Managed resources", "Resource", "#Count")
	for _, r := range b.document.Resources() {
		if n := counts[r.Type]; n > 0 {
			t.add(assess.KindOf(r.Type).Title, plan.Thousands(float64(n), 0))
			counts[r.Type] = 0
		}
	}
	if len(t.Rows) > 0 {
		b.Managed = &t
	}
}

func newAnchor(address string, taken map[string]bool) string {
	var b strings.Builder
	for _, r := range strings.TrimPrefix(address, "data.") {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	id := cmp.Or(strings.Trim(b.String(), "-"), "result")
	if !taken[id] {
		taken[id] = true
		return id
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(address))
	id += "-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum.Sum(nil)))
	for n := 2; taken[id]; n++ {
		id += fmt.Sprint("-", n)
	}
	taken[id] = true
	return id
}
