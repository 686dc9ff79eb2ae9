// Package report presents the assessments of a plan, a state or an inventory file as a capacity review for a meeting.
//
// Build creates the Review of a document, and WriteHTML, WriteMarkdown and WriteJSON write it. Levels, reasons and
// remedies come from package assess. Charts are recalculated from the inputs by the calculators. If the recalculated
// results differ from the document, a note replaces the chart.
//
// The review omits values that Terraform marks as sensitive, and all values from which they could be derived. The
// output for a given input is deterministic, because the date is given by the user or the plan.
package report

import (
	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/chart"
)

// Review is the content of a capacity review.
type Review struct {
	// FormatVersion is the version of the JSON format. Adding fields does not change it.
	FormatVersion string `json:"format_version"`
	Title         string `json:"title"`
	Author        string `json:"author,omitempty"`
	// Date is the day of the review in the format 2006-01-02; empty if unknown.
	Date    string          `json:"date,omitempty"`
	Version string          `json:"version,omitempty"`
	Source  document.Source `json:"source"`
	// Verdict is the worst level, or Neutral if there is none. Like Headline, it covers promises, individual results
	// that have a verdict, and open points that do not belong to a result.
	Verdict  plan.Level `json:"verdict"`
	Headline string     `json:"headline"`
	// Decision is the question for the meeting; empty for none.
	Decision string `json:"decision,omitempty"`
	// Loads states what each link carries and needs. Basis states what else the promises rest on.
	Loads []string `json:"loads"`
	Basis []string `json:"basis"`
	// Promises lists the promises, and Results lists the individual results that have a verdict. Both are sorted worst
	// first.
	Promises Table `json:"promises"`
	Results  Table `json:"results"`
	// Changes contains the changes since a baseline; nil if there is no baseline.
	Changes *Changes `json:"changes,omitempty"`
	// Assumptions contains a table of inputs with their sources for each kind of result, and a table of the rules on
	// which the calculations are based.
	Assumptions []Table `json:"assumptions"`
	// Notes contains notes about the whole document, for example that checks failed.
	Notes    []string  `json:"notes"`
	Sections []Section `json:"sections"`
	// Managed lists the resources of a document that contains no results; nil otherwise.
	Managed *Table `json:"managed,omitempty"`
}

// Changes contains the changes since an earlier plan or state.
type Changes struct {
	// Baseline is the name of the earlier document, and Headline is a one-line summary.
	Baseline string `json:"baseline"`
	Headline string `json:"headline"`
	// Lines contains the most important changes.
	Lines []string `json:"lines"`
	// Tables contains all changes. Difference contains them in JSON form.
	Tables     []Table `json:"-"`
	Difference any     `json:"difference,omitempty"`
}

// Section contains all subjects of one kind.
type Section struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Intro    string    `json:"intro"`
	Tables   []Table   `json:"tables"`
	Figures  []Figure  `json:"figures"`
	Subjects []Subject `json:"subjects"`
	// Note describes the subjects that are listed only in tables.
	Note string `json:"note,omitempty"`
}

// Subject is a promise, a link, a target or an individual result.
type Subject struct {
	ID      string     `json:"id"`
	Address string     `json:"address"`
	Name    string     `json:"name"`
	Type    string     `json:"type"`
	Level   plan.Level `json:"level"`
	// Detailed means that the subject has its own card on the page. The JSON contains all subjects.
	Detailed bool `json:"-"`
	// Verdict is the calculator's verdict, for example "meets" or "unsupported".
	Verdict string `json:"verdict,omitempty"`
	// Promise states the promise and the VMs to which it applies.
	Promise string `json:"promise,omitempty"`
	Summary string `json:"summary"`
	// Remedies lists changes that would allow the promise to be met.
	Remedies []string        `json:"remedies"`
	Reasons  []assess.Reason `json:"reasons"`
	// Notes describes what is missing, such as sensitive values or omitted charts.
	Notes []string `json:"notes"`
	Facts []Fact   `json:"facts"`
	// Open expands the facts initially.
	Open    bool     `json:"-"`
	Tables  []Table  `json:"tables"`
	Figures []Figure `json:"figures"`
}

// Fact is an attribute of a subject.
type Fact struct {
	// Name is the attribute name. Label is its readable form without the unit.
	Name  string `json:"name"`
	Label string `json:"label"`
	Text  string `json:"text"`
	// Value is the value in the document: a number, a string, a bool, a list or null.
	Value any `json:"value"`
}

// Table is a table whose first column contains the row names.
type Table struct {
	Caption string   `json:"caption"`
	Columns []string `json:"columns"`
	Rows    [][]Cell `json:"rows"`
	// Numeric contains the indexes of right-aligned columns.
	Numeric map[int]bool `json:"-"`
	// Note is shown below the table. It states, for example, how many rows were omitted.
	Note string `json:"note,omitempty"`
}

// Cell is a cell of a table. Level is set for a verdict; Link is set for a reference to a subject.
type Cell struct {
	Text  string     `json:"text"`
	Level plan.Level `json:"level,omitempty"`
	Link  string     `json:"-"`
}

// Figure is a chart and its data as a table.
type Figure struct {
	Title string `json:"title"`
	// Description describes the chart for screen readers.
	Description string `json:"description"`
	// Note is shown below the chart. It lists what the chart omits.
	Note  string      `json:"-"`
	Data  Table       `json:"data"`
	Chart chart.Chart `json:"-"`
}

// Fails reports whether the verdict is at least as bad as the given level. Unknown results also fail if the level is
// at_risk. A review without results fails at every level except misses and at_risk.
func (r *Review) Fails(at plan.Level) bool {
	if len(r.Sections) == 0 && r.Verdict == plan.Neutral {
		return at != plan.Misses && at != plan.AtRisk
	}
	if at == plan.Unknown {
		at = plan.AtRisk
	}
	return plan.Rank(r.Verdict) >= plan.Rank(at)
}
