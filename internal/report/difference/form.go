// The difference as a page and for programs.

package difference

import (
	_ "embed" // for the page's template and style sheet
	"encoding/json"
	"html/template"
	"io"

	"terraform-provider-vsla/internal/report"
)

//go:embed page.html.tmpl
var pageText string

//go:embed style.css
var style string

var page = template.Must(template.New("page").Parse(pageText))

// WriteHTML writes the difference as one self-contained page: no script, nothing loaded, and a policy that forbids
// both.
func (d *Difference) WriteHTML(w io.Writer) error {
	return page.Execute(w, struct {
		Difference *Difference
		Symbol     string
		Counted    string
		Policy     string
		Style      template.CSS
		Sections   []section
	}{
		d, d.symbol(), d.counted(), report.PagePolicy(style),
		template.CSS(style), //nolint:gosec // the style sheet of this package, without any input
		d.sections(),
	})
}

// WriteJSON writes the difference as JSON.
func (d *Difference) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}
