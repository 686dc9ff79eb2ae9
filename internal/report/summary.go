package report

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// maxPromises and maxDecisions limit the summary to one page. Omitted rows are counted.
const (
	maxPromises  = 12
	maxDecisions = 5
)

// Decision is an open question about a result.
type Decision struct {
	Level wording.Level `json:"level"`
	// Name and ID identify the result. Both are empty for a decision about the whole review.
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`

	linked bool
}

// Linked reports whether the result has its own section on the page.
func (d Decision) Linked() bool { return d.linked }

func (b *builder) summarize(question string) {
	worstFirst := slices.Clone(b.all)
	slices.SortStableFunc(worstFirst,
		func(x, y *assess.Assessment) int { return cmp.Compare(x.Level.Rank(), y.Level.Rank()) })
	var promises, results []*assess.Assessment
	for _, a := range worstFirst {
		switch {
		case a.Kind == assess.KindPromise:
			promises = append(promises, a)
		case a.HasVerdict():
			results = append(results, a)
		}
	}
	b.setCounts(promises, results)
	b.Promises, b.Results = b.promiseTable(promises), b.resultTable(results)
	b.NotCounted = assess.NotCounted(promises)
	if question != "" {
		b.Decisions = append(b.Decisions, Decision{Level: wording.Neutral, Text: wording.Clean(question)})
	}
	b.Decisions = append(b.Decisions, b.decisions(worstFirst)...)
}

var otherResults = strings.NewReplacer("Every result with a verdict holds", "All other results hold",
	"result with a verdict", "other result", "results with a verdict", "other results")

func (b *builder) setCounts(promises, results []*assess.Assessment) {
	countLevels := func(all []*assess.Assessment) map[wording.Level]int {
		numbers := make(map[wording.Level]int)
		for _, a := range all {
			if !a.HasVerdict() { // a tier without VMs promises nothing
				continue
			}
			numbers[a.Level]++
			if a.Level.Rank() < b.Verdict.Rank() {
				b.Verdict = a.Level
			}
		}
		return numbers
	}
	promiseCounts, resultCounts := countLevels(promises), countLevels(results)
	if n := len(b.document.Open()); n > 0 {
		resultCounts[wording.Unknown] += n
		if wording.Unknown.Rank() < b.Verdict.Rank() {
			b.Verdict = wording.Unknown
		}
	}
	for _, level := range wording.Levels {
		if n := promiseCounts[level] + resultCounts[level]; n > 0 {
			b.Counts = append(b.Counts, Count{level, n})
		}
	}
	switch {
	case len(promises) > 0:
		b.Headline = assess.Headline(promises)
		if n := b.document.BlockedVMs(); n > 0 {
			b.Headline = plan.Count(float64(n), "VM") + " cannot be replicated. " + toOthers.Replace(b.Headline)
		}
		if len(resultCounts) > 0 {
			b.Headline += " " + otherResults.Replace(wording.Headline(resultCounts))
		}
	case len(b.Sections) == 0 && len(resultCounts) == 0:
		b.Headline = "The file contains no vsla results."
	case len(resultCounts) == 0:
		b.Headline = "No result in the file has a verdict."
	default:
		b.Headline = wording.Headline(resultCounts)
	}
}

// toOthers changes a headline to concern the VMs that can be replicated.
var toOthers = strings.NewReplacer("The promise holds.", "The promise to the others holds.", " promises hold.",
	" promises to the others hold.")

// promiseTable returns a table of the promises, worst first. It omits empty columns.
func (b *builder) promiseTable(promises []*assess.Assessment) Table {
	measured := b.measuredByTier()
	t := newTable("Promises", "Promise", "Promised", "Does it hold?", "Configure", "Link needs", "#Late VMs",
		"#Within RPO", "#At the worse end", "Holds for", "Measured")
	for _, a := range promises {
		p, _ := assess.As[*assess.Promise](a)
		late, likely, worse, setting, need := "", "", "", "", ""
		if p != nil {
			late, likely = plan.Thousands(float64(p.LateVMCount), 0), withinRPOText(p.WithinRPOPercent)
			worse, setting, need = withinRPOText(p.WorseEndWithinRPOPercent), p.Setting(), p.Need(a.Key)
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: a.Title, Link: b.link(a)},
			{Text: a.Texts.Promise},
			levelCell(a.Level),
			{Text: setting},
			{Text: need},
			{Text: late},
			{Text: likely},
			{Text: worse},
			{Text: b.endText(a)},
			{Text: measured[a.Key]},
		})
	}
	t.dropEmptyColumns()
	t.limitToWorst("promise")
	return t
}

// dropEmptyColumns removes the columns without any text, and marks the empty cells of the others.
func (t *Table) dropEmptyColumns() {
	kept := Table{Numeric: map[int]bool{}}
	rows := make([][]Cell, len(t.Rows))
	for i, title := range t.Columns {
		if i > 0 && !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" }) {
			continue
		}
		kept.Numeric[len(kept.Columns)] = t.Numeric[i]
		kept.Columns = append(kept.Columns, title)
		for n, row := range t.Rows {
			row[i].Text = cmp.Or(row[i].Text, wording.None)
			rows[n] = append(rows[n], row[i])
		}
	}
	t.Columns, t.Numeric, t.Rows = kept.Columns, kept.Numeric, rows
}

func withinRPOText(percent *float64) string {
	if percent == nil {
		return ""
	}
	return wording.Value("within_rpo_percent", *percent)
}

func (b *builder) measuredByTier() map[string]string {
	texts := make(map[string]string)
	for _, a := range b.all {
		if c, ok := assess.As[*assess.Compliance](a); ok {
			for tier := range c.Periods {
				p := c.Periods[tier]
				texts[tier] = assess.FloorPercent(p.CompliancePercent)
			}
		}
	}
	return texts
}

func (b *builder) resultTable(results []*assess.Assessment) Table {
	t := newTable("Single results", "Result", "Promised", "Does it hold?", "Configure", "Link needs", "Certainty",
		"Holds for")
	countByTitle := make(map[string]int)
	for _, a := range results {
		countByTitle[a.Title]++
	}
	for _, a := range results {
		name := a.Title
		if countByTitle[name] > 1 {
			name += ", " + strings.ToLower(a.Kind.Title)
		}
		setting, need := "", ""
		if e, ok := assess.As[assess.Estimate](a); ok {
			setting = assess.EstimateSetting(&e)
			if mbps := e.Result.ThroughputNeededMbps; mbps != nil {
				need = quantity.CeilMbps(*mbps)
			}
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: name, Link: b.link(a)},
			{Text: a.Texts.Promise},
			levelCell(a.Level),
			{Text: setting},
			{Text: need},
			{Text: a.Texts.Certainty},
			{Text: b.endText(a)},
		})
	}
	for _, o := range b.document.Open() {
		row := []Cell{{Text: o.Name}, {}, levelCell(wording.Unknown), {}, {}, {}, {}}
		position := slices.IndexFunc(t.Rows, func(r []Cell) bool { return r[2].Level.Rank() > wording.Unknown.Rank() })
		if position < 0 {
			position = len(t.Rows)
		}
		t.Rows = slices.Insert(t.Rows, position, row)
	}
	t.dropEmptyColumns()
	t.limitToWorst("result")
	return t
}

func (t *Table) limitToWorst(what string) {
	if len(t.Rows) > maxPromises {
		t.Note = "The worst " + plan.Thousands(maxPromises, 0) + " of " + wording.Count(len(t.Rows), what) +
			". The sections below contain all of them."
		t.Rows = t.Rows[:maxPromises]
	}
}

// endText describes when the growth of the data will put a promise at risk or break it. It returns an empty
// string for results without an outlook and for hidden results.
func (b *builder) endText(a *assess.Assessment) string {
	e := a.Texts.Outlook
	if e == nil || a.Hidden() {
		return ""
	}
	first := e.First()
	switch {
	case first == nil && !e.HasGrowth:
		return "no growth rate"
	case first == nil:
		return "more than " + wording.Months(e.HorizonMonths)
	}
	return b.describeEnds(e)
}

func (b *builder) describeEnds(e *assess.Outlook) string {
	var parts []string
	if e.MonthsUntilAtRisk != nil && (e.MonthsUntilMiss == nil || *e.MonthsUntilAtRisk < *e.MonthsUntilMiss) {
		text := "at risk "
		if *e.MonthsUntilAtRisk == 0 {
			text += "today"
		} else {
			text += inMonths(b.date, *e.MonthsUntilAtRisk)
		}
		parts = append(parts, text)
	}
	switch {
	case e.MonthsUntilMiss == nil:
	case *e.MonthsUntilMiss == 0:
		parts = append(parts, "does not hold today")
	default:
		parts = append(parts, "misses its RPO "+inMonths(b.date, *e.MonthsUntilMiss))
	}
	return strings.Join(parts, ", and ")
}

func pluralVerb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (b *builder) decisions(worstFirst []*assess.Assessment) []Decision {
	var open []Decision
	unknown, holds := 0, false
	for _, a := range worstFirst {
		switch a.Level {
		case wording.Misses, wording.AtRisk:
			open = append(open, b.newDecision(a, decisionText(a)))
		case wording.Unknown:
			unknown++
		case wording.Holds:
			holds = true
		case wording.Neutral: // no decision needed
		}
	}
	for _, o := range b.document.Open() {
		open = append(open, Decision{Level: wording.Unknown, Name: o.Name, Text: o.Text})
	}
	list := open[:min(len(open), maxDecisions):min(len(open), maxDecisions)]
	if more := len(open) - maxDecisions; more > 0 {
		list = append(list, Decision{
			Level: open[maxDecisions].Level, Text: wording.Count(more, "more result") + " " + pluralVerb(more, "does", "do") +
				" not hold, " + pluralVerb(more, "is", "are") + " at risk or not known. See the sections below.",
		})
	}
	if unknown > 0 {
		list = append(list, Decision{
			Level: wording.Unknown, Text: wording.Count(unknown, "result") + " " + pluralVerb(unknown, "is", "are") +
				" not known or withheld. Decide after apply, or when the figures are available.",
		})
	}
	if a := b.firstToEnd(worstFirst); len(list) == 0 && a != nil {
		list = append(list, b.newDecision(
			a, "Approve the promises and plan capacity. This is the first that no longer holds: "+b.endText(a)+"."))
	}
	if len(list) == 0 {
		text := "All SLAs hold; no action needed."
		switch {
		case !holds:
			text = "No result has a verdict, so there is nothing to approve. The figures are below."
		case len(b.Notes) > 0:
			text = "All SLAs hold, but read the notes."
		}
		list = append(list, Decision{Level: wording.Neutral, Text: text})
	}
	return list
}

// firstToEnd returns, of the results that hold today, the one whose verdict will be the first to get worse within its
// horizon. It returns nil if there is none.
func (b *builder) firstToEnd(all []*assess.Assessment) *assess.Assessment {
	var found *assess.Assessment
	for _, a := range all {
		if e := a.Texts.Outlook; a.Hidden() || a.Level != wording.Holds || e == nil || e.First() == nil {
			continue
		}
		if found == nil || *a.Texts.Outlook.First() < *found.Texts.Outlook.First() {
			found = a
		}
	}
	return found
}

func (b *builder) newDecision(a *assess.Assessment, text string) Decision {
	return Decision{a.Level, a.Title, b.anchors[a], wording.Plain(text), b.isDetailed[a]}
}

// link returns the anchor of a result that has its own section on the page, or an empty string for any other result.
func (b *builder) link(a *assess.Assessment) string {
	if b.isDetailed[a] {
		return b.anchors[a]
	}
	return ""
}

func decisionText(a *assess.Assessment) string {
	if a.Hidden() {
		return "The figures are withheld. Ask the author of the plan."
	}
	if len(a.Reasons) > 0 {
		return strings.TrimSpace(a.Reasons[0].Text() + " " + a.Remedy())
	}
	return cmp.Or(a.Remedy(), a.Summary)
}
