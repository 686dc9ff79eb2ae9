package doctor

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MaxReport is the maximum length of a report in characters. A GitHub issue is limited to 65,536 characters, including
// the questions of the issue form.
const MaxReport = 60_000

const preface = "This report is intended for publication. It contains no names, IDs, addresses, users, passwords or " +
	"session IDs. Requests are shown as path templates and documented field names. Everything else in them is " +
	"replaced by placeholders in braces. Read the report before you publish it.\n"

// WriteMarkdown writes the report as Markdown. It omits requests at the end if the report would otherwise exceed
// MaxReport.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n# vsla doctor\n\n", r.Answer())
	if r.Full {
		b.WriteString(preface + "\n")
	}
	fmt.Fprintf(&b, "vsla %s (commit %s). Nothing was changed.\n\n", buildOf(r.Version), buildOf(r.Commit))
	r.writeSections(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// ownBuild matches versions and commits of builds from this repository.
var ownBuild = regexp.MustCompile(`^(dev|unknown|\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]{1,64})?|[0-9a-f]{7,40}(-dirty)?)$`)

func buildOf(s string) string {
	if ownBuild.MatchString(s) {
		return s
	}
	return "{another build}"
}

// Summary returns a sentence such as "12 checks ok, 1 differs, 5 unknown.".
func (r *Report) Summary() string {
	return fmt.Sprintf("%s ok, %s, %d unknown.",
		countText(r.Count(OK), "check", "checks"), countText(r.Count(Differs), "differs", "differ"), r.Count(Unknown))
}

func (e exchange) text() string {
	status := "no response:"
	if e.status > 0 {
		status = strconv.Itoa(e.status)
	}
	if e.errorText != "" {
		status += " " + e.errorText
	}
	s := fmt.Sprintf("%s\n  %s, %s, %s", e.request, status, countText(e.count, "time", "times"), duration(e.minTime))
	if e.maxTime.Truncate(time.Millisecond) > e.minTime.Truncate(time.Millisecond) {
		s += " to " + duration(e.maxTime)
	}
	if e.bytes > 0 {
		s += ", " + countText(e.bytes, "byte", "bytes")
	}
	s += "\n"
	if e.requestFields != "" {
		s += "  request fields: " + e.requestFields + "\n"
	}
	if e.responseFields != "" {
		s += "  response fields: " + e.responseFields + "\n"
	}
	return s
}

func duration(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
