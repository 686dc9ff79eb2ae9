// Package assess decodes results from a plan, a state or an inventory file into Go types and assesses them. An
// assessment consists of a level, the reasons for it, and remedies. Each promise, link and target in a result of
// vsla_sla_plan has its own assessment. Other packages print assessments but do not judge results.
package assess

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/wording"
)

// List assesses results and sets their titles. A result of vsla_sla_plan is split into its parts.
func List(results []Raw) []*Assessment {
	var all []*Assessment
	for _, raw := range results {
		all = append(all, splitPlan(newAssessment(raw))...)
	}
	return withTitles(all)
}

func withTitles(all []*Assessment) []*Assessment {
	bySection := make(map[string][]*Assessment)
	for _, a := range all {
		bySection[a.Kind.ID] = append(bySection[a.Kind.ID], a)
	}
	for _, section := range bySection {
		setTitles(section)
	}
	return all
}

func newAssessment(raw Raw) *Assessment {
	a := &Assessment{
		Raw:     raw,
		Kind:    KindOf(raw.Type),
		Level:   plan.Neutral,
		Key:     lastKey(raw.Address),
		Name:    strings.Replace(raw.Address, "data."+raw.Type+".", "", 1),
		Reasons: []Reason{},
		Notes:   []string{},
	}
	switch {
	case a.Deferred != "":
		a.Level, a.Summary = plan.Unknown, "Not known before apply: "+a.Deferred+"."
		if len(a.Unknown) > 0 && !a.Withheld() {
			a.Notes = append(a.Notes, "Inputs not known yet: "+strings.Join(a.Unknown, ", ")+".")
		}
	case a.Withheld():
		a.withhold()
	default:
		a.read()
	}
	return a
}

func (a *Assessment) read() {
	a.Summary, _ = a.Values["summary"].(string)
	a.Level, a.Verdict = a.judge()
	codes, sentences := texts(a.Values["reasons"]), texts(a.Values["explanations"])
	for i, code := range codes {
		reason := Reason{Code: code}
		if i < len(sentences) {
			reason.Sentence = sentences[i]
		}
		a.Reasons = append(a.Reasons, reason)
	}
	answer, err := a.Kind.read(a.Values)
	if err != nil {
		a.Notes = append(a.Notes, "This result is from a different version: "+err.Error()+".")
		if a.Level == plan.Meets {
			a.Level = plan.Unknown
		}
		return
	}
	a.Answer = answer
	a.setTexts()
}

func (a *Assessment) judge() (plan.Level, string) {
	verdict, _ := a.Values["verdict"].(string)
	if c := a.Kind.Calculator; c != nil {
		return c.Judge(a.Values), verdict
	}
	if compliant, ok := a.Values["compliant"].(bool); ok {
		if compliant {
			return plan.Meets, ""
		}
		return plan.Misses, ""
	} else if a.Type == TypeCompliance {
		return plan.Unknown, "" // null if the account cannot read every VM
	}
	// An unknown data source might use the same verdicts as a known one, so try the verdicts of all kinds.
	for _, k := range Kinds() {
		if c := k.Calculator; c != nil && verdict != "" {
			if level := c.Judge(a.Values); level != plan.Neutral {
				return level, verdict
			}
		}
	}
	return plan.Neutral, verdict
}

// withhold removes all numbers and text, because sensitive values could be derived from them. It keeps the verdict
// unless the verdict is sensitive.
func (a *Assessment) withhold() {
	whole := a.Sensitive[0] == ""
	a.Level, a.Summary = plan.Unknown, "Withheld: the value is marked as sensitive."
	if whole {
		return
	}
	if !a.HidesVerdict() {
		a.Level, a.Verdict = a.judge()
	}
	a.Summary = "Figures are withheld, because sensitive values could be derived from them: " +
		strings.Join(a.Sensitive, ", ") + "."
}

// HidesVerdict reports whether the verdict itself is sensitive.
func (a *Assessment) HidesVerdict() bool {
	return slices.ContainsFunc(a.Sensitive, func(name string) bool {
		return name == "" || slices.Contains(verdictAttributes(), name)
	})
}

func verdictAttributes() []string {
	names := []string{"verdict", "compliant", "reasons", "promises"}
	for _, k := range Kinds() {
		if k.Calculator != nil && k.Calculator.Flag != nil {
			names = append(names, k.Calculator.Flag.Name)
		}
	}
	return names
}

// Confirm recomputes the result and reports whether it matches the document. It returns false if recomputing would take
// too long. If the result does not match, the first call adds a note.
func (a *Assessment) Confirm() bool {
	if a.confirmed != nil {
		return *a.confirmed
	}
	ok := false
	a.confirmed = &ok
	if a.Answer == nil || a.Kind.Calculator == nil {
		return false
	}
	answer, err := a.Kind.Calculator.Again(a.Values)
	if err != nil {
		why := err.Error()
		if d, differs := err.(*calculator.DifferenceError); differs { //nolint:errorlint // Again returns it unwrapped
			why = wording.Label(d.Name) + " is " + wording.Value(d.Name, d.Document) + " in the file, but " +
				wording.Value(d.Name, d.Again) + " when computed again"
		}
		a.Notes = append(a.Notes, "A chart is omitted, because its figures could not be confirmed: "+
			why+".")
		return false
	}
	if answer != nil {
		a.Recomputed, ok = answer, true
	}
	return ok
}

// OfPlan assesses a plan that was computed without Terraform.
func OfPlan(name string, p promise.Plan, r promise.Result) []*Assessment {
	kind := KindOf(promise.Definition.Calculator().DataSource())
	return withTitles(splitPlan(&Assessment{
		Raw:    Raw{Type: kind.Type, Address: "data." + kind.Type + "." + name},
		Kind:   kind,
		Name:   name,
		Answer: Plan{Input: p, Result: r},
	}))
}
