package doctor

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/report/markdown"
)

// Result is the result of a check.
type Result string

// OK means that the system behaves as vsla assumes. Differs means that it does not. Unknown means that the check could
// not be performed.
const (
	OK      Result = "ok"
	Differs Result = "differs"
	Unknown Result = "unknown"
)

// Check is the result of checking one assumption.
type Check struct {
	ID     string
	Result Result
	// Meaning explains the result in one sentence.
	Meaning string
}

type section []string

func (s *section) add(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// Report is the result of a run. It contains no object names.
type Report struct {
	Version, Commit string
	// Full includes everything that was read in the written report.
	Full bool
	// Failed contains a sentence for each examination that ended early.
	Failed section
	// VCenter describes vCenter. Replication describes replication as seen by vCenter. Appliance and Protection
	// describe the vSphere Replication and vSAN Data Protection appliances.
	VCenter     section
	Replication section
	Appliance   section
	Protection  section
	Checks      []Check
	// Unclosed is the number of sessions that could not be closed. Interrupted is true if the user interrupted the run.
	Unclosed    int
	Interrupted bool

	permissions, limits [][]string
	// noVCenter is true if vCenter could not be examined. lacking contains the missing privileges of each feature, and
	// unset the variables of the systems that were not examined.
	noVCenter bool
	lacking   section
	unset     []string

	loginRefused bool
	exchanges    []exchange
	requests     int
}

// Count returns the number of checks with the given result.
func (r *Report) Count(result Result) int {
	n := 0
	for _, c := range r.Checks {
		if c.Result == result {
			n++
		}
	}
	return n
}

func (r *Report) addCheck(id string, result Result, meaning string) {
	r.Checks = append(r.Checks, Check{ID: id, Result: result, Meaning: meaning})
}

// Answer states in one line whether Terraform can be used with these settings, and what is missing.
func (r *Report) Answer() string {
	answer := []string{"You may start."}
	switch {
	case r.Interrupted:
		answer[0] = "It is not known whether you may start, because the run was interrupted."
	case r.noVCenter:
		answer[0] = "You cannot start yet."
	case len(r.Failed) > 0 || len(r.lacking) > 0:
		answer[0] = "You may start, but not with everything."
	}
	answer = append(answer, r.Failed...)
	if len(r.lacking) > 0 {
		answer = append(answer, "Missing privileges on the root folder: "+strings.Join(r.lacking, "; ")+".")
	}
	if len(r.unset) > 0 {
		answer = append(answer, "Not set, so not checked: "+strings.Join(r.unset, ", ")+".")
	}
	return strings.Join(answer, " ")
}

func (r *Report) writeSections(b *strings.Builder) {
	failures := slices.Clone(r.Failed)
	if r.Interrupted {
		failures.add("The run was interrupted.")
	}
	if r.Unclosed > 0 {
		failures.add("A session could not be closed. It will expire.")
	}
	if len(failures) > 0 {
		failures.write(b, "Failures")
	}
	r.VCenter.write(b, "vCenter")
	if r.Full {
		r.Replication.write(b, "Replication in vCenter")
	}
	r.Appliance.write(b, "vSphere Replication")
	r.Protection.write(b, "vSAN Data Protection")
	var rows [][]string
	for _, c := range r.Checks {
		if r.Full || c.Result == Differs {
			rows = append(rows, []string{"`" + c.ID + "`", string(c.Result), c.Meaning})
		}
	}
	if !r.Full {
		writeTable(b, "Checks that differ", r.Summary(), rows, "check", "result", "details")
		b.WriteString(r.Summary() + " `--full` adds the privileges, limits, all checks and the requests.\n")
		return
	}
	writeTable(b, "Privileges", "On the root folder. The user can have more privileges on individual tags or objects.",
		r.permissions, "required for", "granted", "missing", "not reported")
	writeTable(b, "Limits", "vCenter settings.", r.limits, "setting", "value")
	writeTable(b, "Checks", r.Summary(), rows, "check", "result", "details")
	r.writeTranscript(b)
}

func writeTable(b *strings.Builder, title, text string, rows [][]string, columns ...string) {
	if len(rows) > 0 {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", title, text)
		markdown.Table(b, columns, nil, rows)
	}
}

func (s *section) write(b *strings.Builder, title string) {
	fmt.Fprintf(b, "## %s\n\n", title)
	times := make(map[string]int, len(*s))
	for _, sentence := range *s {
		times[sentence]++
	}
	for _, sentence := range *s {
		if n := times[sentence]; n > 1 {
			fmt.Fprintf(b, "- %s (%d times)\n", sentence, n)
		} else if n == 1 {
			fmt.Fprintf(b, "- %s\n", sentence)
		}
		delete(times, sentence)
	}
	if len(*s) == 0 {
		b.WriteString("- Not examined.\n")
	}
	b.WriteByte('\n')
}

const cutNote = "(%s of %s omitted to fit the report into an issue)\n"

func (r *Report) writeTranscript(b *strings.Builder) {
	fmt.Fprintf(b, "## Requests\n\n%s. Similar requests are shown once. Each status is followed by the error type, "+
		"the number of requests, the duration, and the size of the largest response.\n\n```text\n",
		countText(r.requests, "request", "requests"))
	const reserve = 120 // space for the note and the end of the code block
	for i, e := range r.exchanges {
		text := e.text()
		if b.Len()+len(text)+reserve > MaxReport {
			kinds, requests := 0, 0
			for _, left := range r.exchanges[i:] {
				kinds++
				requests += left.count
			}
			fmt.Fprintf(b, cutNote, countText(requests, "request", "requests"), countText(kinds, "kind", "kinds"))
			break
		}
		b.WriteString(text)
	}
	b.WriteString("```\n")
}

func knownOr(list []string, word, placeholder string) string {
	if slices.Contains(list, word) {
		return word
	}
	return placeholder
}
