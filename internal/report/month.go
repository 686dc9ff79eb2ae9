package report

import (
	"slices"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

func (b *builder) addPeriod() {
	spans := b.periods()
	if len(spans) == 0 {
		return
	}
	s := Section{
		ID:    idPeriod,
		Title: "Monthly SLA",
		Intro: "RPO compliance, based on the event log of vCenter. Minutes are totals over all VMs. Unknown time " +
			"counts as neither kept nor violated. Days start at midnight UTC.",
		Tables:   []Table{periodTable(spans)},
		Figures:  []Figure{},
		Subjects: []Subject{},
	}
	if t := monthsTable(spans); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	_, charts := budget(len(b.all))
	shown, note := selectWorst(spans, charts)
	for _, sp := range shown {
		if len(sp.days) > 0 {
			s.Figures = append(s.Figures, sp.calendar())
		}
	}
	s.Note = note
	at := 0
	for i, section := range b.Sections {
		if slices.Contains([]string{"promises", "links", "targets", "compliance"}, section.ID) {
			at = i + 1
		}
	}
	b.Sections = slices.Insert(b.Sections, at, s)
}

func periodTable(spans []measuredPeriod) Table {
	t := newTable("Promised and measured", "Tier or history", "Period", "#Promised", "#Measured", "#In violation",
		"#Not known", "#VMs", "Verdict")
	for _, sp := range spans {
		period := wording.None
		if n := len(sp.days); n > 0 {
			period = sp.days[0].date.Format(time.DateOnly) + " to " + sp.days[n-1].date.Format(time.DateOnly)
		}
		violated := wording.Value("violation_minutes", sp.ViolationMinutes)
		if sp.Violations > 0 {
			violated += " in " + wording.Count(int(sp.Violations), "violation")
		}
		vms := wording.None
		if sp.VMCount > 0 || sp.Verdict != "" {
			vms = wording.Decimal(sp.VMCount)
		}
		if sp.UnknownVMCount > 0 {
			vms += ", " + wording.Decimal(sp.UnknownVMCount) + " not known"
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: sp.name, Link: sp.link},
			{Text: period},
			{Text: valueOrNone("promised_compliance_percent", sp.PromisedPercent)},
			{Text: assess.FloorPercent(sp.CompliancePercent)},
			{Text: violated},
			{Text: wording.Value("unknown_minutes", sp.UnknownMinutes)},
			{Text: vms},
			levelCell(sp.Level()),
		})
	}
	t.truncate(maxRows, "period")
	return t
}

func monthsTable(spans []measuredPeriod) Table {
	t := newTable("By calendar month", "Tier or history", "Month", "#Days", "#Measured", "#In violation", "#Not known")
	for _, sp := range spans {
		months := byMonth(sp.days)
		if len(months) < 2 {
			continue
		}
		for _, days := range months {
			sum := periodDay{}
			for _, d := range days {
				sum.violation += d.violation
				sum.known += d.known
				sum.unknown += d.unknown
			}
			measured := wording.None
			if sum.known > 0 {
				percent := 100 * (1 - sum.violation/sum.known)
				measured = assess.FloorPercent(&percent)
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: sp.name, Link: sp.link},
				{Text: days[0].date.Format("January 2006")},
				{Text: wording.Decimal(float64(len(days)))},
				{Text: measured},
				{Text: wording.Value("violation_minutes", sum.violation)},
				{Text: wording.Value("unknown_minutes", sum.unknown)},
			})
		}
	}
	t.truncate(maxRows, "month")
	return t
}
