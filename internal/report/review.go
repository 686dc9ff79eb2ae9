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
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
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

func (b *builder) addOverview(k *assess.Kind, all []*assess.Assessment, s *Section) {
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
				{Text: assess.FormatHeadroom(l.HeadroomPercent)},
				{Text: wording.Value("_percent", l.UsePercent)},
				{Text: wording.Value("_percent", l.BusiestHourPercent)},
				{Text: quantity.List(l.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	case assess.KindTarget:
		t := newTable("Targets",
			"Target", "#Needed", "#Free", "#Free after", "#Full after", "#Busiest writes", "Promises")
		for _, a := range all {
			r, ok := assess.As[*assess.Target](a)
			if !ok {
				continue
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: a.Title, Link: b.link(a)},
				{Text: wording.Value("target_gib", r.NeededGiB)},
				{Text: valueOrNone("_gib", r.Target.FreeGiB)},
				{Text: valueOrNone("_gib", r.FreeAfterGiB)},
				{Text: valueOrNone("months_until_full", r.MonthsUntilFull)},
				{Text: valueOrNone("_percent", r.BusiestWritePercent)},
				{Text: quantity.List(r.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	}
}

// lateTable lists the late VMs of a promise, worst first.
func lateTable(p *assess.Promise) Table {
	t := newTable("Late VMs, worst first", "VM", "#Size", "#Within RPO", "#Oldest recovery point")
	for _, vm := range p.LateVirtualMachines {
		t.add(vm.Name, wording.Value("_gib", vm.SizeGiB), wording.Value("within_rpo_percent", vm.WithinRPOPercent),
			assess.AgeText(vm.OldestRecoveryPointMinutes))
	}
	t.noteOmitted(int(p.LateVMCount), "late VM")
	return t
}

const equalBars = 3

func promiseFigures(p *assess.Promise) []Figure {
	rpo := p.Tier.RPOMinutes
	if len(p.LateVirtualMachines) == 0 || rpo <= 0 {
		return nil
	}
	late := p.LateVirtualMachines[:min(len(p.LateVirtualMachines), maxBars)]
	var bars []ageBar
	var equal []string // these bars would look like the first ones
	for _, vm := range late {
		share := vm.OldestRecoveryPointMinutes / rpo * 100
		text := assess.AgeText(vm.OldestRecoveryPointMinutes)
		if share > maxPercent && len(bars) == equalBars {
			equal = append(equal, vm.Name+" "+text)
			continue
		}
		bars = append(bars, ageBar{vm.Name, text, share, chart.Bad})
	}
	note := ""
	if len(equal) > 0 {
		note = "Off the scale as well: " + strings.Join(equal, ", ") + "."
	}
	return []Figure{{
		Title: "Oldest recovery point of late VMs",
		Description: "A bar for each of the worst VMs: the maximum age of its newest recovery point as a share of " +
			"its RPO. Beyond the line, the RPO was violated.",
		Note:  note,
		Data:  lateTable(p),
		Chart: ageBars(bars),
	}}
}

const hoursPerDay = 24

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
		Description: fmt.Sprintf("24 columns, one for each hour of an average day: link use, %s at most.",
			wording.Value("_percent", slices.Max(l.HourlyUsePercent))),
		Data:  data,
		Chart: chart.HourlyUse(l.HourlyUsePercent),
	}}
}
