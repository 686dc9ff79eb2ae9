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
func (r *Review) summarize(all []known, c Cover, date time.Time) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b known) int { return cmp.Compare(a.subject.Level.rank(), b.subject.Level.rank()) })
	r.Promises = promiseTable(all, date)
	r.Until = untilWhen(all, date)
	if c.Decision != "" {
		r.Decisions = append(r.Decisions, Decision{Level: Neutral, Text: clean(c.Decision)})
	}
	var links []Decision
	if r.Link != nil {
		links = r.Link.worst
	}
	r.Decisions = append(r.Decisions, decisions(all, links, date)...)
}

// hidden reports whether the values of a result must not or cannot be shown.
func (k known) hidden() bool { return k.deferred != "" || len(k.sensitive) > 0 }

func promiseTable(all []known, date time.Time) Table {
	t := newTable("Promises", "Promise", "What is promised", "Does it hold?", "How sure", "Until when")
	all = slices.DeleteFunc(slices.Clone(all), func(k known) bool {
		return k.subject.Level == Neutral && !kindOf(k.kind).always
	})
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
	if more := len(t.Rows) - maxPromises; more > 0 {
		t.Note = "The worst " + count(maxPromises, "promise") + " of " + plan.Thousands(float64(len(t.Rows)), 0) +
			"; all are in the sections below."
		t.Rows = t.Rows[:maxPromises]
	}
	return t
}

// end returns until when an estimate holds, by its growth.
func end(in *instance, date time.Time) string {
	if in.kind != estimateType {
		return ""
	}
	if _, grows := in.number("growth_percent_per_year"); !grows {
		return "no growth given"
	}
	if _, ends := in.number("months_until_at_risk"); ends {
		return strings.TrimPrefix(ending(in, date), "is ")
	}
	return "longer than " + months(in.inputOr("horizon_months"))
}

// ending returns when an estimate with growth ends.
func ending(in *instance, date time.Time) string {
	risk, _ := in.number("months_until_at_risk")
	miss, misses := in.number("months_until_miss")
	switch {
	case misses && miss == 0:
		return "does not hold today"
	case risk == 0 && !misses:
		return "is at risk today"
	case risk == 0:
		return "is at risk today, and misses its RPO " + inMonths(date, miss)
	case misses:
		return "is at risk " + inMonths(date, risk) + ", and misses its RPO " + inMonths(date, miss)
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

// untilWhen returns sentences with the ends of the first promises.
func untilWhen(all []known, date time.Time) []string {
	var ends []known
	without, grown := 0, 0
	for _, k := range all {
		if k.kind != estimateType || k.hidden() {
			continue
		}
		if _, grows := k.number("growth_percent_per_year"); !grows {
			without++
			continue
		}
		grown++
		if _, ok := k.number("months_until_at_risk"); ok {
			ends = append(ends, k)
		}
	}
	slices.SortStableFunc(ends, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.until("months_until_at_risk"), b.until("months_until_at_risk")),
			cmp.Compare(a.until("months_until_miss"), b.until("months_until_miss")))
	})
	sentences := []string{}
	for _, k := range ends[:min(len(ends), maxDecisions)] {
		sentences = append(sentences, k.subject.Name+" "+ending(k.instance, date)+".")
	}
	if more := len(ends) - maxDecisions; more > 0 {
		sentences = append(sentences, count(more, "more estimate")+" "+verb(more, "ends", "end")+" later.")
	}
	if still := grown - len(ends); still > 0 {
		sentences = append(sentences, count(still, "estimate")+" with growth "+verb(still, "holds", "hold")+
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

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// decisions are derived from the results that do not hold, are at risk or are not known, and from growth.
func decisions(all []known, links []Decision, date time.Time) []Decision {
	var list []Decision
	open, unknown := 0, 0
	for _, k := range all {
		switch k.subject.Level {
		case Misses, AtRisk:
			if open++; open > maxDecisions {
				continue
			}
			list = append(list, k.decision(k.options()))
		case Unknown:
			unknown++
		case Holds, Neutral: // nothing to decide
		}
	}
	if more := open - maxDecisions; more > 0 {
		list = append(list, Decision{Level: Misses, Text: count(more, "more result") + " " +
			verb(more, "does", "do") + " not hold or " + verb(more, "is", "are") + " at risk: see the sections below."})
	}
	list = append(list, links[:min(len(links), maxLinks)]...)
	if unknown > 0 {
		list = append(list, Decision{Level: Unknown, Text: count(unknown, "result") + " " + verb(unknown, "is", "are") +
			" not known or withheld: decide after the apply, or with the figures at hand."})
	}
	if soon := endsLater(all); len(list) == 0 && len(soon) > 0 {
		k := soon[0]
		risk, _ := k.number("months_until_at_risk")
		list = append(list, k.decision("Approve the promises, and plan more throughput: this one ends first, at risk "+
			inMonths(date, risk)+"."))
	}
	if len(list) == 0 {
		text := "All SLAs hold; no action needed."
		if !slices.ContainsFunc(all, func(k known) bool { return k.subject.Level == Holds }) {
			text = "No result carries a verdict, so there is nothing to approve; the figures are below."
		}
		list = append(list, Decision{Level: Neutral, Text: text})
	}
	return list
}

// endsLater returns the estimates that hold today and end within their horizon, the first to end first.
func endsLater(all []known) []known {
	var soon []known
	for _, k := range all {
		if risk, ok := k.number("months_until_at_risk"); ok && risk > 0 && !k.hidden() {
			soon = append(soon, k)
		}
	}
	slices.SortStableFunc(soon, func(a, b known) int {
		return cmp.Compare(a.until("months_until_at_risk"), b.until("months_until_at_risk"))
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
	var options []string
	if p := kindOf(k.kind); p.options != nil {
		options = p.options(k.instance)
	}
	if len(options) == 0 {
		if len(k.subject.Reasons) > 0 {
			return k.subject.Reasons[0].text()
		}
		return k.subject.Summary
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
