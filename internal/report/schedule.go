// Schedules: the groups of a simulated link, its hours, and who is late.

package report

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report/chart"
)

func scheduleKind() kind {
	return kind{
		name: scheduleType, id: "schedules", title: "Replication schedules",
		intro: "All groups on one link, simulated sync by sync.",
		fill:  fillSchedule, overview: scheduleOverview, shown: []string{"throughput_mbps", "target_compliance_percent"},
		drawn: true, sure: scheduleRuns, options: scheduleOptions,
		promise: func(in *instance) string {
			return "the RPOs of " + count(len(in.object("groups")), "group") + " for " +
				format("_percent", in.inputOr("target_compliance_percent")) + " of the time"
		},
		rules: []rule{{
			"A sync starts as late as 1.2 times the mean of the last 15 durations allows; syncs that run share the " +
				"link equally.",
			"vSphere Replication documentation on RPO scheduling; VMware vSphere blog of June 2014",
		}},
	}
}

func fillSchedule(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.described("within_rpo_percent", "late_vm_count", "compliance_percent", "all_within_rpo_percent",
		"p5_compliance_percent", "p95_compliance_percent", "violations", "violation_minutes",
		"worst_recovery_point_minutes", "link_use_percent", "peak_hour_link_use_percent", "recovered_after_minutes",
		"in_sync_after_minutes", "throughput_for_target_mbps")
	names := slices.SortedFunc(maps.Keys(in.object("groups")), natural)
	groups := make([]group, 0, len(names))
	for _, name := range names {
		values, _ := in.object("groups")[name].(map[string]any)
		groups = append(groups, newGroup(name, values, in.doubts))
	}
	s.Tables = append(s.Tables, groupTable(groups))
	s.Figures = append(s.Figures, ageFigure(groups))
	if f, ok := runsFigure(in, groups); ok {
		s.Figures = append(s.Figures, f)
	}
	if in.plain {
		return
	}
	input, r, err := confirmed(in, replication.ScheduleDefinition, replication.Simulate)
	if err != nil {
		s.Notes = append(s.Notes, notDrawn(err))
		return
	}
	s.Figures = slices.Concat([]Figure{hoursFigure(input, r)}, s.Figures, curveFigures(groups, input))
}

// curveFigures draws the change curve of each group that has one, and marks its RPO: no sync carries the change of a
// longer time while the promise holds.
func curveFigures(groups []group, in replication.ScheduleInput) []Figure {
	curved := slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return in.Groups[g.key].ChangeCurve == nil })
	curved, note := worst(curved, maxBars, "group", func(g group) float64 { return g.age })
	var figures []Figure
	for _, g := range curved {
		of := in.Groups[g.key]
		change := replication.Input{VMSizeGiB: of.VMSizeGiB, ChangeCurve: of.ChangeCurve, RPOMinutes: of.RPOMinutes}
		if f, ok := curveFigure(change, "one RPO", "one RPO"); ok {
			f.Title += ", " + g.name
			f.Data.Note = note
			figures = append(figures, f)
		}
	}
	return figures
}

func scheduleOverview(subjects []known) ([]Table, []Figure) {
	table := overview(
		"Replication schedules",
		subjects,
		verdictColumn,
		column{
			title:   "Groups",
			numeric: true,
			cell:    func(k known) Cell { return Cell{Text: decimal(float64(len(k.object("groups"))))} },
		},
		numeric("Throughput", "throughput_mbps"),
		numeric("Compliance", "compliance_percent"),
		numeric("All within RPO", "all_within_rpo_percent"),
		numeric("Violations", "violations"),
		column{
			title:   "In violation",
			numeric: true,
			cell:    func(k known) Cell { return Cell{Text: minutes(k.instance)} },
		},
		numeric("Oldest point", "worst_recovery_point_minutes"),
		numeric("Link use", "link_use_percent"),
		numeric("Busiest hour", "peak_hour_link_use_percent"),
		numeric("Target", "target_compliance_percent"),
		numeric("For the target", "throughput_for_target_mbps"),
	)
	table.Note = "In violation: added up over the VMs. Compliance is of VM time, all within RPO of time. For the " +
		"target: the least throughput with which every group meets."
	return []Table{table}, []Figure{}
}

// group is a group with what the simulation found.
type group struct {
	*instance

	// key is the name in the configuration, name how it is shown.
	key, name string
	level     Level
	// age is the oldest recovery point as a share of the RPO, in percent.
	age float64
}

// newGroup is a group by its own verdict, at risk where there are doubts about it.
func newGroup(name string, values map[string]any, doubts map[string]string) group {
	g := group{instance: &instance{kind: scheduleType, values: values}, key: name, name: clean(name)}
	g.level, _ = g.ownLevel()
	if doubts[name] != "" && g.level == Holds {
		g.level = AtRisk
	}
	oldest, _ := g.number("worst_recovery_point_minutes")
	if rpo, ok := g.number("rpo_minutes"); ok && rpo > 0 {
		g.age = oldest / rpo * 100
	}
	return g
}

func groupTable(groups []group) Table {
	t := newTable(
		"Groups",
		"Group",
		"Verdict",
		"#RPO",
		"#Compliance",
		"#Violations",
		"#In violation",
		"#Oldest point",
		"#95% of syncs",
		"#VMs",
		"#Daily change",
		"#Sent",
	)
	for _, g := range groups {
		row := []Cell{{Text: g.name}, levelCell(g.level)}
		for _, text := range []string{
			g.format("rpo_minutes"), g.format("compliance_percent"), g.format("violations"), minutes(g.instance),
			g.format("worst_recovery_point_minutes"),
			g.format("p95_sync_seconds"), g.format("vm_count") + " × " + g.format("vm_size_gib"),
			g.format("daily_change_percent"), g.format("transferred_gib"),
		} {
			row = append(row, Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "In violation: added up over the VMs. 95% of syncs take no longer than that."
	t.keep(maxRows, "group")
	return t
}

// minutes writes violation_minutes, a sum over VMs that would be odd as a span of days.
func minutes(in *instance) string {
	v, ok := in.number("violation_minutes")
	if !ok {
		return none
	}
	return plan.Thousands(v, 0) + " min"
}

func ageFigure(groups []group) Figure {
	groups, note := worst(groups, maxBars, "group", func(g group) float64 { return g.age })
	bars := chart.Bars{Guides: []chart.Guide{{Value: 100, Label: "RPO", Tone: chart.Bad}}}
	data := newTable(
		"Oldest recovery point of each group",
		"Group",
		"#Oldest recovery point",
		"#RPO",
		"#Of the RPO",
		"Verdict",
	)
	data.Note = note
	most := 110.0
	for _, g := range groups {
		most = max(most, min(g.age, maxPercent))
		text := g.level.Symbol() + " " + g.format("worst_recovery_point_minutes")
		if g.age > maxPercent {
			text += " »"
		}
		bars.Rows = append(bars.Rows, chart.Row{Label: g.name, To: g.age, Text: text, Tone: g.level.Tone()})
		data.Rows = append(data.Rows, []Cell{
			{
				Text: g.name,
			},
			{Text: g.format("worst_recovery_point_minutes")},
			{Text: g.format("rpo_minutes")},
			{Text: format("_percent", g.age)},
			levelCell(g.level),
		})
	}
	bars.Scale = chart.Scale{
		Max:    most,
		Format: func(v float64) string { return decimal(v) + "%" },
		Label:  "age, as a share of the RPO" + beyond(most),
	}
	return Figure{
		Title: "Oldest recovery point of each group",
		Description: "A bar for each group: how old its newest recovery point became at worst, as a share of its RPO. " +
			"Beyond the line the RPO was violated.",
		Data:  data,
		Chart: bars,
	}
}

const hoursPerDay = 24

// hoursFigure folds all days of the simulation into one.
func hoursFigure(in replication.ScheduleInput, r replication.ScheduleResult) Figure {
	days := float64(len(r.Hours)) / hoursPerDay
	use, late := make([]float64, hoursPerDay), make([]float64, hoursPerDay)
	for i, h := range r.Hours {
		use[i%hoursPerDay] += h.LinkUsePercent / days
		late[i%hoursPerDay] += h.ViolationMinutes / days
	}
	data := newTable("Hours of the day", "Hour", "#Link use", "#Minutes in violation, over VMs")
	names := make([]string, hoursPerDay)
	most := 0.0
	for h := range hoursPerDay {
		names[h] = fmt.Sprintf("%d:00", h)
		data.add(names[h], decimal(use[h])+"%", decimal(late[h]))
		most = max(most, late[h])
	}
	vms := 0.0
	for _, g := range in.Groups {
		vms += g.VMCount
	}
	title, span := "A day on the link", "the simulated day"
	if days > 1 {
		title, span = "A day on the link, mean of "+count(int(days), "day"), "a mean day"
	}
	violations := "minutes in violation, over " + count(int(vms), "VM")
	if most == 0 {
		violations += ": none"
	}
	return Figure{
		Title: title,
		Description: fmt.Sprintf(
			"Two rows of 24 columns, one for each hour of %s: how much of the link is in use, %s at most, "+
				"and for how many minutes VMs are in violation of their RPO, %s in the worst hour.",
			span,
			format("_percent", slices.Max(use)),
			plan.Thousands(most, 0),
		),
		Data: data,
		Chart: chart.Columns{Names: names, Label: "hour of the day", Panels: []chart.Panel{
			{Values: use, Tone: chart.Plain, Scale: chart.Scale{Max: 100, Label: "link use in percent", Format: decimal}},
			{Values: late, Tone: chart.Bad, Scale: chart.Scale{Max: max(most, 1), Label: violations, Format: decimal}},
		}},
	}
}
