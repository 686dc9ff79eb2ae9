package report

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// maxPromises limits the tables of the summary to one page. Omitted rows are counted.
const maxPromises = 12

func (b *builder) summarize(question string) {
	var promises, results []*assess.Assessment
	for _, a := range b.all {
		switch {
		case a.Kind == assess.KindPromise:
			promises = append(promises, a)
		case a.HasVerdict():
			results = append(results, a)
		}
	}
	b.setHeadline(promises, results)
	b.Promises = b.promiseTable(promises)
	b.Results = b.resultTable(results)
	b.setBasis(promises)
	b.Decision = question
	for _, o := range b.document.Open() {
		b.Notes = append(b.Notes, o.Name+": "+o.Text)
	}
}

// setBasis sets what the promises rest on: the load of each link, the initial sync, and what is assumed.
func (b *builder) setBasis(promises []*assess.Assessment) {
	for _, a := range b.all {
		if l, ok := assess.As[*assess.Link](a); ok && !a.Hidden() && len(l.Promises) > 0 {
			b.Loads = append(b.Loads, l.Load(a.Key))
		}
	}
	for _, text := range []string{
		assess.InSync(promises), assess.Assumed(b.all), assess.Windows(b.all), assess.NotCounted(promises),
	} {
		if text != "" {
			b.Basis = append(b.Basis, text)
		}
	}
}

func (b *builder) setHeadline(promises, results []*assess.Assessment) {
	others := assess.CountLevels(results)
	if n := len(b.document.Open()); n > 0 {
		others[plan.Unknown] += n
	}
	b.Verdict = assess.WorstLevel(others, assess.CountLevels(promises))
	switch {
	case len(promises) > 0:
		b.Headline = assess.FullHeadline(promises, others, b.document.BlockedVMs())
	case len(b.Sections) == 0 && len(others) == 0:
		b.Headline = "The file contains no vsla results."
	case len(others) == 0:
		b.Headline = "No result in the file has a verdict."
	default:
		b.Headline = wording.Headline(others)
	}
}

// helpText returns the first remedy of a result that does not hold or, if there is none, why not, or otherwise its
// first reason. What blocks a migration stands before its remedy. A remedy that an earlier result has is not repeated.
func helpText(a *assess.Assessment, firstByRemedy map[string]string) string {
	blockers := a.Blockers()
	hasRemedy := len(a.Texts.Options) > 0
	switch {
	case a.Level == plan.Meets || a.Level == plan.Neutral:
		return ""
	case a.Hidden():
		return "The figures are withheld. Ask the author of the plan."
	case len(blockers) > 0:
		texts := make([]string, 0, len(blockers)+1)
		for _, reason := range blockers {
			texts = append(texts, wording.Plain(reason.Text()))
		}
		if hasRemedy {
			texts = append(texts, remedyText(a, firstByRemedy))
		}
		return strings.Join(texts, " ")
	case hasRemedy && a.Level != plan.Unknown:
		return remedyText(a, firstByRemedy)
	case len(a.Reasons) == 0:
		return wording.Plain(a.Summary)
	}
	reason := a.Reasons[0]
	for _, r := range a.Reasons {
		if r.Code == "size_unknown" && a.Level == plan.Unknown || r.Code == "no_remedy" {
			reason = r
		}
	}
	text := wording.Plain(reason.Text())
	if hasRemedy {
		text += " For the others: " + remedyText(a, firstByRemedy)
	}
	return text
}

func remedyText(a *assess.Assessment, firstByRemedy map[string]string) string {
	remedy := a.Texts.Options[0]
	if first, repeated := firstByRemedy[remedy]; repeated {
		return "as for " + first
	}
	firstByRemedy[remedy] = a.Title
	return wording.Capital(remedy)
}

// promiseTable returns a table of the promises, worst first. It omits empty columns.
func (b *builder) promiseTable(promises []*assess.Assessment) Table {
	measured := b.measuredByTier()
	t := newTable("Promises", "Promise", "Promised", "#VMs", "Does it hold?", "Configure", "#Within RPO",
		"#At the worse end", "Oldest recovery point", "Holds until", "Measured", "What would help")
	firstByRemedy := make(map[string]string)
	for _, a := range promises {
		promised := a.Texts.Promise
		count := ""
		likely := ""
		worse := ""
		setting := ""
		oldest := ""
		if p, ok := assess.As[*assess.Promise](a); ok {
			count = plan.Thousands(float64(p.VMCount), 0)
			likely = p.Within()
			oldest = p.Worst()
			worse = withinRPOText(p.WorseEndWithinRPOPercent)
			setting = p.Setting()
			if p.Plan.NoInput == nil {
				promised = wording.RPO(p.Tier.RPOMinutes)
			}
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: a.Title, Link: b.link(a)},
			{Text: promised},
			{Text: count},
			levelCell(a.Level),
			{Text: setting},
			{Text: likely},
			{Text: worse},
			{Text: oldest},
			{Text: b.endText(a)},
			{Text: measured[a.Key]},
			{Text: helpText(a, firstByRemedy)},
		})
	}
	t.dropEmptyColumns()
	t.limitToWorst("promise")
	return t
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
	t := newTable("Single results", "Result", "Promised", "Does it hold?", "Outcome", "Configure", "Link needs",
		"Certainty", "Holds until", "What would help")
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
			{Text: a.Texts.Outcome},
			{Text: setting},
			{Text: need},
			{Text: a.Texts.Certainty},
			{Text: b.endText(a)},
			{Text: helpText(a, make(map[string]string))},
		})
	}
	const verdictColumn = 2
	isBetter := func(row []Cell) bool { return plan.Rank(row[verdictColumn].Level) < plan.Rank(plan.Unknown) }
	for _, o := range b.document.Open() {
		row := []Cell{{Text: o.Name}, {}, levelCell(plan.Unknown), {}, {}, {}, {}, {}, {Text: o.Text}}
		position := slices.IndexFunc(t.Rows, isBetter)
		if position < 0 {
			position = len(t.Rows)
		}
		t.Rows = slices.Insert(t.Rows, position, row)
	}
	t.dropEmptyColumns()
	t.limitToWorst("result")
	return t
}

// endText describes when the growth of the data will put a promise at risk or break it. It returns an empty
// string for results without an outlook or a verdict and for hidden results.
func (b *builder) endText(a *assess.Assessment) string {
	if a.Texts.Outlook == nil || a.Hidden() || !a.HasVerdict() {
		return ""
	}
	return a.Texts.Outlook.Text(b.date)
}
