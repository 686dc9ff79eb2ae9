package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

//go:embed page.html.tmpl
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"word": wording.LevelWord}).Parse(pageText))

// Views combine the parts of a review with drawings and table classes for the page.
type (
	tableView struct {
		Table Table
		Class string
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

// WriteHTML writes the review as a self-contained page. The page contains no scripts and loads nothing; its content
// security policy forbids both.
func (r *Review) WriteHTML(w io.Writer) error {
	l := &layout{classes: make(map[string]string)}
	data := struct {
		Review      *Review
		Policy      string
		Style       template.CSS
		Terraform   bool
		Promises    tableView
		Results     tableView
		Managed     []tableView
		Assumptions []tableView
		Changes     []tableView
		Sections    []sectionView
		Footer      template.HTML
	}{
		Review:      r,
		Terraform:   r.Source.Kind != document.Inventory,
		Promises:    l.table(r.Promises),
		Results:     l.table(r.Results),
		Assumptions: l.tables(r.Assumptions),
		Footer:      Footer(r.Source.Files, r.Date, r.Version),
	}
	if r.Managed != nil {
		data.Managed = l.tables([]Table{*r.Managed})
	}
	if r.Changes != nil {
		data.Changes = l.tables(r.Changes.Tables)
	}
	for _, s := range r.Sections {
		view := sectionView{Section: s, Figures: l.figures(s.Figures, s.ID), Tables: l.tables(s.Tables)}
		for _, subject := range s.Subjects {
			if subject.Detailed {
				view.Subjects = append(
					view.Subjects,
					subjectView{subject, l.figures(subject.Figures, subject.ID), l.tables(subject.Tables)},
				)
			}
		}
		data.Sections = append(data.Sections, view)
	}
	css := l.stylesheet()
	data.Style = template.CSS(css) //nolint:gosec // from this package; cssString escapes titles
	sum := sha256.Sum256([]byte(css))
	data.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
	return page.Execute(w, data)
}

func (l *layout) table(t Table) tableView { return tableView{t, l.class(&t)} }

func (l *layout) tables(all []Table) []tableView {
	views := make([]tableView, 0, len(all))
	for _, t := range all {
		views = append(views, l.table(t))
	}
	return views
}

// figures draws each figure for a desktop screen and for a phone. The style sheet shows one of the two.
func (l *layout) figures(all []Figure, id string) []figureView {
	views := make([]figureView, 0, len(all))
	for i, f := range all {
		draw := func(width float64, suffix string) template.HTML {
			d := f.Chart.Draw(width)
			svg := d.SVG(fmt.Sprintf("%s-chart%d-%s", id, i+1, suffix), f.Title, f.Description)
			return template.HTML(svg) //nolint:gosec // package chart escapes all text
		}
		views = append(views, figureView{f, draw(chart.Wide, "wide"), draw(chart.Narrow, "narrow"), l.table(f.Data)})
	}
	return views
}

// Style returns the style sheet of the page, so that other pages can look the same.
func Style() string { return style }
