// The first page: the promises, whether they hold and until when, and the decisions.

package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/plan"
)

const (
	// maxPromises and maxDecisions keep the summary on one page; omitted ones are counted.
	maxPromises  = 12
	maxDecisions = 5

	storageType     = "vsla_replica_storage"
	monthsUntilRisk = "months_until_at_risk"
	monthsUntilFull = "months_until_full"
)

// Decision is what has to be decided about a result.
type Decision struct {
	Level Level `json:"level"`
	// Name is the result's; both are empty for a decision about the whole review.
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`

	linked bool
}

// Linked reports whether the result has a separate part on the page.
func (d Decision) Linked() bool { return d.linked }

// summarize fills the first page.
func (r *Review) summarize(all []known, lines []Decision, c Cover, date time.Time) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b known) int { return cmp.Compare(a.subject.Level.Rank(), b.subject.Level.Rank()) })
	r.Promises = promiseTable(all, lines, date)
	r.Until = untilWhen(all, date)
	if c.Decision != "" {
		r.Decisions = append(r.Decisions, Decision{Level: Neutral, Text: clean(c.Decision)})
	}
	r.Decisions = append(r.Decisions, decisions(counted(all), lines, date)...)
}

// hidden reports whether the values of a result must not or cannot be shown.
func (k known) hidden() bool { return k.unread() }

// counted returns the results that no schedule stands for.
func counted(all []known) []known {
	return slices.DeleteFunc(slices.Clone(all), func(k known) bool { return k.alone })
}

// promiseTable lists what counts, the worst first, and then the estimates that are about their VMs alone.
func promiseTable(all []known, lines []Decision, date time.Time) Table {
	t := newTable("Promises", "Promise", "What is promised", "Does it hold?", "How sure", "Until when")
	all = slices.DeleteFunc(slices.Clone(all), func(k known) bool {
		return k.subject.Level == Neutral && !kindOf(k.kind).always
	})
	all = append(counted(all), slices.DeleteFunc(slices.Clone(all), func(k known) bool { return !k.alone })...)
	alike := make(map[string]int)
	for _, k := range all {
		alike[k.subject.Name]++
	}
	for _, k := range all {
		p := kindOf(k.kind)
		name := k.subject.Name
		if alike[name] > 1 {
			name += ", " + strings.ToLower(singular(k.kind))
		}
		if k.alone {
			name += ", alone on the link"
		}
		row := []Cell{
			{Text: name, Link: k.link()},
			{Text: none},
			levelCell(k.subject.Level),
			{Text: none},
			{Text: none},
		}
		if !k.hidden() {
			for i, of := range map[int]func(*instance) string{1: p.promise, 3: p.sure} {
				if of != nil {
					row[i].Text = cmp.Or(of(k.instance), none)
				}
			}
			row[4].Text = cmp.Or(end(k.instance, date), none)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, line := range lines {
		t.Rows = line.among(t.Rows)
	}
	if more := len(t.Rows) - maxPromises; more > 0 {
		t.Note = "The worst " + count(maxPromises, "promise") + " of " + plan.Thousands(float64(len(t.Rows)), 0) +
			"; all are in the sections below."
		t.Rows = t.Rows[:maxPromises]
	}
	return t
}

// among adds a row to those of the promises, behind those that are as bad.
func (d Decision) among(rows [][]Cell) [][]Cell {
	row := []Cell{{Text: d.Name}, {Text: none}, levelCell(d.Level), {Text: none}, {Text: none}}
	if d.linked {
		row[0].Link = d.ID
	}
	at := slices.IndexFunc(rows, func(row []Cell) bool { return row[2].Level.Rank() > d.Level.Rank() })
	if at < 0 {
		at = len(rows)
	}
	return slices.Insert(rows, at, row)
}

// end returns until when a result holds, by its growth.
func end(in *instance, date time.Time) string {
	switch in.kind {
	case estimateType, scheduleType:
	case storageType:
		if _, judged := in.values["fits"].(bool); !judged {
			return ""
		}
	default:
		return ""
	}
	if _, grows := in.number("growth_percent_per_year"); !grows {
		return "no growth given"
	}
	if in.ends() {
		return strings.TrimPrefix(ending(in, date), "is ")
	}
	return "longer than " + months(in.inputOr("horizon_months"))
}

// ends reports whether growth ends what a result promises.
func (in *instance) ends() bool {
	if in.kind == storageType {
		_, full := in.number(monthsUntilFull)
		return full || in.values["fits"] == false
	}
	_, ends := in.number(monthsUntilRisk)
	return ends
}

// ending returns when a result with growth ends.
func ending(in *instance, date time.Time) string {
	risk, _ := in.number(monthsUntilRisk)
	miss, misses := in.number("months_until_miss")
	full, _ := in.number(monthsUntilFull)
	switch {
	case in.kind == storageType && (in.values["fits"] == false || full == 0):
		return "does not fit today"
	case in.kind == storageType:
		return "is full " + inMonths(date, full)
	case misses && miss == 0:
		return "does not hold today"
	case risk == 0 && !misses:
		return "is at risk today"
	case risk == 0:
		return "is at risk today, and misses its RPO " + inMonths(date, miss)
	case misses && miss > risk:
		return "is at risk " + inMonths(date, risk) + ", and misses its RPO " + inMonths(date, miss)
	case misses:
		return "misses its RPO " + inMonths(date, miss)
	}
	return "is at risk " + inMonths(date, risk)
}

// until is a number of months, or more than all where there is no end.
func (k known) until(name string) float64 {
	if n, ok := k.number(name); ok {
		return n
	}
	return math.Inf(1)
}

// firstEnd is the month in which a result ends, or more than all where there is no end.
func (k known) firstEnd() float64 {
	if k.kind == storageType {
		return k.until(monthsUntilFull)
	}
	return k.until(monthsUntilRisk)
}

// untilWhen returns sentences with the ends of the first promises.
func untilWhen(all []known, date time.Time) []string {
	var ends []known
	without, grown := 0, 0
	sentences := []string{}
	for _, k := range all {
		_, grows := k.number("growth_percent_per_year")
		switch {
		case k.hidden() || end(k.instance, date) == "":
		case !grows && k.kind == estimateType:
			without++
		case !grows:
		case k.ends():
			ends = append(ends, k)
		case k.kind == scheduleType:
			sentences = append(sentences, k.subject.Name+" holds longer than "+months(k.inputOr("horizon_months"))+".")
		default:
			grown++
		}
	}
	sentences = append(sentences, endings(ends, date)...)
	if grown > 0 {
		sentences = append(sentences, count(grown, "estimate")+" with growth "+verb(grown, "holds", "hold")+
			" up to the horizon.")
	}
	if without > 0 {
		sentences = append(sentences, count(without, "estimate")+" "+verb(without, "has", "have")+
			" no growth: "+verb(without, "it is", "they are")+" about the data of today.")
	}
	if len(sentences) == 0 {
		sentences = append(sentences, "No growth rate was given, so there is no forecast.")
	}
	return sentences
}

// endings returns sentences with the ends of results, the first ones by name.
func endings(ends []known, date time.Time) []string {
	slices.SortStableFunc(ends, func(a, b known) int {
		return cmp.Or(cmp.Compare(scheduleLast(b), scheduleLast(a)), cmp.Compare(a.firstEnd(), b.firstEnd()),
			cmp.Compare(a.until("months_until_miss"), b.until("months_until_miss")))
	})
	sentences := []string{}
	for _, k := range ends[:min(len(ends), maxDecisions)] {
		name := k.subject.Name
		if k.alone {
			name += ", alone on the link,"
		}
		sentences = append(sentences, name+" "+ending(k.instance, date)+".")
	}
	if more := len(ends) - maxDecisions; more > 0 {
		sentences = append(sentences, count(more, "more result")+" "+verb(more, "ends", "end")+" later.")
	}
	return sentences
}

// scheduleLast orders results so that a schedule, which has all groups of a link, is greater than the others.
func scheduleLast(k known) int {
	if k.kind == scheduleType {
		return 1
	}
	return 0
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// decisions are derived from what does not hold, is at risk or is not known, and from growth. Lines are what
// counts and is no result.
func decisions(all []known, lines []Decision, date time.Time) []Decision {
	var open []Decision
	unknown, holds := 0, false
	for _, k := range all {
		switch k.subject.Level {
		case Misses, AtRisk:
			open = append(open, k.decision(k.options()))
		case Unknown:
			unknown++
		case Holds:
			holds = true
		case Neutral: // nothing to decide
		}
	}
	for _, line := range lines {
		if line.Level != Holds {
			open = append(open, line)
		}
	}
	slices.SortStableFunc(open, func(a, b Decision) int { return cmp.Compare(a.Level.Rank(), b.Level.Rank()) })
	list := open[:min(len(open), maxDecisions):min(len(open), maxDecisions)]
	if more := len(open) - maxDecisions; more > 0 {
		list = append(list, Decision{Level: open[maxDecisions].Level, Text: count(more, "more result") + " " +
			verb(
				more,
				"does",
				"do",
			) + " not hold, " + verb(more, "is", "are") + " at risk or not known: see the sections below."})
	}
	if unknown > 0 {
		list = append(list, Decision{Level: Unknown, Text: count(unknown, "result") + " " + verb(unknown, "is", "are") +
			" not known or withheld: decide after the apply, or with the figures at hand."})
	}
	if soon := endsLater(all, date); len(list) == 0 && len(soon) > 0 {
		k := soon[0]
		list = append(list, k.decision("Approve the promises, and plan more: this one ends first, and "+
			ending(k.instance, date)+"."))
	}
	if len(list) == 0 {
		text := "All SLAs hold; no action needed."
		if !holds {
			text = "No result carries a verdict, so there is nothing to approve; the figures are below."
		}
		list = append(list, Decision{Level: Neutral, Text: text})
	}
	return list
}

// endsLater returns the results that hold today and end within their horizon, the first to end first.
func endsLater(all []known, date time.Time) []known {
	var soon []known
	for _, k := range all {
		if !k.hidden() && end(k.instance, date) != "" && k.ends() && k.firstEnd() > 0 {
			soon = append(soon, k)
		}
	}
	slices.SortStableFunc(soon, func(a, b known) int {
		return cmp.Compare(a.firstEnd(), b.firstEnd())
	})
	return soon
}

func (k known) decision(text string) Decision {
	return Decision{k.subject.Level, k.subject.Name, k.subject.ID, text, k.subject.Detailed}
}

// link is the anchor of a result that has a separate part on the page; empty without one.
func (k known) link() string {
	if k.subject.Detailed {
		return k.subject.ID
	}
	return ""
}

// options names the changes that would make a result hold.
func (k known) options() string {
	if k.hidden() {
		return "Its figures are withheld; ask who planned it."
	}
	if remedy := k.remedy(); remedy != "" {
		return remedy
	}
	if len(k.subject.Reasons) > 0 {
		return k.subject.Reasons[0].text()
	}
	return k.subject.Summary
}

// remedy names what would make a result hold that does not; empty where that is not known.
func (k known) remedy() string {
	p := kindOf(k.kind)
	if k.hidden() || p.options == nil || k.subject.Level != Misses && k.subject.Level != AtRisk {
		return ""
	}
	options := p.options(k.instance)
	if own, _ := k.ownLevel(); own == Holds && len(k.doubts) > 0 {
		options = []string{
			"assume the same change in estimates and schedule, by peak_factor, hourly_weights or change_curve",
		}
	}
	if len(options) == 0 {
		return ""
	}
	if k.subject.Level == AtRisk {
		options = append(options, "accept the risk")
	}
	return capital(either(options)) + "."
}

// either joins what can be chosen from: "a, b, or c".
func either(options []string) string {
	switch n := len(options); n {
	case 1:
		return options[0]
	case 2:
		return options[0] + ", or " + options[1]
	default:
		return strings.Join(options[:n-1], ", ") + ", or " + options[n-1]
	}
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
