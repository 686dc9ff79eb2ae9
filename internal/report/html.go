// The page: one file that asks nothing of any network.

package report

import (
	"crypto/sha256"
	_ "embed" // for the page's template and style sheet
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"terraform-provider-vsla/internal/report/chart"
)

//go:embed page.html.tmpl
var pageText string

//go:embed style.css
var style string

var page = template.Must(template.New("page").Parse(pageText))

// findingGroup is a part of the summary: what is at one level.
type findingGroup struct {
	Title string
	// Brief: names are enough.
	Brief    bool
	Findings []finding
}

type finding struct {
	Section string
	Subject Subject
}

// The page's view of a review: what is drawn, and tables with what they are of.
type (
	tableView struct {
		Table Table
		Of    string
	}
	figureView struct {
		Figure       Figure
		Wide, Narrow template.HTML
		Table        tableView
	}
	subjectView struct {
		Subject Subject
		Figures []figureView
		Tables  []tableView
	}
	sectionView struct {
		Section  Section
		Figures  []figureView
		Tables   []tableView
		Subjects []subjectView
	}
)

// WriteHTML writes the review as one self-contained page: no script, nothing loaded, and a policy that forbids both.
func (r *Review) WriteHTML(w io.Writer) error {
	sum := sha256.Sum256([]byte(style))
	data := struct {
		Review   *Review
		Policy   string
		Style    template.CSS
		Groups   []findingGroup
		Sections []sectionView
	}{
		Review: r,
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(
			sum[:],
		) + "'; base-uri 'none'; form-action 'none'",
		Style:  template.CSS(style), //nolint:gosec // the style sheet of this package, without any input
		Groups: r.groups(),
	}
	for _, s := range r.Sections {
		view := sectionView{Section: s, Figures: figures(s.Figures, s.ID), Tables: tables(s.Tables, "")}
		for _, subject := range s.Subjects {
			view.Subjects = append(
				view.Subjects,
				subjectView{subject, figures(subject.Figures, subject.ID), tables(subject.Tables, subject.Name)},
			)
		}
		data.Sections = append(data.Sections, view)
	}
	return page.Execute(w, data)
}

// groups makes the summary's lists, the worst first.
func (r *Review) groups() []findingGroup {
	var groups []findingGroup
	for _, level := range levels {
		if level == Neutral {
			continue
		}
		g := findingGroup{Title: strings.ToUpper(level.Word()[:1]) + level.Word()[1:], Brief: level == Holds}
		for _, section := range r.Sections {
			for _, s := range section.Subjects {
				if s.Level == level {
					g.Findings = append(g.Findings, finding{section.Title, s})
				}
			}
		}
		if len(g.Findings) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func tables(all []Table, of string) []tableView {
	views := make([]tableView, 0, len(all))
	for _, t := range all {
		views = append(views, tableView{t, of})
	}
	return views
}

// figures draws each figure for a screen and for a phone; the style sheet shows one of them.
func figures(all []Figure, id string) []figureView {
	views := make([]figureView, 0, len(all))
	for i, f := range all {
		draw := func(width float64, suffix string) template.HTML {
			d := f.Chart.Draw(width)
			svg := d.SVG(fmt.Sprintf("%s-chart%d-%s", id, i+1, suffix), f.Title, f.Description)
			return template.HTML(svg) //nolint:gosec // package chart escapes its texts
		}
		views = append(views, figureView{f, draw(chart.Wide, "wide"), draw(chart.Narrow, "narrow"), tableView{f.Data, id}})
	}
	return views
}
