// Package format prints the gate's decision as text, JSON, a comment in Markdown, JUnit and SARIF.
package format

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/difference"
)

// Report is a decision with what it was made from.
type Report struct {
	gate.Decision

	Plan, Settings, Version string

	difference *difference.Difference
}

// Compare returns the report with the changes since a baseline in its comment. What the baseline marks as sensitive is
// withheld from all of it.
func (r Report) Compare(before, after *document.Document) Report {
	r.difference = difference.New(before, after)
	return r.Withhold(before)
}

const withheld = "(the values are withheld, because some of them are marked as sensitive)"

// Withhold returns the report without the values of results and resources of which a document marks some as sensitive,
// and without verdicts that are.
func (r Report) Withhold(d *document.Document) Report {
	results, verdicts, resources := withheldAddresses(d)
	hide := func(f *finding.Finding) {
		address := plainAddress(f.Address)
		if results[address] || resources[address] {
			f.Message = withheld
		}
		if verdicts[address] {
			f.Code = finding.Unknown
		}
		if resources[address] || results[address] && f.Code == finding.Unprotected {
			f.Subject = f.Address
		}
	}
	r.Promises, r.Denied, r.Waived = slices.Clone(r.Promises), slices.Clone(r.Denied), slices.Clone(r.Waived)
	r.Notes, r.Noted = slices.Clone(r.Notes), slices.Clone(r.Noted)
	for i := range r.Promises {
		p := &r.Promises[i]
		address := plainAddress(p.Address)
		if !results[address] {
			continue
		}
		p.Message = withheld
		p.Configured = 0
		p.RPOMinutes = 0
		p.VMs = 0
		p.HoldsBy = ""
		p.Reasons = nil
		if verdicts[address] {
			p.Level = plan.Unknown
			p.Code = finding.Unknown
			r.Level = plan.Unknown
			r.Headline = map[bool]string{true: "Passes", false: "Denied"}[r.Passes] + ": verdicts are withheld."
		}
	}
	for i := range r.Denied {
		f := &r.Denied[i]
		hide(&f.Finding)
		about := f.Code.About()
		f.Waivable, f.Remedy = about.Waivable, about.Remedy
	}
	for i := range r.Waived {
		hide(&r.Waived[i].Finding)
	}
	for i := range r.Noted {
		hide(&r.Noted[i])
		r.Notes[len(r.Notes)-len(r.Noted)+i] = r.Noted[i].Subject + " " + r.Noted[i].Message
	}
	return r
}

// withheldAddresses returns the plain addresses of the results, the verdicts and the resources to withhold.
func withheldAddresses(d *document.Document) (results, verdicts, resources map[string]bool) {
	results, verdicts, resources = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, a := range d.Results() {
		address := plainAddress(a.Address)
		results[address] = results[address] || a.Withheld()
		verdicts[address] = verdicts[address] || a.HidesVerdict()
	}
	for _, resource := range d.Resources() {
		address := plainAddress(resource.Address)
		resources[address] = resources[address] || resource.Withheld
	}
	return results, verdicts, resources
}

// unseen matches a character that a document, a finding and an assessment replace in different ways.
var unseen = regexp.MustCompile(`<U\+[0-9A-F]+>|[ \x{FFFD}]`)

// plainAddress returns the same text for an address of a document, a finding or an assessment. Addresses that differ
// only in unseen characters are the same, so that rather too much is withheld.
func plainAddress(address string) string {
	return unseen.ReplaceAllString(finding.Visible(address), "?")
}

// Formats are the output formats by name.
var Formats = map[string]func(Report, io.Writer) error{
	"text":     Report.WriteText,
	"json":     Report.WriteJSON,
	"markdown": Report.WriteMarkdown,
	"junit":    Report.WriteJUnit,
	"sarif":    Report.WriteSARIF,
}

// cause is a kind of finding with everything of this kind.
type cause struct {
	finding.About

	denials []gate.Denial
}

func (r Report) causes() []cause {
	var all []cause
	for _, d := range r.Denied {
		at := slices.IndexFunc(all, func(c cause) bool { return c.Code == d.Code })
		if at < 0 {
			at, all = len(all), append(all, cause{About: d.Code.About()})
		}
		all[at].denials = append(all[at].denials, d)
	}
	return all
}

// who returns who may accept a cause: nobody, or an approver by a waiver.
func (r Report) who(c cause) string {
	switch {
	case !c.Waivable:
		return "Cannot be waived."
	case len(r.Approvers) == 0:
		return "Can be waived; changes.approvers names nobody."
	}
	return "Can be waived by " + strings.Join(r.Approvers, ", ") + "."
}

func where(f finding.Finding) string {
	if f.Address == "" || f.Address == f.Subject {
		return ""
	}
	return " [" + f.Address + "]"
}

// WriteText writes the decision for a terminal.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Headline)
	for _, c := range r.causes() {
		fmt.Fprintf(&b, "\n%s (%s)\n", c.Title, c.Code)
		for _, d := range c.denials {
			fmt.Fprintf(&b, "  %s %s%s\n", d.Subject, d.Message, where(d.Finding))
		}
		fmt.Fprintf(&b, "  -> %s %s\n", c.Remedy, r.who(c))
	}
	if len(r.Waived) > 0 {
		b.WriteString("\nWaived\n")
		for _, g := range r.Waived {
			fmt.Fprintf(
				&b,
				"  %s %s (%s, until %s, by %s: %s)\n",
				g.Subject,
				g.Message,
				g.Waiver,
				g.Expires,
				g.By,
				g.Reason,
			)
		}
	}
	if len(r.Notes) > 0 {
		b.WriteString("\nNotes\n")
		for _, note := range r.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the decision for programs.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r.Decision)
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// WriteJUnit writes a test case for each promise that holds and for each denial.
func (r Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: "vsla gate " + r.Plan, Failures: len(r.Denied)}
	for _, a := range r.Promises {
		if a.Level == plan.Meets {
			s.Cases = append(s.Cases, junitCase{Name: "promise " + a.Subject, Class: "vsla.gate"})
		}
	}
	for _, d := range r.Denied {
		s.Cases = append(s.Cases, junitCase{
			Name:  string(d.Code) + " " + d.Subject,
			Class: "vsla.gate",
			Failure: &junitFailure{
				d.Message,
				string(d.Code),
				d.Subject + " " + d.Message + where(d.Finding) + "\n" + d.Remedy,
			},
		})
	}
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID   string    `json:"id"`
	Name sarifText `json:"shortDescription"`
	Help sarifText `json:"help"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical []struct {
		Name string `json:"fullyQualifiedName"`
	} `json:"logicalLocations,omitempty"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

// regionOf returns the line of the settings that a finding names; nil if it names none.
func (r Report) regionOf(f finding.Finding) *sarifRegion {
	_, after, _ := strings.Cut(f.Subject+" "+f.Message, r.Settings+":")
	var at sarifRegion
	if _, err := fmt.Sscanf(after, "%d", &at.StartLine); err != nil || at.StartLine < 1 {
		return nil
	}
	return &at
}

type sarifResult struct {
	Rule      string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

// WriteSARIF writes the denials in SARIF 2.1.0.
func (r Report) WriteSARIF(w io.Writer) error {
	rules, results := []sarifRule{}, []sarifResult{}
	for _, c := range r.causes() {
		rules = append(rules, sarifRule{string(c.Code), sarifText{c.Title}, sarifText{c.Remedy}})
		for _, d := range c.denials {
			var at sarifLocation
			at.Physical.Artifact.URI, at.Physical.Region = r.Settings, r.regionOf(d.Finding)
			if d.Address != "" {
				at.Logical = append(at.Logical, struct {
					Name string `json:"fullyQualifiedName"`
				}{d.Address})
			}
			results = append(results, sarifResult{
				string(c.Code),
				"error",
				sarifText{d.Subject + " " + d.Message},
				[]sarifLocation{at},
			})
		}
	}
	type driver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []any{map[string]any{
			"tool":    map[string]any{"driver": driver{"vsla gate", r.Version, rules}},
			"results": results,
		}},
	})
}
