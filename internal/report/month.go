package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

type measuredPeriod struct {
	assess.Period

	name, link string
	days       []periodDay
}

// periodDay is a day in a period. Minutes are totals over all VMs.
type periodDay struct {
	date                      time.Time
	violation, known, unknown float64
}

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
	shown, note := selectWorst(spans, charts, "calendar", func(sp measuredPeriod) float64 {
		return sp.ViolationMinutes + 1e12*float64(plan.Rank(sp.Level())) // sort by level first
	})
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

// selectWorst returns the elements with the greatest weights, in their original order, and a note if any elements are
// omitted.
func selectWorst[E any](all []E, limit int, what string, weight func(E) float64) ([]E, string) {
	if len(all) <= limit {
		return all, ""
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(all[b]), weight(all[a])) })
	order = order[:limit]
	slices.Sort(order)
	kept := make([]E, 0, limit)
	for _, i := range order {
		kept = append(kept, all[i])
	}
	return kept, fmt.Sprintf("The worst%s of %s.",
		pluralVerb(limit, "", fmt.Sprintf(" %d", limit)), wording.Count(len(all), what))
}

// periods returns the periods sorted by level, worst first. Periods with the same level retain the order of results and
// tier names.
func (b *builder) periods() []measuredPeriod {
	var spans []measuredPeriod
	complianceCount := 0
	for _, a := range b.all {
		if a.Type == assess.TypeCompliance {
			complianceCount++
		}
	}
	for _, a := range slices.Concat(b.bySection()...) {
		switch r := a.Answer.(type) {
		case *assess.Compliance:
			for _, tier := range slices.SortedFunc(maps.Keys(r.Periods), wording.Natural) {
				name := tier
				if complianceCount > 1 {
					name += ", " + a.Title
				}
				p := r.Periods[tier]
				spans = append(spans, newPeriod(name, b.link(a), p, p.Days))
			}
		case *assess.History:
			if r.Total != nil {
				p := *r.Total
				p.VMCount = cmp.Or(float64(len(r.VMs)), p.VMCount)
				spans = append(spans, newPeriod("History: "+a.Title, b.link(a), p, r.Days))
			}
		}
	}
	slices.SortStableFunc(spans, func(x, y measuredPeriod) int {
		return cmp.Compare(plan.Rank(y.Level()), plan.Rank(x.Level()))
	})
	return spans
}

func newPeriod(name, link string, p assess.Period, days []assess.Day) measuredPeriod {
	sp := measuredPeriod{Period: p, name: name, link: link}
	for _, d := range days {
		date, err := time.Parse(time.DateOnly, d.Date)
		if err != nil {
			continue
		}
		sp.days = append(sp.days, periodDay{date, d.ViolationMinutes, d.KnownMinutes, d.UnknownMinutes})
	}
	slices.SortStableFunc(sp.days, func(x, y periodDay) int { return x.date.Compare(y.date) })
	return sp
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

func byMonth(days []periodDay) [][]periodDay {
	var months [][]periodDay
	for i, d := range days {
		if i == 0 || d.date.Format("2006-01") != days[i-1].date.Format("2006-01") {
			months = append(months, nil)
		}
		months[len(months)-1] = append(months[len(months)-1], d)
	}
	return months
}

func historyTables(h *assess.History) []Table {
	if len(h.VMs) == 0 {
		return nil
	}
	compliance := func(id string) float64 {
		if percent := h.VMs[id].CompliancePercent; percent != nil {
			return *percent
		}
		return -1
	}
	ids := slices.SortedFunc(maps.Keys(h.VMs), wording.Natural)
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(compliance(x), compliance(y)) })
	t := newTable("VMs", "VM", "ID", "#RPO", "#Compliance", "#In violation", "#Not known", "#Daily change",
		"#95th percentile of a delta")
	for _, id := range ids[:min(len(ids), maxRows)] {
		vm := h.VMs[id]
		t.add(
			cmp.Or(vm.Name, id),
			id,
			valueOrNone("rpo_minutes", vm.RPOMinutes),
			assess.FloorPercent(vm.CompliancePercent),
			wording.Value("_minutes", vm.ViolationMinutes),
			wording.Value("_minutes", vm.UnknownMinutes),
			valueOrNone("_gib", vm.DailyChangeGiB),
			valueOrNone("_gib", vm.P95DeltaGiB),
		)
	}
	t.noteOmitted(len(ids), "VM")
	return []Table{t}
}

// complianceTables returns a table of tiers and a table of VMs that starts with the VMs that have problems.
func complianceTables(c *assess.Compliance) []Table {
	var tables []Table
	tiers := newTable("Tiers", "Tier", "#Promised RPO")
	for _, name := range slices.SortedFunc(maps.Keys(c.Tiers), wording.Natural) {
		tiers.add(name, valueOrNone("rpo_minutes", c.Tiers[name].RPOMinutes))
	}
	if len(tiers.Rows) > 0 {
		tables = append(tables, tiers)
	}
	complaints := c.FindingsByVM()
	ids := slices.Collect(maps.Keys(c.VMs))
	for id := range complaints {
		if _, listed := c.VMs[id]; !listed {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(x, y string) int {
		return cmp.Or(cmp.Compare(min(1, len(complaints[y])), min(1, len(complaints[x]))), wording.Natural(x, y))
	})
	t := newTable("VMs", "VM", "ID", "Tier", "#Promised RPO", "#Configured RPO", "Status", "Verdict", "Findings")
	for _, id := range ids[:min(len(ids), maxRows)] {
		vm := c.VMs[id]
		t.add(
			cmp.Or(vm.Name, id),
			id,
			cmp.Or(vm.Tier, wording.None),
			valueOrNone("rpo_minutes", vm.PromisedRPO),
			valueOrNone(
				"rpo_minutes",
				vm.ConfiguredRPO,
			),
			cmp.Or(vm.Status, wording.None),
			cmp.Or(vm.Verdict, wording.None),
			cmp.Or(strings.Join(complaints[id], ", "), wording.None),
		)
	}
	t.noteOmitted(len(ids), "VM")
	return append(tables, t)
}

// maxMonths limits the number of calendar months in a chart, because each month takes about 10 KB.
const maxMonths = 4

// shadeLimits contains the upper limits of the shades as percentages of the known time. The limits are this project's
// own assumption. Days are not compared with the promise, because a promise for a period does not apply to individual
// days.
var shadeLimits = []struct {
	most  float64
	shade chart.Shade
	words string
}{
	{0, chart.Clear, "no violation"},
	{1, chart.Light, "up to 1% of the known time in violation"},
	{10, chart.Mid, "up to 10%"},
	{100, chart.Dark, "more than 10%"},
}

// violatedPercent returns the percentage of the known time that is in violation. It is rounded up to a tenth, so that a
// violation never appears as 0%.
func (d periodDay) violatedPercent() (percent float64, ok bool) {
	switch {
	case d.known <= 0:
		return 0, false
	case d.violation <= 0:
		return 0, true
	}
	const rounding = 1e-9 // otherwise, 29% would be rounded up to 29.1%
	return max(0.1, math.Ceil(1000*d.violation/d.known-rounding)/10), true
}

func (d periodDay) text() string {
	if share, ok := d.violatedPercent(); ok {
		return plan.Number(share) + "%"
	}
	return ""
}

func (d periodDay) cell() chart.Day {
	day := chart.Day{Date: d.date, Shade: chart.Clear, Text: d.text(), Unknown: 1}
	if all := d.known + d.unknown; all > 0 {
		day.Unknown = d.unknown / all
	}
	share, _ := d.violatedPercent()
	for _, s := range slices.Backward(shadeLimits) {
		if share <= s.most {
			day.Shade = s.shade
		}
	}
	return day
}

func (sp measuredPeriod) calendar() Figure {
	months := byMonth(sp.days)
	data := newTable("Days", "Day (UTC)", "#In violation", "#Share of known time", "#Not known")
	if left := len(months) - maxMonths; left > 0 {
		months = months[left:]
		data.Note = "The last " + wording.Count(maxMonths, "month") + ". " + wording.Count(left, "earlier month") +
			" " + pluralVerb(left, "is", "are") + " in the table by calendar month."
	}
	c := chart.Calendar{}
	for _, s := range shadeLimits {
		c.Legend = append(c.Legend, chart.Entry{Shade: s.shade, Text: s.words})
	}
	c.Legend = append(c.Legend, chart.Entry{Shade: chart.Hatched, Text: "? not known (hatched part of the day)"})
	var days []periodDay
	for _, m := range months {
		days = append(days, m...)
	}
	for _, d := range days {
		c.Days = append(c.Days, d.cell())
		data.add(d.date.Format("Mon "+time.DateOnly), wording.Value("violation_minutes", d.violation),
			cmp.Or(d.text(), wording.None), wording.Value("unknown_minutes", d.unknown))
	}
	return Figure{Title: sp.name + ": violations by day", Description: describeDays(days), Data: data, Chart: c}
}

func describeDays(days []periodDay) string {
	violated := 0
	unknown := 0
	partlyUnknown := 0
	worst := periodDay{}
	for _, d := range days {
		switch {
		case d.known <= 0:
			unknown++
		case d.unknown > 0:
			partlyUnknown++
		}
		if d.violation > 0 {
			violated++
			if d.violation > worst.violation {
				worst = d
			}
		}
	}
	parts := []string{
		fmt.Sprintf(
			"A calendar of %s, %s to %s, with the share of the known time in violation.",
			wording.Count(
				len(days),
				"day",
			),
			days[0].date.Format(time.DateOnly),
			days[len(days)-1].date.Format(time.DateOnly),
		),
	}
	if violated == 0 {
		parts = append(parts, "No day has a violation.")
	} else {
		parts = append(parts, fmt.Sprintf("%s %s violations. The worst is %s, with %s of its known time in violation.",
			wording.Count(violated, "day"), pluralVerb(violated, "has", "have"), worst.date.Format(time.DateOnly),
			worst.text()))
	}
	if unknown > 0 {
		parts = append(parts, wording.Count(unknown, "day")+" "+pluralVerb(unknown, "is", "are")+" not known.")
	}
	if partlyUnknown > 0 {
		parts = append(parts, wording.Count(partlyUnknown, "day")+" "+
			pluralVerb(partlyUnknown, "is", "are")+" partly not known.")
	}
	return strings.Join(parts, " ")
}
