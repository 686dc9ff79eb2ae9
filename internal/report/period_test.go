package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/chart"
)

func spanOf(t *testing.T, from string, days int, differs map[string]object) []any {
	t.Helper()
	start, err := time.Parse(time.DateOnly, from)
	require.NoError(t, err)
	list := make([]any, 0, days)
	for i := range days {
		date := start.AddDate(0, 0, i).Format(time.DateOnly)
		day := object{
			"date":               date,
			"violation_minutes":  0,
			"known_minutes":      2880,
			"unknown_minutes":    0,
			"compliance_percent": 100,
		}
		list = append(list, with(day, differs[date]))
	}
	return list
}

func periods(t *testing.T) object {
	t.Helper()
	return object{
		// For 2 VMs, 30 days amount to 86,400 minutes. One day (2,880 minutes) is unknown, which leaves 83,520 minutes.
		// The 835.21 minutes in violation are 1.00001% of that.
		"gold": object{
			"vm_count":                    2,
			"unknown_vm_count":            0,
			"promised_compliance_percent": 99,
			"compliance_percent":          98.99998803,
			"violations":                  3,
			"violation_minutes":           835.21,
			"known_minutes":               83520,
			"unknown_minutes":             2880,
			"verdict":                     "broken",
			"days": spanOf(t, "2026-06-17", 30, map[string]object{
				"2026-06-30": {"violation_minutes": 835.2, "compliance_percent": 71},
				"2026-07-01": {"violation_minutes": 0.01, "compliance_percent": 99.99965},
				"2026-07-05": {"known_minutes": 0, "unknown_minutes": 2880, "compliance_percent": nil},
			}),
		},
		"silver": object{
			"vm_count":                    2,
			"unknown_vm_count":            0,
			"promised_compliance_percent": 95,
			"compliance_percent":          100,
			"violations":                  0,
			"violation_minutes":           0,
			"known_minutes":               5760,
			"unknown_minutes":             0,
			"verdict":                     "kept",
			"days":                        spanOf(t, "2026-07-15", 2, nil),
		},
		"bronze": object{
			"vm_count":                    2,
			"unknown_vm_count":            1,
			"promised_compliance_percent": 95,
			"compliance_percent":          100,
			"violations":                  0,
			"violation_minutes":           0,
			"known_minutes":               2880,
			"unknown_minutes":             2880,
			"verdict":                     "unknown",
			"days": spanOf(t, "2026-07-15", 1,
				map[string]object{"2026-07-15": {"known_minutes": 1440, "unknown_minutes": 1440}}),
		},
		"none": object{
			"vm_count":                    0,
			"unknown_vm_count":            0,
			"promised_compliance_percent": nil,
			"compliance_percent":          nil,
			"violations":                  0,
			"violation_minutes":           0,
			"known_minutes":               0,
			"unknown_minutes":             0,
			"verdict":                     "no_vms",
			"days":                        []any{},
		},
	}
}

func slaSection(t *testing.T, r *report.Review) *report.Section {
	t.Helper()
	i := slices.IndexFunc(r.Sections, func(s report.Section) bool { return s.ID == "sla" })
	require.GreaterOrEqual(t, i, 0, "there is no section about the monthly SLA")
	return &r.Sections[i]
}

// measuredReview returns the review of a vsla_sla_compliance with four tiers, and of a link.
func measuredReview(t *testing.T) *report.Review {
	t.Helper()
	tiers := object{}
	for name := range periods(t) {
		tiers[name] = object{"rpo_minutes": 15}
	}
	return build(t, state(t, data("vsla_sla_compliance", "x", object{
		"compliant":        false,
		"tiers":            tiers,
		"virtual_machines": object{},
		"periods":          periods(t),
	}), data("vsla_link_throughput", "wan", object{"throughput_mbps": 1})))
}

func tableOf(t *testing.T, s *report.Section, caption string) report.Table {
	t.Helper()
	i := slices.IndexFunc(s.Tables, func(table report.Table) bool { return table.Caption == caption })
	require.GreaterOrEqual(t, i, 0, "there is no table %q", caption)
	return s.Tables[i]
}

func figureOf(t *testing.T, s *report.Section, title string) report.Figure {
	t.Helper()
	i := slices.IndexFunc(s.Figures, func(f report.Figure) bool { return f.Title == title })
	require.GreaterOrEqual(t, i, 0, "there is no figure %q", title)
	return s.Figures[i]
}

func calendarOf(t *testing.T, f report.Figure) chart.Calendar {
	t.Helper()
	calendar, ok := f.Chart.(chart.Calendar)
	require.True(t, ok, "%q is a %T", f.Title, f.Chart)
	return calendar
}

func TestBuild_period(t *testing.T) {
	t.Parallel()
	r := measuredReview(t)
	checkPage(t, html(t, r))
	ids := make([]string, 0, len(r.Sections))
	for _, s := range r.Sections {
		ids = append(ids, s.ID)
	}
	assert.Equal(t, []string{"compliance", "sla", "link"}, ids)
}

func TestBuild_periodTable(t *testing.T) {
	t.Parallel()
	s := slaSection(t, measuredReview(t))
	want := []string{
		// 98.99998803 is less than 99 and must not be rounded up to 99.
		"gold; 2026-06-17 to 2026-07-16; 99%; 98.999%; 13h 55m 13s in 3 violations; 2d; 2; does not hold",
		"bronze; 2026-07-15 to 2026-07-15; 95%; 100%; 0s; 2d; 2, 1 not known; not known",
		"silver; 2026-07-15 to 2026-07-16; 95%; 100%; 0s; 0s; 2; holds",
		"none; –; –; –; 0s; 0s; 0; no verdict",
	}
	assert.Equal(t, want, texts(tableOf(t, s, "Promised and measured")))
}

func TestBuild_periodMonths(t *testing.T) {
	t.Parallel()
	s := slaSection(t, measuredReview(t))
	// For 2 VMs, the 14 days in June amount to 40,320 minutes, of which the 835.2 minutes in violation are 2.0714%. The
	// 15 known days in July amount to 43,200 minutes.
	want := []string{"gold; June 2026; 14; 97.928%; 13h 55m 12s; 0s", "gold; July 2026; 16; 99.999%; 600ms; 2d"}
	assert.Equal(t, want, texts(tableOf(t, s, "By calendar month")))
}

func TestBuild_periodDays(t *testing.T) {
	t.Parallel()
	r := measuredReview(t)
	drawn(t, r, 3)
	s := slaSection(t, r)
	f := figureOf(t, s, "gold: violations by day")
	assert.Equal(t, "A calendar of 30 days, 2026-06-17 to 2026-07-16, with the share of the known time in violation. "+
		"2 days have violations. The worst is 2026-06-30, with 29% of its known time in violation. 1 day is not known.",
		f.Description)
	days := texts(f.Data)
	// For 2 VMs, a day amounts to 2,880 minutes. 835.2 minutes is 29% of that. 0.01 minutes is 0.0003% of that, which
	// must not be rounded to 0.
	for _, want := range []string{
		"Wed 2026-06-17; 0s; 0%; 0s",
		"Tue 2026-06-30; 13h 55m 12s; 29%; 0s",
		"Wed 2026-07-01; 600ms; 0.1%; 0s",
		"Sun 2026-07-05; 0s; –; 2d",
	} {
		assert.Contains(t, days, want)
	}
}

func TestBuild_periodCalendar(t *testing.T) {
	t.Parallel()
	s := slaSection(t, measuredReview(t))
	days := calendarOf(t, figureOf(t, s, "gold: violations by day")).Days
	require.Len(t, days, 30)
	for i, want := range map[int]chart.Day{
		0:  {Shade: chart.Clear, Text: "0%"},
		13: {Shade: chart.Dark, Text: "29%"},
		14: {Shade: chart.Light, Text: "0.1%"},
		18: {Shade: chart.Clear, Unknown: 1},
	} {
		want.Date = time.Date(2026, 6, 17+i, 0, 0, 0, 0, time.UTC)
		assert.Equal(t, want, days[i], "day %d", i)
	}
}

func TestBuild_periodHalfKnown(t *testing.T) {
	t.Parallel()
	s := slaSection(t, measuredReview(t))
	days := calendarOf(t, figureOf(t, s, "bronze: violations by day")).Days
	require.Len(t, days, 1)
	assert.InDelta(t, 0.5, days[0].Unknown, 0)
	assert.Equal(t, "0%", days[0].Text)
}

func TestBuild_periodReasons(t *testing.T) {
	t.Parallel()
	compliance := subjects(measuredReview(t))["data.vsla_sla_compliance.x"]
	var reasons []string
	for _, reason := range compliance.Reasons {
		reasons = append(reasons, reason.Code+": "+reason.Sentence)
	}
	want := []string{
		"period_unknown: The compliance of tier bronze is not known for 1 VM.",
		"period_broken: A VM of tier gold was within its RPO for 98.999% of the known time, but the tier promises 99%.",
	}
	assert.Equal(t, want, reasons)
}

func TestBuild_periodSummary(t *testing.T) {
	t.Parallel()
	assert.Contains(t, answer(t, html(t, measuredReview(t)), "summary"),
		"the RPOs of 4 tiers, over the period: bronze 95%, gold 99%, silver 95%")
}

func TestBuild_periodMarkdown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, measuredReview(t).WriteMarkdown(&b))
	for _, want := range []string{
		"## Monthly SLA\n",
		"| gold | 2026-06-17 to 2026-07-16 | 99% | 98.999% | 13h 55m 13s in 3 violations | 2d | 2 | ✕ does not hold |",
		"<summary>gold: violations by day</summary>",
		"| Tue 2026-06-30 | 13h 55m 12s | 29% | 0s |",
	} {
		assert.Contains(t, b.String(), want)
	}
}

func TestBuild_periodHidden(t *testing.T) {
	t.Parallel()
	values := object{"compliant": false, "virtual_machines": object{}, "periods": periods(t)}
	secret := data("vsla_sla_compliance", "x", values)
	secret["sensitive_values"] = object{"periods": true}
	snapshot := data("vsla_sla_compliance", "y",
		object{"compliant": true, "virtual_machines": object{}, "periods": nil})
	for name, resource := range map[string]object{"sensitive": secret, "without lookback_hours": snapshot} {
		r := build(t, state(t, resource))
		require.Len(t, r.Sections, 1, name)
		assert.NotContains(t, html(t, r), "98.99", name)
	}
}

// yearReview returns the review of a vsla_replication_history of 365 days.
func yearReview(t *testing.T) *report.Review {
	t.Helper()
	return build(t, state(t, data("vsla_replication_history", "x", object{
		"from":        "2025-07-16T00:00:00Z",
		"to":          "2026-07-16T00:00:00Z",
		"event_count": 7,
		"total": object{
			"compliance_percent": 100,
			"violations":         0,
			"violation_minutes":  0,
			"known_minutes":      1051200,
			"unknown_minutes":    0,
		},
		"virtual_machines": object{
			"vm-1": object{"name": "known", "compliance_percent": 100},
			"vm-2": object{"name": "late", "compliance_percent": 99},
			"vm-3": object{"name": hostile, "compliance_percent": nil},
		},
		"days": spanOf(t, "2025-07-16", 365, nil),
	})))
}

func TestBuild_periodYear(t *testing.T) {
	t.Parallel()
	r := yearReview(t)
	checkPage(t, html(t, r))
	drawn(t, r, 1)
	s := slaSection(t, r)
	assert.Equal(t,
		[]string{"History: replication history x; 2025-07-16 to 2026-07-15; –; 100%; 0s; 0s; 3; no verdict"},
		texts(tableOf(t, s, "Promised and measured")))
	// The table covers July 2025 to July 2026, and the chart covers April, May, June and half of July.
	assert.Len(t, tableOf(t, s, "By calendar month").Rows, 13)
	days := figureOf(t, s, "History: replication history x: violations by day").Data
	assert.Len(t, days.Rows, 30+31+30+15)
	assert.Equal(t, "The last 4 months. 9 earlier months are in the table by calendar month.", days.Note)
}

func TestBuild_periodHistory(t *testing.T) {
	t.Parallel()
	history := subjects(yearReview(t))["data.vsla_replication_history.x"]
	require.Len(t, history.Tables, 1)
	var names []string
	for _, row := range history.Tables[0].Rows {
		names = append(names, row[0].Text)
	}
	assert.Equal(t, []string{hostile, "late", "known"}, names)
	assert.Equal(t, plan.Neutral, history.Level)
	assert.Equal(t, "Within the RPO for 100% of the known time.", history.Summary)
}

func TestBuild_periodSize(t *testing.T) {
	t.Parallel()
	of := object{}
	for i := range 12 {
		of[fmt.Sprintf("tier %d", i)] = periods(t)["gold"]
	}
	resources := []object{data("vsla_sla_compliance", "x", object{
		"compliant":        false,
		"virtual_machines": object{},
		"periods":          of,
	})}
	for i := range 499 {
		resources = append(resources, data("vsla_replication_estimate", fmt.Sprintf("site_%d", i), estimated(t, 901)))
	}
	r := build(t, state(t, resources...))
	assert.Less(t, len(html(t, r)), 200_000)
	s := slaSection(t, r)
	assert.Len(t, s.Tables[0].Rows, 12)
	assert.Len(t, s.Figures, 1)
	assert.Equal(t, "The worst of 12 calendars.", s.Note)
}

// TestScenarios_period verifies the review of a plan that is created after a five-hour link outage and the loss of one
// day's events. The promise to gold is broken, and the promise to silver is kept.
func TestScenarios_period(t *testing.T) {
	t.Parallel()
	e := acctest.StartSitesWith(t, vcsim.Config{VMs: 5}, gateway.Switches{})
	e.KeepReplications()
	vms := e.Protected.VMs()
	category, err := e.Protected.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	tags := make(map[string]string)
	for _, tier := range []struct {
		name string
		rpo  int64
		vms  []vcsim.VM
	}{
		{"gold", 15, vms[:2]},
		{"silver", 60, vms[2:4]},
		{"bronze", 240, vms[4:5]},
	} {
		id, err := e.Protected.Tags().AddTag(tagging.Tag{Name: tier.name, CategoryID: category})
		require.NoError(t, err)
		tags[tier.name] = id
		for _, vm := range tier.vms {
			require.NoError(t, e.Protected.Tags().Attach(id, tagging.Object{Type: "VirtualMachine", ID: vm.ID}))
			e.SetUsed(vm.ID, 1e6)
			e.SetChangeRate(vm.ID, 1e5)
			require.NoError(t, e.AddReplications(tier.rpo, vm.ID))
		}
	}
	const day = 24 * time.Hour
	e.Advance(30*day + 9*time.Hour)
	e.RemoteDown(true)
	e.Advance(5 * time.Hour)
	e.RemoteDown(false)
	e.Advance(9*day + 10*time.Hour) // midnight
	e.Protected.Events().DeleteEvents(vcsim.Epoch.Add(19*day), vcsim.Epoch.Add(20*day))
	w := inline(t, e.ProviderAt(e.Protected)+fmt.Sprintf(`
data "vsla_sla_compliance" "main" {
  pairing_id     = %q
  lookback_hours = 720
  tiers = {
    gold   = { tag_id = %q, rpo_minutes = 15, compliance_percent = 99.9 }
    silver = { tag_id = %q, rpo_minutes = 60, compliance_percent = 99 }
    bronze = { tag_id = %q, rpo_minutes = 240 }
  }
}
data "vsla_replication_history" "gold" {
  tag_id         = %q
  lookback_hours = 720
}
`, e.PairingID(), tags["gold"], tags["silver"], tags["bronze"], tags["gold"]))
	r := build(t, planned(t, w, 0))
	s := slaSection(t, r)
	drawn(t, r, 4)
	var verdicts []string
	for _, row := range s.Tables[0].Rows {
		// The clock starts on 2024-01-01 and has been advanced by 40 days.
		verdicts = append(verdicts, row[0].Text+": "+row[1].Text+", "+row[7].Text)
	}
	const period = "2024-01-11 to 2024-02-09, "
	want := []string{
		"gold: " + period + "does not hold",
		"silver: " + period + "holds",
		"bronze: " + period + "no verdict",
		"History: gold: " + period + "no verdict",
	}
	assert.Equal(t, want, verdicts)
	// 2024-01-20 is unknown. On 2024-01-31, the link was down.
	days := s.Figures[0].Data.Rows
	unknown, down := days[9], days[20]
	assert.Equal(t, "Sat 2024-01-20", unknown[0].Text)
	assert.Equal(t, "–", unknown[2].Text)
	assert.Equal(t, "Wed 2024-01-31", down[0].Text)
	assert.NotEqual(t, "0s", down[1].Text)
	assert.Equal(t, "0s", days[21][1].Text)
	page := html(t, r)
	checkPage(t, page)
	inspect(t, page)
}
