// The whole link: all estimates that share it, one after the other.

package report

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/report/related"
)

// WholeLink sums up the estimates of each link.
type WholeLink struct {
	Tables  []Table  `json:"tables"`
	Figures []Figure `json:"figures"`
	// Notes are about estimates that name no link.
	Notes []string `json:"notes"`
	// lines are the links with all estimates together.
	lines []Decision
}

const (
	// maxLinks is how many links have a figure, one where there are many results, and linkBars how many bars it has.
	maxLinks = 3
	linkBars = 12
)

// wholeLink adds up the estimates by link; nil without any estimate that could share one. A schedule of all estimates
// of a link replaces their sum.
func wholeLink(all []known) *WholeLink {
	var subjects []known
	alone := 0
	for _, k := range all {
		if k.kind != estimateType || k.hidden() || k.result {
			continue
		}
		subjects = append(subjects, k)
		if k.text("link") == "" {
			alone++
		}
	}
	if len(subjects) < 2 {
		return nil
	}
	w := &WholeLink{Tables: []Table{}, Figures: []Figure{}, Notes: []string{}}
	links, figures := byLink(subjects), maxLinks
	maps.DeleteFunc(links, func(_ string, estimates []known) bool {
		return !slices.ContainsFunc(estimates, func(k known) bool { return !k.simulated })
	})
	if len(all) > manyResults {
		figures = 1
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		if len(links[name]) < 2 {
			continue
		}
		if len(w.Figures) < figures {
			w.Figures = append(w.Figures, linkFigure(name, links[name]))
		}
		w.lines = append(w.lines, linkDecision(name, links[name]))
	}
	if len(w.Figures) > 0 {
		w.Tables = append(w.Tables, sharedLinks(links))
	}
	if alone > 1 {
		w.Notes = append(w.Notes, count(alone, "estimate")+" "+verb(alone, "names", "name")+" no link, so that each is "+
			"judged alone. If they share a link, give them the same `link`: they are added up here then.")
	}
	if len(w.Figures)+len(w.Notes) == 0 {
		return nil
	}
	return w
}

// linkUse adds up the estimates of a link: their cycles as shares of their RPOs, and their use of the link in a day.
func linkUse(estimates []known) (cycles, daily float64) {
	for _, k := range estimates {
		cycle, _ := k.number("rpo_used_percent")
		use, _ := k.number("daily_link_use_percent")
		cycles, daily = cycles+cycle, daily+use
	}
	return cycles, daily
}

// linkDecision is whether all estimates of a link hold together, and what has to be decided where they do not.
func linkDecision(link string, estimates []known) Decision {
	cycles, daily := linkUse(estimates)
	d := Decision{Level: related.Together(cycles, daily), Name: "all on " + nameOfLink(link), ID: idLink, linked: true}
	switch {
	case d.Level == Holds:
		d.Text = "All estimates hold together."
	case daily > 100:
		d.Text = fmt.Sprintf("A day's changes take %s of what the link carries in a day: provide more, or replicate less.",
			format("_percent", daily))
	default:
		d.Text = fmt.Sprintf("The busiest cycles take %s of their RPOs together: provide more throughput, or show by a "+
			"replication schedule that they are not busy at the same time.", format("_percent", cycles))
	}
	return d
}

// nameOfLink returns the name of a link by its label. A review of a file has one link without a name.
func nameOfLink(label string) string {
	if label == "link" {
		return "the link"
	}
	return "the link " + label
}

// byLink sorts estimates by the label of their link; those without one are left out.
func byLink(subjects []known) map[string][]known {
	links := make(map[string][]known)
	for _, k := range subjects {
		if name := k.text("link"); name != "" {
			links[name] = append(links[name], k)
		}
	}
	return links
}

// linkFigure draws the estimates of a link one after the other, and all of them together.
func linkFigure(link string, estimates []known) Figure {
	used := func(k known) float64 { v, _ := k.number("rpo_used_percent"); return v }
	whole, daily := linkUse(estimates)
	level := related.Together(whole, daily)
	bars := chart.Bars{Guides: shareGuides}
	data := newTable("All estimates on "+nameOfLink(link), "Estimate", "#One cycle's changes", "#Of the RPO", "#Added up")
	shown, note := worst(estimates, linkBars-2, "estimate", used)
	data.Note = note
	at, most := 0.0, min(max(110, whole), maxPercent)
	add := func(name string, from, to float64, tone chart.Tone, time string) {
		text := format("_percent", to-from)
		if to > maxPercent {
			text += " »"
		}
		bars.Rows = append(bars.Rows, chart.Row{Label: name, From: from, To: to, Text: text, Tone: tone})
		data.add(name, time, format("_percent", to-from), format("_percent", to))
	}
	for _, k := range shown {
		add(k.subject.Name, at, at+used(k), chart.Plain, k.format("ongoing_sync_seconds"))
		at += used(k)
	}
	if rest := len(estimates) - len(shown); rest > 0 {
		add(count(rest, "other estimate"), at, whole, chart.Plain, none)
	}
	add("all together", 0, whole, level.Tone(), none)
	bars.Scale = chart.Scale{
		Max: most, Format: func(v float64) string { return decimal(v) + "%" },
		Label: "cycles as shares of their RPOs, added up" + beyond(most),
	}
	return Figure{
		Title: "All estimates on " + nameOfLink(link),
		Description: fmt.Sprintf("A bar for each of %s, each beginning where the one before ends: how much of its RPO a "+
			"cycle takes on the link. Together they take %s (%s).", count(len(estimates), "estimate"),
			format("_percent", whole), level.Word()),
		Data: data, Chart: bars,
	}
}

// shareGuides are at half the RPO and at all of it.
var shareGuides = []chart.Guide{
	{Value: 50, Label: "half the RPO", Tone: chart.Good},
	{Value: 100, Label: "RPO", Tone: chart.Bad},
}
