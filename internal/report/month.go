// The period of the SLA: the promise, the measurement, and the violated days.

package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	complianceType = "vsla_sla_compliance"
	historyType    = "vsla_replication_history"
)

// span is a period: that of a tier, or of all VMs of a history.
type span struct {
	// instance has the sums of the period, days its days.
	*instance

	name, link string
	level      Level
	days       []spanDay
}

// spanDay is a day; minutes are added up over the VMs.
type spanDay struct {
	date                     time.Time
	violation, known, noData float64
}

// periodSection shows the periods of all results; ok is false without any.
func periodSection(all []known) (s Section, ok bool) {
	spans := spansOf(all)
	if len(spans) == 0 {
		return s, false
	}
	s = Section{
		ID: idPeriod, Title: "Monthly SLA",
		Intro: "How long the RPOs were kept, by vCenter's event log. Minutes are added up over the VMs. Time that is not " +
			"known counts as neither kept nor violated. Days are from midnight UTC.",
		Tables: []Table{periodTable(spans)}, Figures: []Figure{}, Subjects: []Subject{},
	}
	if t := monthsTable(spans); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	_, charts := budget(len(all))
	drawn, note := worst(spans, charts, "calendar", func(sp span) float64 {
		violated, _ := sp.number("violation_minutes")
		return violated - 1e12*float64(sp.level.Rank()) // the level first
	})
	for _, sp := range drawn {
		if len(sp.days) > 0 {
			s.Figures = append(s.Figures, sp.calendar())
		}
	}
	s.Note = note
	return s, true
}

// addPeriod puts the section of the period behind the compliance of now, before all else.
func (r *Review) addPeriod(all []known) {
	s, ok := periodSection(all)
	if !ok {
		return
	}
	at := 0
	if r.Sections[0].ID == idCompliance {
		at = 1
	}
	r.Sections = slices.Insert(r.Sections, at, s)
}

// spansOf returns the periods, the worst first, and in the order of their results and of the tiers' names.
func spansOf(all []known) []span {
	var spans []span
	several := 0
	for _, k := range all {
		if k.kind == complianceType {
			several++
		}
	}
	for _, k := range all {
		if k.hidden() {
			continue
		}
		switch k.kind {
		case complianceType:
			for _, sp := range periodsOf(k.instance) {
				if several > 1 {
					sp.name += ", " + k.subject.Name
				}
				sp.link = k.link()
				spans = append(spans, sp)
			}
		case historyType:
			if sp := k.history(); sp.values != nil {
				spans = append(spans, sp)
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.level.Rank(), b.level.Rank()) })
	return spans
}

// history returns the period of all VMs of a history; its values are nil without one.
func (k known) history() span {
	total := maps.Clone(k.object("total"))
	if n := len(k.object("virtual_machines")); total != nil && n > 0 {
		total["vm_count"] = float64(n)
	}
	sp := newSpan("History: "+k.subject.Name, total, k.values["days"])
	sp.link = k.link()
	return sp
}

// periodsOf returns the periods of the tiers, by name.
func periodsOf(in *instance) []span {
	periods := in.object("periods")
	spans := make([]span, 0, len(periods))
	for _, tier := range slices.SortedFunc(maps.Keys(periods), natural) {
		values, _ := periods[tier].(map[string]any)
		spans = append(spans, newSpan(clean(tier), values, values["days"]))
	}
	return spans
}

func newSpan(name string, values map[string]any, days any) span {
	sp := span{instance: &instance{values: values}, name: name}
	sp.level = periodLevel(sp.text("verdict"))
	list, _ := days.([]any)
	for _, e := range list {
		one := &instance{}
		one.values, _ = e.(map[string]any)
		date, err := time.Parse(time.DateOnly, one.text("date"))
		if err != nil {
			continue // a day of another form is no day
		}
		d := spanDay{date: date}
		d.violation, _ = one.number("violation_minutes")
		d.known, _ = one.number("known_minutes")
		d.noData, _ = one.number("unknown_minutes")
		sp.days = append(sp.days, d)
	}
	slices.SortStableFunc(sp.days, func(a, b spanDay) int { return a.date.Compare(b.date) })
	return sp
}

// periodLevel translates the verdict on a tier's period.
func periodLevel(verdict string) Level {
	switch verdict {
	case "kept":
		return Holds
	case "broken":
		return Misses
	case "unknown":
		return Unknown
	}
	return Neutral
}

func periodTable(spans []span) Table {
	t := newTable(
		"Promised and measured",
		"Tier or history",
		"Period",
		"#Promised",
		"#Measured",
		"#In violation",
		"#Not known",
		"#VMs",
		"Verdict",
	)
	for _, sp := range spans {
		period := none
		if n := len(sp.days); n > 0 {
			period = sp.days[0].date.Format(time.DateOnly) + " to " + sp.days[n-1].date.Format(time.DateOnly)
		}
		violated := sp.format("violation_minutes")
		if n, _ := sp.number("violations"); n > 0 {
			violated += " in " + count(int(n), "violation")
		}
		vms := sp.format("vm_count")
		if n, _ := sp.number("unknown_vm_count"); n > 0 {
			vms += ", " + decimal(n) + " not known"
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: sp.name, Link: sp.link},
			{Text: period},
			{Text: sp.format("promised_compliance_percent")},
			{Text: atMost(sp.values["compliance_percent"])},
			{Text: violated},
			{Text: sp.format("unknown_minutes")},
			{Text: vms},
			levelCell(sp.level),
		})
	}
	t.keep(maxRows, "period")
	return t
}

// atMost writes a compliance, rounded down to three decimals: a value below a promise never reads as the promise.
func atMost(v any) string {
	percent, ok := v.(float64)
	if !ok {
		return none
	}
	return plan.Number(math.Floor(percent*1000)/1000) + "%"
}

// monthsTable has the calendar months of periods that are in more than one.
func monthsTable(spans []span) Table {
	t := newTable("By calendar month", "Tier or history", "Month", "#Days", "#Measured", "#In violation", "#Not known")
	for _, sp := range spans {
		months := byMonth(sp.days)
		if len(months) < 2 {
			continue
		}
		for _, days := range months {
			sum := spanDay{}
			for _, d := range days {
				sum.violation += d.violation
				sum.known += d.known
				sum.noData += d.noData
			}
			measured := none
			if sum.known > 0 {
				measured = atMost(100 * (1 - sum.violation/sum.known))
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: sp.name, Link: sp.link},
				{Text: days[0].date.Format("January 2006")},
				{Text: decimal(float64(len(days)))},
				{Text: measured},
				{Text: format("violation_minutes", sum.violation)},
				{Text: format("unknown_minutes", sum.noData)},
			})
		}
	}
	t.keep(maxRows, "month")
	return t
}

func byMonth(days []spanDay) [][]spanDay {
	var months [][]spanDay
	for i, d := range days {
		if i == 0 || d.date.Format("2006-01") != days[i-1].date.Format("2006-01") {
			months = append(months, nil)
		}
		months[len(months)-1] = append(months[len(months)-1], d)
	}
	return months
}

// compliancePromise names the tiers' promises for a period, the first of them.
func compliancePromise(in *instance) string {
	text := "the RPOs of " + count(len(in.object("tiers")), "tier")
	var tiers []string
	for _, sp := range periodsOf(in) {
		if _, promised := sp.number("promised_compliance_percent"); promised {
			tiers = append(tiers, sp.name+" "+sp.format("promised_compliance_percent"))
		}
	}
	if len(tiers) > 0 {
		text += ", over the period: " + quantity.List(tiers, 3)
	}
	return text
}

// periodReasons names the tiers that do not keep their promise for the period.
func periodReasons(in *instance) []Reason {
	var reasons []Reason
	for _, sp := range periodsOf(in) {
		switch sp.level {
		case Misses:
			reasons = append(reasons, Reason{Code: "period_broken", Sentence: "A VM of tier " + sp.name + " was within its RPO for " +
				atMost(sp.values["compliance_percent"]) + " of the known time, and the tier promises " +
				sp.format("promised_compliance_percent") + "."})
		case Unknown:
			n, _ := sp.number("unknown_vm_count")
			reasons = append(reasons, Reason{Code: "period_unknown", Sentence: "The period of tier " + sp.name +
				" is not known for " + count(int(max(1, n)), "VM") + "."})
		case AtRisk, Holds, Neutral: // nothing to say
		}
	}
	return reasons
}
