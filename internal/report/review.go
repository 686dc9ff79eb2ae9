// Package report turns the JSON of a Terraform plan or state into a capacity review: what of vsla's results holds, what
// does not, and why, for people who read it in a meeting and not in a terminal.
//
// A review is made in three steps that know nothing of each other: Read decodes what `terraform show -json` printed,
// Build makes the Review of it, and WriteHTML, WriteMarkdown and WriteJSON print that. Explanations are the
// calculators' own. A chart's further values are computed from the inputs, by the calculators' own functions; if their
// results differ from the plan's, a note replaces the chart.
//
// Values that Terraform marks as sensitive are not printed, and neither is any value that could have been computed
// from them. The same input results in the same bytes: the date is given, or the plan's.
package report

import (
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/report/wording"
)

// Level is the severity of a result in a review.
type Level = wording.Level

// The levels, the worst first.
const (
	Misses  = wording.Misses
	AtRisk  = wording.AtRisk
	Unknown = wording.Unknown
	Holds   = wording.Holds
	Neutral = wording.Neutral
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
	Version string `json:"version,omitempty"`
	Source  Source `json:"source"`
	// Verdict is the worst level of what counts, Neutral without any. Headline, Counts and Decisions are about the same:
	// all subjects that are not alone, links whose estimates no schedule has together, and what no result is about.
	Verdict  Level   `json:"verdict"`
	Headline string  `json:"headline"`
	Counts   []Count `json:"counts"`
	// Promises are the promises, the worst first, Until is when the first of them end, and Decisions are the questions
	// to decide.
	Promises  Table      `json:"promises"`
	Until     []string   `json:"until"`
	Decisions []Decision `json:"decisions"`
	// Changes are what changed since a baseline; nil without one.
	Changes *Changes `json:"changes,omitempty"`
	// Assumptions are the inputs with their sources, by kind, and the rules of the calculation.
	Assumptions []Table `json:"assumptions"`
	// Link is what all estimates of a link take together; nil where none could share one.
	Link *WholeLink `json:"link,omitempty"`
	// Notes are about the file as a whole: a plan that failed, checks that did.
	Notes    []string  `json:"notes"`
	Sections []Section `json:"sections"`
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

// Source is the document that was read.
type Source struct {
	// Kind is "plan", "state" or "inventory".
	Kind string `json:"kind"`
	// File is the inventory file.
	File             string `json:"file,omitempty"`
	TerraformVersion string `json:"terraform_version"`
	Errored          bool   `json:"errored"`
	Destroys         bool   `json:"destroys"`
}

// Count is how many subjects are at a level.
type Count struct {
	Level  Level `json:"level"`
	Number int   `json:"number"`
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

// Subject is one result: a data source, or an output that holds what a function gave.
type Subject struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	// Name is the address without what all subjects of the type have alike.
	Name  string `json:"name"`
	Type  string `json:"type"`
	Level Level  `json:"level"`
	// Detailed: it has a separate part on the page; all are in the JSON form.
	Detailed bool `json:"-"`
	// Verdict is the result's own word: "meets", "unsupported".
	Verdict string `json:"verdict,omitempty"`
	Summary string `json:"summary"`
	// Alone: it is about its VMs alone on the link, and a schedule of all counts in its place.
	Alone bool `json:"alone,omitempty"`
	// Reasons say why, in the order of their codes.
	Reasons []Reason `json:"reasons"`
	// Notes are about missing parts: sensitive values, charts that could not be drawn.
	Notes   []string `json:"notes"`
	Facts   []Fact   `json:"facts"`
	Tables  []Table  `json:"tables"`
	Figures []Figure `json:"figures"`
}

// Reason is a stable code with its sentence.
type Reason struct {
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

// Fact is one attribute.
type Fact struct {
	// Name is the attribute's, Label the same in words without its unit.
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
	// Note is printed below: the omitted rows.
	Note string `json:"note,omitempty"`
}

// Cell is a text, with a level when it is a verdict, and a subject to which it leads.
type Cell struct {
	Text  string `json:"text"`
	Level Level  `json:"level,omitempty"`
	Link  string `json:"-"`
}

// Figure is a chart and the same as a table.
type Figure struct {
	Title string `json:"title"`
	// Description describes the chart, for those who do not see it.
	Description string `json:"description"`
	Data        Table  `json:"data"`
	// Beside reports whether a table next to the figure has the same numbers.
	Beside bool        `json:"-"`
	Chart  chart.Chart `json:"-"`
}

// Fails reports whether the review is at a level or worse. An unknown result is at risk as well. A review without any
// subject is as good as Unknown: nothing was seen.
func (r *Review) Fails(at Level) bool {
	verdict := r.Verdict
	if len(r.Sections) == 0 {
		return at != Misses && at != AtRisk
	}
	if at == AtRisk {
		at = Unknown
	}
	return verdict.Rank() <= at.Rank()
}
