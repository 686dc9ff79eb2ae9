// Package report lays out the assessments of a plan, a state or an inventory file as a capacity review, for people who
// read it in a meeting and not in a terminal.
//
// Build makes the Review of a document, and WriteHTML, WriteMarkdown and WriteJSON print it. Levels, reasons and
// remedies are those of package assess; nothing is judged here. A chart's further values are computed from the inputs,
// by the calculators' own functions; if their results differ from the document's, a note replaces the chart.
//
// Values that Terraform marks as sensitive are not printed, and neither is any value that could have been computed
// from them. The same input results in the same bytes: the date is given, or the plan's.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// Review is everything that is printed.
type Review struct {
	// FormatVersion is that of the JSON form; additions do not change it.
	FormatVersion string `json:"format_version"`
	Title         string `json:"title"`
	Author        string `json:"author,omitempty"`
	// Date is the day of the review, as 2006-01-02; empty if it is unknown.
	Date string `json:"date,omitempty"`
	// Version is that of the program.
	Version string          `json:"version,omitempty"`
	Source  document.Source `json:"source"`
	// Verdict is the worst level of what counts, Neutral without any. Promises count, single results with a verdict, and
	// what no result is about; Headline, Counts and Decisions are about the same.
	Verdict  wording.Level `json:"verdict"`
	Headline string        `json:"headline"`
	Counts   []Count       `json:"counts"`
	// NotCounted names what may hide a miss and is not in the verdict; empty without any.
	NotCounted string `json:"not_counted,omitempty"`
	// Promises are the promises and Results the single results with a verdict, the worst first. Decisions are the
	// questions to decide.
	Promises  Table      `json:"promises"`
	Results   Table      `json:"results"`
	Decisions []Decision `json:"decisions"`
	// Changes are what changed since a baseline; nil without one.
	Changes *Changes `json:"changes,omitempty"`
	// Assumptions are the inputs with their sources, by kind, and the rules of the calculation.
	Assumptions []Table `json:"assumptions"`
	// Notes are about the file as a whole: a plan that failed, checks that did.
	Notes    []string  `json:"notes"`
	Sections []Section `json:"sections"`
	// Managed lists the resources of a document without any result; nil without any.
	Managed *Table `json:"managed,omitempty"`
}

// Changes are what changed since an earlier plan or state.
type Changes struct {
	// Baseline is the earlier document, Headline the whole in one line.
	Baseline string `json:"baseline"`
	Headline string `json:"headline"`
	// Lines are the changes, the most important first.
	Lines []string `json:"lines"`
	// Tables have every change, and Difference is the same for programs.
	Tables     []Table `json:"-"`
	Difference any     `json:"difference,omitempty"`
}

// Count is how many subjects are at a level.
type Count struct {
	Level  wording.Level `json:"level"`
	Number int           `json:"number"`
}

// Section is all subjects of one kind.
type Section struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Intro    string    `json:"intro"`
	Tables   []Table   `json:"tables"`
	Figures  []Figure  `json:"figures"`
	Subjects []Subject `json:"subjects"`
	// Note names the subjects that are in tables only.
	Note string `json:"note,omitempty"`
}

// Subject is a promise, a link, a target or a single result.
type Subject struct {
	ID      string        `json:"id"`
	Address string        `json:"address"`
	Name    string        `json:"name"`
	Type    string        `json:"type"`
	Level   wording.Level `json:"level"`
	// Detailed subjects have a card on the page; the JSON has all subjects.
	Detailed bool `json:"-"`
	// Verdict is the result's own word: "meets", "unsupported".
	Verdict string `json:"verdict,omitempty"`
	// Promise states the promise and its VMs.
	Promise string `json:"promise,omitempty"`
	Summary string `json:"summary"`
	// Remedies are what makes it hold.
	Remedies []string `json:"remedies"`
	// Reasons say why, in the order of their codes.
	Reasons []assess.Reason `json:"reasons"`
	// Notes are about missing parts: sensitive values, charts that could not be drawn.
	Notes []string `json:"notes"`
	Facts []Fact   `json:"facts"`
	// Open shows the facts without a fold.
	Open    bool     `json:"-"`
	Tables  []Table  `json:"tables"`
	Figures []Figure `json:"figures"`
}

// Fact is one attribute.
type Fact struct {
	// Name is the attribute's name, Label the readable name without the unit.
	Name  string `json:"name"`
	Label string `json:"label"`
	Text  string `json:"text"`
	// Value is the value in the file: a number, a text, true or false, or null.
	Value any `json:"value"`
}

// Table has a heading for each column; the first column names the row.
type Table struct {
	Caption string   `json:"caption"`
	Columns []string `json:"columns"`
	Rows    [][]Cell `json:"rows"`
	// Numeric are the columns whose cells are aligned at the right.
	Numeric map[int]bool `json:"-"`
	// Note counts the omitted rows below the table.
	Note string `json:"note,omitempty"`
}

// Cell is a text, with a level when it is a verdict, and a subject to which it leads.
type Cell struct {
	Text  string        `json:"text"`
	Level wording.Level `json:"level,omitempty"`
	Link  string        `json:"-"`
}

// Figure is a chart and the same as a table.
type Figure struct {
	Title string `json:"title"`
	// Description describes the chart, for those who do not see it.
	Description string      `json:"description"`
	Data        Table       `json:"data"`
	Chart       chart.Chart `json:"-"`
}

// Cover is the user's description of the review; every field may be empty.
type Cover struct {
	Title, Author string
	// Date is the day of the review. Zero is the day of the plan, or none.
	Date time.Time
	// Version is that of the program.
	Version string
	// Decision is the question for the meeting; empty derives it from the results.
	Decision string
	// Changes are what changed since an earlier plan or state; nil without one.
	Changes *Changes
}

// Fails reports whether the review is at a level or worse. An unknown result fails at_risk too; a review without
// subjects fails unknown only.
func (r *Review) Fails(at wording.Level) bool {
	if len(r.Sections) == 0 && r.Verdict == wording.Neutral {
		return at != wording.Misses && at != wording.AtRisk
	}
	if at == wording.AtRisk {
		at = wording.Unknown
	}
	return r.Verdict.Rank() <= at.Rank()
}

// WriteJSON writes the review as JSON: the same subjects, reasons and tables as on the page, and charts as their data.
func (r *Review) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// inMonths returns the time of an event in words: "after 14.2 months", with the month of the calendar if the day of the
// review is known.
func inMonths(date time.Time, n float64) string {
	text := "after " + wording.Months(n)
	if date.IsZero() {
		return text
	}
	const daysOfMonth = 365.2425 / 12
	return fmt.Sprintf("%s (%s)", text, date.AddDate(0, 0, int(n*daysOfMonth)).Format("January 2006"))
}

func (b *builder) overview(k *assess.Kind, all []*assess.Assessment, s *Section) {
	switch k {
	case assess.KindLink:
		t := newTable("Links", "Link", "#Throughput", "#Needed", "#Reserve", "#Use", "#Busiest hour", "Promises")
		for _, a := range all {
			l, ok := assess.As[*assess.Link](a)
			if !ok {
				continue
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: a.Title, Link: b.link(a)},
				{Text: wording.Value("_mbps", l.ThroughputMbps)},
				{Text: assess.NeedText(l.LinkResult)},
				{Text: assess.Reserve(l.HeadroomPercent)},
				{Text: wording.Value("_percent", l.UsePercent)},
				{Text: wording.Value("_percent", l.BusiestHourPercent)},
				{Text: quantity.List(l.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	case assess.KindTarget:
		t := newTable("Targets", "Target", "#Needed", "#Free", "#Free after", "#Full after", "#Busiest writes", "Promises")
		for _, a := range all {
			r, ok := assess.As[*assess.Target](a)
			if !ok {
				continue
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: a.Title, Link: b.link(a)},
				{Text: wording.Value("target_gib", r.NeededGiB)},
				{Text: optional("_gib", r.Target.FreeGiB)},
				{Text: optional("_gib", r.FreeAfterGiB)},
				{Text: optional("months_until_full", r.MonthsUntilFull)},
				{Text: optional("_percent", r.BusiestWritePercent)},
				{Text: quantity.List(r.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	}
}

// promiseTables names the worst VMs of a promise.
func promiseTables(p *assess.Promise) []Table {
	if len(p.LateVirtualMachines) == 0 {
		return nil
	}
	t := newTable("Late VMs, the worst first", "VM", "#Size", "#Within RPO", "#Oldest recovery point")
	for _, vm := range p.LateVirtualMachines {
		t.add(vm.Name, wording.Value("_gib", vm.SizeGiB), wording.Value("within_rpo_percent", vm.WithinRPOPercent),
			wording.About(vm.OldestRecoveryPointMinutes))
	}
	t.omitted(int(p.LateVMCount), "late VM")
	return []Table{t}
}

func promiseFigures(p *assess.Promise) []Figure {
	rpo := p.Tier.RPOMinutes
	if len(p.LateVirtualMachines) == 0 || rpo <= 0 {
		return nil
	}
	late := p.LateVirtualMachines[:min(len(p.LateVirtualMachines), maxBars)]
	var bars []ageBar
	data := newTable("Oldest recovery point of late VMs", "VM", "#Oldest recovery point", "#Of the RPO")
	for _, vm := range late {
		share, text := vm.OldestRecoveryPointMinutes/rpo*100, wording.About(vm.OldestRecoveryPointMinutes)
		data.add(vm.Name, text, wording.Value("_percent", share))
		bars = append(bars, ageBar{vm.Name, text, share, chart.Bad})
	}
	return []Figure{{
		Title: "Oldest recovery point of late VMs",
		Description: "A bar for each of the worst VMs: how old its newest recovery point became, as a share of its RPO. " +
			"Beyond the line the promise was broken.",
		Data: data, Chart: ageBars(bars),
	}}
}

func linkFigures(name string, l *assess.Link) []Figure {
	if len(l.HourlyUsePercent) != hoursPerDay {
		return nil
	}
	data := newTable("Hours of the day", "Hour", "#Link use")
	for h, use := range l.HourlyUsePercent {
		data.add(fmt.Sprintf("%d:00", h), wording.Decimal(use)+"%")
	}
	return []Figure{{
		Title: "A day on " + name,
		Description: fmt.Sprintf("24 columns, one for each hour of a mean day: how much of the link is in use, %s at most.",
			wording.Value("_percent", slices.Max(l.HourlyUsePercent))),
		Data: data, Chart: chart.Hours(l.HourlyUsePercent),
	}}
}
