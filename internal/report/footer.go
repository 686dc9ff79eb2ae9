package report

import (
	_ "embed"
	"html/template"
	"strings"

	"terraform-provider-vsla/internal/assess"
)

// Footer returns the end of a page: the source files, the date and the version. In print, it also contains signature
// lines.
func Footer(files []assess.File, date, version string) template.HTML {
	var b strings.Builder
	_ = page.ExecuteTemplate(&b, "footer", struct { // writing to a strings.Builder never fails
		Files         []assess.File
		Date, Version string
		Roles         []string
	}{files, date, version, []string{"Prepared by", "Reviewed by", "Approved by"}})
	return template.HTML(b.String()) //nolint:gosec // the template escapes all text
}
