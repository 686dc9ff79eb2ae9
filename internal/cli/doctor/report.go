package doctor

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Result is the result of a check.
type Result string

// Results: the system behaves as vsla assumes, behaves differently, or could not be checked.
const (
	OK      Result = "ok"
	Differs Result = "differs"
	Unknown Result = "unknown"
)

// Check is an assumption of vsla with its result.
type Check struct {
	ID     string
	Result Result
	// Meaning is one sentence.
	Meaning string
}

// Permission lists the privileges that a part of vsla needs and their state on the root folder.
type Permission struct {
	For                     string
	Has, Lacks, NotReported []string
}

// Limit is a limit, or the reason why it cannot be read.
type Limit struct{ Name, Value string }

// Report is the result of a run. Only Left contains names.
type Report struct {
	Version, Commit string
	// VCenter and Appliance describe vCenter and the vSphere Replication appliance in sentences.
	VCenter, Appliance []string
	// Replication describes replication in vCenter, Protection the vSAN Data Protection appliance.
	Replication, Protection []string
	Permissions             []Permission
	Limits                  []Limit
	Checks                  []Check
	// Failed has a sentence for each examination that ended early.
	Failed []string
	// Written reports whether the life cycle of a tag ran. Left names created objects that were not removed.
	Written bool
	Left    []string
	// Unclosed counts sessions that were not closed. Interrupted reports an interruption by the user.
	Unclosed    int
	Interrupted bool

	loginRefused bool
	exchanges    []exchange
	requests     int
}

// Count returns the number of checks with a result.
func (r *Report) Count(result Result) int {
	n := 0
	for _, c := range r.Checks {
		if c.Result == result {
			n++
		}
	}
	return n
}

// WriteFailed reports whether a step of the life cycle failed or left an object behind.
func (r *Report) WriteFailed() bool {
	return len(r.Left) > 0 || slices.ContainsFunc(r.Checks, func(c Check) bool {
		return slices.Contains(lifeCycleIDs, c.ID) && c.Result == Differs
	})
}

func (r *Report) check(id string, result Result, meaning string) {
	r.Checks = append(r.Checks, Check{ID: id, Result: result, Meaning: meaning})
}

func (r *Report) limit(name, value string) {
	r.Limits = append(r.Limits, Limit{Name: name, Value: value})
}

// MaxReport is the maximum length in characters: an issue on GitHub has 65,536, including the questions of the form.
const MaxReport = 60_000

const preface = "This report is made to be published. Names, ids, addresses, users, passwords and session ids are " +
	"not in it: requests are shown with templates of their paths and with the names of the fields that the products " +
	"document; everything else is a placeholder in braces. Please read it nevertheless.\n"

// WriteMarkdown writes the report and as much of its transcript as MaxReport permits.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# vsla doctor\n\n%s\nvsla %s (commit %s). %s\n",
		preface, buildOf(r.Version), buildOf(r.Commit), r.changes())
	r.sections(&b)
	r.transcript(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) changes() string {
	switch {
	case !r.Written:
		return "Nothing was changed."
	case len(r.Left) > 0:
		return "A tag's life cycle was run; " + counted(len(r.Left), "object that it created is",
			"objects that it created are") +
			" left."
	default:
		return "A tag's life cycle was run, and nothing of it is left."
	}
}

// ownBuild matches versions and commits of released builds.
var ownBuild = regexp.MustCompile(`^(dev|unknown|\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]{1,64})?|[0-9a-f]{7,40}(-dirty)?)$`)

// buildOf returns a version or commit, or a placeholder for the texts of a modified build.
func buildOf(s string) string {
	if ownBuild.MatchString(s) {
		return s
	}
	return "{another build}"
}

func (r *Report) sections(b *strings.Builder) {
	if len(r.Failed) > 0 || r.Interrupted || r.Unclosed > 0 {
		b.WriteString("\n## Failures\n\n")
		list(b, r.Failed)
		if r.Interrupted {
			b.WriteString("- The run was interrupted.\n")
		}
		if r.Unclosed > 0 {
			b.WriteString("- A session could not be closed; it ends by itself.\n")
		}
	}
	b.WriteString("\n## vCenter\n\n")
	list(b, r.VCenter)
	b.WriteString("\n## Replication in vCenter\n\n")
	list(b, r.Replication)
	b.WriteString("\n## vSphere Replication\n\n")
	list(b, r.Appliance)
	b.WriteString("\n## vSAN Data Protection\n\n")
	list(b, r.Protection)
	if len(r.Permissions) > 0 {
		b.WriteString("\n## Privileges\n\nOn the root folder; on a single tag or object there may be more.\n\n" +
			"| for | has | lacks | not reported |\n| --- | --- | --- | --- |\n")
		for _, p := range r.Permissions {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", p.For, joined(p.Has), joined(p.Lacks), joined(p.NotReported))
		}
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n## Limits\n\n| limit | value |\n| --- | --- |\n")
		for _, l := range r.Limits {
			fmt.Fprintf(b, "| %s | %s |\n", l.Name, l.Value)
		}
	}
	if len(r.Checks) > 0 {
		fmt.Fprintf(b, "\n## Checks\n\n%s\n\n| check | result | meaning |\n| --- | --- | --- |\n", r.Summary())
		for _, c := range r.Checks {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.ID, c.Result, c.Meaning)
		}
	}
}

// Summary returns for example "12 checks ok, 1 differs, 5 unknown.".
func (r *Report) Summary() string {
	return fmt.Sprintf("%s ok, %s, %d unknown.",
		counted(r.Count(OK), "check", "checks"), counted(r.Count(Differs), "differs", "differ"), r.Count(Unknown))
}

func list(b *strings.Builder, sentences []string) {
	for _, s := range sentences {
		fmt.Fprintf(b, "- %s\n", s)
	}
	if len(sentences) == 0 {
		b.WriteString("- Not examined.\n")
	}
}

func joined(ids []string) string {
	if len(ids) == 0 {
		return "-"
	}
	return strings.Join(ids, ", ")
}

const cutNote = "(%s of %s left out, so that the report fits into an issue)\n"

func (r *Report) transcript(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Requests\n\n%s, those that are alike together. After a status follow the type of an error, how "+
		"often, the time, and the size of the largest answer.\n\n```text\n", counted(r.requests, "request", "requests"))
	const reserve = 120 // for the note and the end of the block
	for i, e := range r.exchanges {
		text := e.text()
		if b.Len()+len(text)+reserve > MaxReport {
			kinds, requests := 0, 0
			for _, left := range r.exchanges[i:] {
				kinds++
				requests += left.count
			}
			fmt.Fprintf(b, cutNote, counted(requests, "request", "requests"), counted(kinds, "kind", "kinds"))
			break
		}
		b.WriteString(text)
	}
	b.WriteString("```\n")
}

func (e exchange) text() string {
	status := "no answer"
	if e.status > 0 {
		status = strconv.Itoa(e.status)
	}
	if e.outcome != "" {
		status += " " + e.outcome
	}
	s := fmt.Sprintf("%s\n  %s, %s, %s", e.request, status, counted(e.count, "time", "times"), duration(e.least))
	if e.most.Truncate(time.Millisecond) > e.least.Truncate(time.Millisecond) {
		s += " to " + duration(e.most)
	}
	if e.bytes > 0 {
		s += ", " + counted(e.bytes, "byte", "bytes")
	}
	if e.elements > 0 {
		s += ", a list of " + strconv.Itoa(e.elements)
	}
	s += "\n"
	if e.asked != "" {
		s += "  asked: " + e.asked + "\n"
	}
	if e.answered != "" {
		s += "  answered: " + e.answered + "\n"
	}
	return s
}

func duration(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
