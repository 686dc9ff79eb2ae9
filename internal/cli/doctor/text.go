package doctor

import (
	"regexp"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

var (
	version = regexp.MustCompile(`^\d{1,10}(\.\d{1,10}){0,4}$`)
	build   = regexp.MustCompile(`\d{6,}`)
)

// versionText returns a version for the report. It replaces anything that is not a version and, unless Options.Build is
// set, build numbers, because build numbers reveal missing patches.
func (s *session) versionText(text string) string {
	switch {
	case text == "":
		return "{unknown}"
	case !version.MatchString(text):
		return "{not a number}"
	case s.options.Build:
		return text
	}
	return build.ReplaceAllString(text, "{build}")
}

func joinOrDash(ids []string) string {
	if len(ids) == 0 {
		return "-"
	}
	return strings.Join(ids, ", ")
}

func countText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return plan.Thousands(float64(n), 0) + " " + many
}
