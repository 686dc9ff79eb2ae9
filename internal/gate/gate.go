// Package gate decides whether a plan may be applied. It has one decider: comment, JSON, JUnit and SARIF print its
// decision.
package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// Context is who asks, and when.
type Context struct {
	// Today is the day on which waivers are valid.
	Today time.Time
	// Author is the author of the change, who cannot approve a waiver. It is empty on the main branch.
	Author string
}

// Decision is what the gate decides about a plan.
type Decision struct {
	// FormatVersion is the version of the JSON format. Adding fields does not change it.
	FormatVersion string `json:"format_version"`
	Passes        bool   `json:"passes"`
	// Level is the worse of the promises and the decision: holds only if the plan passes.
	Level    plan.Level         `json:"level"`
	Headline string             `json:"headline"`
	Promises []judge.Assessment `json:"promises"`
	Denied   []Denial           `json:"denied"`
	Waived   []Granted          `json:"waived"`
	Notes    []string           `json:"notes"`
	// Noted are the findings that the last notes state.
	Noted []finding.Finding `json:"-"`
	// Approvers are those who may approve a waiver.
	Approvers []string `json:"approvers"`
}

// Denial is a finding that denies the plan.
type Denial struct {
	finding.Finding

	Waivable bool   `json:"waivable"`
	Remedy   string `json:"remedy"`
}

// Granted is a finding that a waiver accepts.
type Granted struct {
	finding.Finding

	Waiver  string `json:"waiver"`
	Expires string `json:"expires"`
	By      string `json:"approved_by"`
	Reason  string `json:"reason"`
}

// Evaluate decides whether a plan may be applied. Settings that are not valid deny every plan.
func Evaluate(p *tfplan.Plan, s *settings.Settings, c Context) Decision {
	if len(s.Problems) > 0 {
		return Decide(s, nil, nil, c) // what the settings mean is not known
	}
	j := judge.Judge(p, s)
	d := Decide(s, j.Assessments, j.Findings, c)
	d.Noted = finding.Sort(j.Notes)
	for _, note := range d.Noted {
		d.Notes = append(d.Notes, note.Subject+" "+note.Message)
	}
	return d
}

// Decide decides by what was found. A promise that does not hold denies the plan, as every finding does, unless a
// waiver in force names it.
func Decide(s *settings.Settings, assessments []judge.Assessment, found []finding.Finding, c Context) Decision {
	d := Decision{
		FormatVersion: "1.0",
		Promises:      []judge.Assessment{},
		Denied:        []Denial{},
		Waived:        []Granted{},
		Notes:         []string{},
		Approvers:     slices.Clone(s.Changes.Approvers),
		Level:         plan.Neutral,
	}
	all := slices.Concat(s.Problems, found)
	for _, a := range assessments {
		if a.Code != "" {
			all = append(all, finding.Of(a.Code, a.Subject, a.Address, cmp.Or(a.Message, string(a.Code))))
		}
		if a.Promise {
			d.Promises = append(d.Promises, a)
		}
		d.Level = plan.Worse(d.Level, a.Level)
	}
	waivers := d.waivers(s, c)
	used := make(map[string]bool)
	for _, f := range finding.Sort(all) {
		at := slices.IndexFunc(waivers, func(w settings.Waiver) bool { return covers(w, f) })
		if at < 0 {
			about := f.Code.About()
			d.Denied = append(d.Denied, Denial{f, about.Waivable, about.Remedy})
			continue
		}
		w := waivers[at]
		used[w.Name] = true
		d.Waived = append(d.Waived, Granted{
			f, wording.Clean(w.Name), w.Expires, wording.Clean(w.Approved),
			wording.Clean(w.Reason),
		})
	}
	for _, w := range waivers {
		if !used[w.Name] && len(s.Problems) == 0 { // else nothing was judged
			d.Notes = append(d.Notes, fmt.Sprintf("waiver %q matches no finding (%s)", wording.Clean(w.Name), w.Where))
		}
	}
	d.conclude()
	return d
}

// waivers returns those in force. One that is not valid is a note or a denial.
func (d *Decision) waivers(s *settings.Settings, c Context) []settings.Waiver {
	var valid []settings.Waiver
	deny := func(w settings.Waiver, says string) {
		f := finding.Of(finding.Settings, w.Where, "", fmt.Sprintf("waiver %q %s", w.Name, says))
		d.Denied = append(d.Denied, Denial{f, false, f.Code.About().Remedy})
	}
	for _, w := range s.Waivers {
		expires, _ := time.Parse(time.DateOnly, w.Expires) // checked when the settings were read
		days := int(expires.Sub(c.Today.Truncate(day)) / day)
		switch {
		case isSame(c.Author, w.Approved):
			deny(w, fmt.Sprintf("is approved by %s, the author of this change", w.Approved))
		case days > s.Changes.MaxWaiverDays:
			deny(w, "expires more than "+wording.Count(s.Changes.MaxWaiverDays, "day")+" from today")
		case days < 0:
			d.Notes = append(d.Notes, fmt.Sprintf("waiver %q expired on %s (%s)", wording.Clean(w.Name),
				w.Expires, w.Where))
		default:
			valid = append(valid, w)
		}
	}
	return valid
}

const day = 24 * time.Hour

func isSame(author, approver string) bool {
	author = strings.TrimSpace(author)
	return author != "" && strings.EqualFold(author, strings.TrimSpace(approver))
}

// covers reports whether a waiver names a finding, by its subject, its address, or the block of its address.
func covers(w settings.Waiver, f finding.Finding) bool {
	return w.Code == string(f.Code) && f.Code.About().Waivable &&
		(w.Subject == f.Subject || f.Address != "" && (w.Subject == f.Address || w.Subject == tfplan.Block(f.Address)))
}

// conclude sets the headline, which is the worse of the promises and the decision.
func (d *Decision) conclude() {
	d.Passes = len(d.Denied) == 0
	promises, allHold := d.summarize()
	if allHold && len(d.Denied)+len(d.Waived) > 0 {
		promises = "apart from this, " + promises
	}
	switch {
	case !d.Passes:
		d.Level = plan.Worse(d.Level, plan.AtRisk)
		d.Headline = "Denied: " + d.listCauses() + "."
		if promises != "" {
			d.Headline += " " + wording.Capital(promises) + "."
		}
	case promises == "":
		promises = "nothing is denied, and no promise is in the plan"
		fallthrough
	default:
		with := ""
		if n := len(d.Waived); n > 0 {
			d.Level = plan.Worse(d.Level, plan.AtRisk)
			with = " with " + wording.Count(n, "waived finding")
		}
		d.Headline = "Passes" + with + ": " + promises + "."
	}
}

// summarize says how many promises hold, and whether all do. It returns "" if there is none.
func (d *Decision) summarize() (says string, allHold bool) {
	var levels []plan.Level
	holding := 0
	for _, a := range d.Promises {
		if a.Level == plan.Neutral {
			continue
		}
		levels = append(levels, a.Level)
		if a.Level == plan.Meets {
			holding++
		}
	}
	switch len(levels) {
	case 0:
		return "", false
	case 1:
		return "the promise " + predicate(levels[0]), holding == 1
	}
	return fmt.Sprintf("%s of %s hold", wording.Decimal(float64(holding)), wording.Count(len(levels), "promise")),
		holding == len(levels)
}

// predicate returns "is at risk" for a promise at risk.
func predicate(level plan.Level) string {
	if level == plan.AtRisk || level == plan.Unknown {
		return "is " + wording.LevelWord(level)
	}
	return wording.LevelWord(level)
}

// listCauses names the first causes of a denial, and counts the others.
func (d *Decision) listCauses() string {
	titles := []string{}
	for _, f := range d.Denied {
		if title := lowerFirst(f.Code.About().Title); !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}
	const most = 3
	if len(titles) > most {
		titles = append(titles[:most], "and "+wording.Count(len(titles)-most, "other cause"))
	}
	return strings.Join(titles, "; ")
}

func lowerFirst(text string) string {
	if strings.HasPrefix(text, "VMs") || strings.HasPrefix(text, "vMotion") {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
