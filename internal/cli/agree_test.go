package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/report"
)

// reviewPage is the part of a review's JSON that the test reads.
type reviewPage struct {
	Verdict  string `json:"verdict"`
	Headline string `json:"headline"`
	Counts   []struct {
		Level  string `json:"level"`
		Number int    `json:"number"`
	} `json:"counts"`
	Decisions []struct {
		Level string `json:"level"`
		Name  string `json:"name"`
		Text  string `json:"text"`
	} `json:"decisions"`
	Promises reviewedTable     `json:"promises"`
	Until    []string          `json:"until"`
	Link     any               `json:"link"`
	Notes    []string          `json:"notes"`
	Sections []reviewedSection `json:"sections"`
}

type reviewedTable struct {
	Caption string           `json:"caption"`
	Rows    [][]reviewedCell `json:"rows"`
}

type reviewedCell struct {
	Text  string `json:"text"`
	Level string `json:"level"`
}

type reviewedSection struct {
	ID       string            `json:"id"`
	Subjects []reviewedSubject `json:"subjects"`
}

type reviewedSubject struct {
	Name    string          `json:"name"`
	Reasons []report.Reason `json:"reasons"`
	Level   string          `json:"level"`
	Alone   bool            `json:"alone"`
	Notes   []string        `json:"notes"`
	Tables  []reviewedTable `json:"tables"`
}

func (s *reviewedSubject) has(code string) bool {
	return slices.ContainsFunc(s.Reasons, func(r report.Reason) bool { return r.Code == code })
}

// number is how many results are at a level.
func (r *reviewPage) number(level string) int {
	for _, c := range r.Counts {
		if c.Level == level {
			return c.Number
		}
	}
	return 0
}

// of returns the subjects of a section by their names.
func (r *reviewPage) of(id string) map[string]reviewedSubject {
	subjects := map[string]reviewedSubject{}
	for _, s := range r.Sections {
		if s.ID == id {
			for _, one := range s.Subjects {
				subjects[one.Name] = one
			}
		}
	}
	return subjects
}

// reviewFiles writes an inventory and a tiers file, and reviews them with levels of --fail-on, or with each. It returns
// the review and the exit codes.
func reviewFiles(t *testing.T, vms, tiers string, levels ...string) (r reviewPage, codes map[string]int) {
	t.Helper()
	if len(levels) == 0 {
		levels = []string{"misses", "at_risk", "unknown"}
	}
	dir := t.TempDir()
	inventory, file, page := filepath.Join(dir, "vms.csv"), filepath.Join(dir, "t.yaml"), filepath.Join(dir, "r.json")
	for name, text := range map[string]string{inventory: vms, file: tiers} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	codes = map[string]int{}
	for _, level := range levels {
		var errs string
		args := []string{"review", "--inventory", inventory, "--tiers", file, "-o", page, "--fail-on", level}
		codes[level], _, errs = run(t, "", args...)
		if codes[level] == cli.ExitError {
			t.Fatalf("%s\n%s", errs, tiers)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r, codes
}

// estateOf is a CSV of VMs with a size in GiB and the name of a tier, as many as there are of each tier.
func estateOf(gib int, counts map[string]int) string {
	var b strings.Builder
	b.WriteString("VM,Powerstate,Template,Memory,In Use MiB,Cluster,VM ID,Tier\n")
	n := 0
	for _, tier := range slices.Sorted(maps.Keys(counts)) {
		for range counts[tier] {
			n++
			fmt.Fprintf(&b, "%s-%d,poweredOn,False,8192,%d,Prod,vm-%d,%s\n", tier, n, gib*1024, n, tier)
		}
	}
	return b.String()
}

// TestFileReview_together: 20 VMs of 100 GiB that change by 5 % a day, within an RPO of 60 minutes. At 159.1 Mbit/s and
// a peak of 8 the estimate is violation free, and the schedule has alarms: it counts in place of the estimate. At
// 100 Mbit/s, the whole day's change in one cycle, 100 GiB, takes 8,590 s of 3,600, and spread evenly 358 s: as the
// estimate misses, the schedule is at risk.
func TestFileReview_together(t *testing.T) {
	t.Parallel()
	vms := estateOf(100, map[string]int{"gold": 20})
	tiers := func(mbps string) string {
		return "throughput_mbps: " + mbps + "\n" +
			"tiers: [{name: gold, match: {}, rpo_minutes: 60, daily_change_percent: 5, peak_factor: 8}]\n"
	}
	r, codes := reviewFiles(t, vms, tiers("159.1"))
	gold, all := r.of("replication")["gold"], r.of("schedules")["all tiers"]
	if !gold.Alone || gold.Level != "holds" || all.Level != "at_risk" || r.Link != nil ||
		r.number("at_risk") != 1 || r.number("holds") != 0 || codes["misses"] != 0 || codes["at_risk"] != cli.ExitMiss {
		t.Errorf("peak: %+v, %+v, %+v, exit codes %v", gold, all, r.Counts, codes)
	}
	if last := r.Promises.Rows[len(r.Promises.Rows)-1][0].Text; last != "gold, alone on the link" {
		t.Errorf("the last promise is %q, want gold, alone on the link", last)
	}
	r, codes = reviewFiles(t, vms, strings.Replace(tiers("100"), ", peak_factor: 8", "", 1))
	gold, all = r.of("replication")["gold"], r.of("schedules")["all tiers"]
	const note = "This is if the change is spread evenly: gold, worst case: a day's change in one cycle, does not hold, " +
		"so that it counts as at risk."
	if gold.Alone || gold.Level != "misses" || all.Level != "at_risk" || !slices.Contains(all.Notes, note) ||
		all.Tables[0].Rows[0][1].Level != "at_risk" || codes["misses"] != cli.ExitMiss {
		t.Errorf("whole day: %+v, %+v, exit codes %v", gold, all, codes)
	}
	const same = "Assume the same change in estimates and schedule, by peak_factor, hourly_weights or change_curve, or " +
		"accept the risk."
	if got := r.Decisions[len(r.Decisions)-1]; got.Name != "all tiers" || got.Text != same {
		t.Errorf("got decision %+v, want of all tiers: %s", got, same)
	}
	const want = "Of 2 results with a verdict, 1 does not hold, 1 is at risk."
	if r.Headline != want {
		t.Errorf("headline %q, want %q", r.Headline, want)
	}
}

// TestFileReview_open: VMs in no tier and tiers without a VM count, unless exclude names them.
func TestFileReview_open(t *testing.T) {
	t.Parallel()
	vms := estateOf(1, map[string]int{"gold": 2, "other": 3})
	const tiers = `throughput_mbps: 1000
defaults: {daily_change_percent: 5, rpo_minutes: 60}
tiers:
  - {name: gold, match: {column: {Tier: ^gold$}}}
  - {name: silver, match: {cluster: PROD, column: {Tier: ^silver$}}}
`
	r, codes := reviewFiles(t, vms, tiers)
	if r.Verdict != "unknown" || r.number("unknown") != 2 || codes["misses"] != 0 || codes["at_risk"] != cli.ExitMiss ||
		codes["unknown"] != cli.ExitMiss || !strings.Contains(r.Headline, "2 are not known") {
		t.Errorf("%s: %q, %+v, exit codes %v", r.Verdict, r.Headline, r.Counts, codes)
	}
	decisions := []string{}
	for _, d := range r.Decisions {
		decisions = append(decisions, d.Name+": "+d.Text)
	}
	want := []string{
		"3 VMs in no tier: Put them into a tier, or name them in exclude.",
		`tier silver without a VM: Correct its match, or remove it. Its cluster "PROD" differs from "Prod" in the file only ` +
			"in case.",
	}
	if !slices.Equal(decisions, want) {
		t.Errorf("decisions %q, want %q", decisions, want)
	}
	r, codes = reviewFiles(t, vms, strings.Split(tiers, "  - {name: silver")[0]+"exclude: [{column: {Tier: other}}]\n")
	if r.Verdict != "holds" || codes["unknown"] != 0 || r.Headline != "Everything with a verdict holds." {
		t.Errorf("excluded: %s, %q, exit codes %v", r.Verdict, r.Headline, codes)
	}
}

// TestFileReview_full: 2 VMs of 100 GiB at 10 % a year fill 221 GiB after 12 ln 1.105 / ln 1.1 = 12.57 months.
func TestFileReview_full(t *testing.T) {
	t.Parallel()
	r, _ := reviewFiles(t, estateOf(100, map[string]int{"gold": 2}), `throughput_mbps: 1000
tiers:
  - {name: gold, match: {}, rpo_minutes: 60, daily_change_percent: 1, growth_percent_per_year: 10,
     target_free_gib: 221}
`)
	if until := strings.Join(r.Until, " "); !strings.Contains(until, "gold is full after 12.5 months.") {
		t.Errorf("until when: %q, want that gold is full after 12.5 months", r.Until)
	}
}

// TestFileReview_agree reviews generated estates: no two lines about the same VMs contradict each other, and headline,
// counts, decisions and exit codes are about the same results, among them VMs in no tier, tiers without VMs and
// storage. Each estate is reviewed with one level of --fail-on.
func TestFileReview_agree(t *testing.T) {
	t.Parallel()
	estates := 300
	if testing.Short() {
		estates = 30
	}
	for seed := range estates {
		vms, tiers, open := generated(rand.New(rand.NewPCG(uint64(seed), 16)))
		level := []string{"misses", "at_risk", "unknown"}[seed%3]
		r, codes := reviewFiles(t, vms, tiers, level)
		for _, problem := range append(contradictions(&r, codes), open.missing(&r)...) {
			t.Errorf("seed %d: %s\n%s", seed, problem, tiers)
		}
	}
}

// openPoints are the findings that the review of a generated estate must name: VMs and tiers without a promise, and
// tiers whose replicas do not fit.
type openPoints struct{ names, full []string }

// missing are the points that a review does not name.
func (o openPoints) missing(r *reviewPage) []string {
	var found []string
	for _, name := range o.names {
		if !slices.ContainsFunc(r.Promises.Rows, func(row []reviewedCell) bool {
			return row[0].Text == name && row[2].Level == "unknown"
		}) {
			found = append(found, name+" is no line of the promises")
		}
	}
	for _, name := range o.full {
		if level := r.of("storage")[name].Level; level != "misses" {
			found = append(found, fmt.Sprintf("the replicas of %s do not fit, and their storage %s", name, level))
		}
	}
	return found
}

// generated is an inventory with up to four tiers on a link that is 20 to 120 % in use, and its open points.
func generated(r *rand.Rand) (vms, tiers string, open openPoints) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	counts, load := map[string]int{}, 0.0
	var b strings.Builder
	names := []string{"gold", "silver", "bronze", "iron"}[:1+r.IntN(4)]
	for i, name := range names {
		counts[name] = max(0, r.IntN(6)-1)
		if i == 0 {
			counts[name]++
		}
		space := 60 + r.IntN(300)
		storage := fmt.Sprintf(", target_free_gib: %d", space)
		switch {
		case r.IntN(3) > 0:
			storage = ""
		case counts[name]*50 > space: // without the sync that arrives
			open.full = append(open.full, name)
		}
		if counts[name] == 0 {
			open.names = append(open.names, "tier "+name+" without a VM")
		}
		change := 1 + r.IntN(9)
		// Mbit/s: GiB * percent of a day.
		load += float64(counts[name]) * 50 * 8589.934592 * float64(change) / 100 / 86400
		rpo := pick("120", "240", "480", "1440")
		fmt.Fprintf(
			&b,
			"  - {name: %s, match: {column: {Tier: ^%s$}}, rpo_minutes: %s, daily_change_percent: %d%s%s%s}\n",
			name,
			name,
			rpo,
			change,
			pick("", ", peak_factor: 1", ", peak_factor: 3", ", peak_factor: 24",
				", hourly_weights: ["+strings.Repeat("1, ", 8)+strings.Repeat("5, ", 10)+strings.Repeat("1, ", 5)+"1]"),
			pick("", "", "", ", deadline_hours: 24", ", overhead_seconds: 60"),
			storage,
		)
	}
	switch counts["none"] = max(0, r.IntN(5)-2); counts["none"] {
	case 0:
	case 1:
		open.names = append(open.names, "1 VM in no tier")
	default:
		open.names = append(open.names, fmt.Sprintf("%d VMs in no tier", counts["none"]))
	}
	if r.IntN(6) == 0 {
		b.WriteString("schedule: {days: 8, hourly_throughput_mbps: [" + strings.Repeat(fmt.Sprintf("%.3f, ", load), 12) +
			strings.Repeat(fmt.Sprintf("%.3f, ", 4*load+1), 11) + "10]}\n")
	}
	if r.IntN(6) == 0 {
		b.WriteString("defaults: {growth_percent_per_year: 30, horizon_months: 12}\n")
	}
	tiers = fmt.Sprintf("throughput_mbps: %.3f\ntiers:\n%s", load/(0.2+r.Float64()), b.String())
	return estateOf(50, counts), tiers, open
}

// contradictions are the lines of a review that do not agree with each other.
func contradictions(r *reviewPage, codes map[string]int) []string {
	var found []string
	problem := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	schedule := r.of("schedules")["all tiers"]
	groups := map[string]string{}
	for _, row := range schedule.Tables[0].Rows {
		groups[row[0].Text] = row[1].Level
	}
	for name, e := range r.of("replication") {
		if e.Level == "misses" && e.has("deadline_missed") && !e.has("cycle_exceeds_rpo") {
			continue // the schedule has no deadline
		}
		for line, level := range map[string]string{"schedule": schedule.Level, "group": groups[name]} {
			// A schedule does not hold because of one group.
			if e.Level == "misses" && level == "holds" || e.Level == "holds" && level == "misses" && line == "group" {
				problem("the estimate %s %s, and its %s %s", name, e.Level, line, level)
			}
		}
		if e.Alone && e.Level == "misses" {
			problem("the estimate %s misses, and does not count", name)
		}
	}
	levels := map[string]int{}
	for _, s := range r.Sections {
		for _, one := range s.Subjects {
			if !one.Alone {
				levels[one.Level]++
			}
		}
	}
	for _, row := range r.Promises.Rows {
		if row[2].Level == "unknown" {
			levels["unknown"]++ // VMs without a tier, tiers without VMs
		}
	}
	worst := "neutral"
	for _, level := range []string{"neutral", "holds", "unknown", "at_risk", "misses"} {
		if levels[level] != r.number(level) {
			problem("%d results are %s, and %d are counted", levels[level], level, r.number(level))
		}
		if levels[level] > 0 {
			worst = level
		}
	}
	if r.Verdict != worst {
		problem("the verdict is %s, and the worst result %s", r.Verdict, worst)
	}
	if (r.Headline == "Everything with a verdict holds.") != (worst == "holds") {
		problem("the headline is %q, and the worst result %s", r.Headline, worst)
	}
	open := levels["misses"] + levels["at_risk"] + levels["unknown"]
	decisions := 0
	for _, d := range r.Decisions {
		if d.Level != "neutral" && d.Level != "holds" {
			decisions++
		}
	}
	if decisions != min(open, 6) {
		problem("%d results are open, and %d decisions", open, decisions)
	}
	fails := map[string]bool{"misses": worst == "misses", "at_risk": open > 0, "unknown": open > 0}
	for level, code := range codes {
		if (code == cli.ExitMiss) != fails[level] {
			problem("--fail-on %s exits with %d, and the worst result is %s", level, code, worst)
		}
	}
	return found
}
