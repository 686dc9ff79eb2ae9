// Package difference compares a plan or a state with an earlier one. It shows which promises a change breaks, keeps,
// adds or removes, and why.
//
// New pairs the results of two documents and judges each pair. Markdown formats the difference as a
// comment, and Review formats it for a capacity review. If either document marks a value as sensitive, the value is
// withheld from both. The output for a given input is deterministic.
package difference

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// Category describes how a result changes.
type Category string

// Categories. The values of Unknown items cannot be compared, because they are sensitive or known only after apply.
const (
	Added     Category = "new"
	Gone      Category = "gone"
	Changed   Category = "changed"
	Unchanged Category = "unchanged"
	Unknown   Category = "unknown"
)

// Outcome is the overall effect of the change on the promises.
type Outcome string

// Outcomes. Figures means that numbers change, but no verdict does.
const (
	Worse   Outcome = "worse"
	Mixed   Outcome = "mixed"
	Removed Outcome = "removed"
	Unclear Outcome = "unknown"
	Better  Outcome = "better"
	Figures Outcome = "figures"
	Same    Outcome = "unchanged"
)

// Difference is the result of a comparison.
type Difference struct {
	// FormatVersion is the version of the JSON format. Adding fields does not change it.
	FormatVersion string                `json:"format_version"`
	Before        document.Source       `json:"before"`
	After         document.Source       `json:"after"`
	Outcome       Outcome               `json:"outcome"`
	Headline      string                `json:"headline"`
	Counts        []Count               `json:"counts"`
	Notes         []string              `json:"notes"`
	Results       []Item                `json:"results"`
	Actions       []document.Invocation `json:"actions"`
	// Protection is what the plan protects less.
	Protection []finding.Finding `json:"protection,omitempty"`
}

// Count is the number of results in a category.
type Count struct {
	Category Category `json:"category"`
	Number   int      `json:"number"`
}

// Item is a result before and after the change.
type Item struct {
	// Address is the address after the change, or before the change for a removed item.
	Address string `json:"address"`
	// FormerAddress is the address before the change, if it differs.
	FormerAddress string `json:"former_address,omitempty"`
	Name          string `json:"name"`
	// Heading is the heading of the result in a review.
	Heading string `json:"-"`
	Type    string `json:"type"`
	// Title is the readable name of the type.
	Title    string   `json:"title"`
	Category Category `json:"category"`
	// VerdictChange is empty if the verdict does not change.
	VerdictChange VerdictChange `json:"turn,omitempty"`
	Weakened      []Change      `json:"weaker,omitempty"`
	// Before and After describe the item in the two documents. Each is nil if the document does not contain the item.
	Before *Side `json:"before,omitempty"`
	After  *Side `json:"after,omitempty"`
	// Sentence explains a changed verdict, or describes a new or removed item.
	Sentence string          `json:"sentence,omitempty"`
	Reasons  []assess.Reason `json:"reasons"`
	Changes  []Change        `json:"changes"`
	Notes    []string        `json:"notes"`
}

// Side describes an item in one of the documents.
type Side struct {
	Level   plan.Level `json:"level"`
	Verdict string     `json:"verdict,omitempty"`
	Summary string     `json:"summary,omitempty"`
	// Reserve is the throughput reserve of the link that the promise uses.
	Reserve string `json:"reserve,omitempty"`
}

// Change is a changed attribute.
type Change struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// Input is true for an argument and false for a result.
	Input  bool   `json:"input"`
	Before string `json:"before"`
	After  string `json:"after"`
	// Detail lists the added and removed elements.
	Detail string `json:"detail,omitempty"`
	// BeforeValue and AfterValue are the machine-readable values of Before and After.
	BeforeValue any `json:"before_value,omitempty"`
	AfterValue  any `json:"after_value,omitempty"`
}

// New compares a document with an earlier one. weaker is what the later one protects less, if it is a plan.
func New(before, after *document.Document, weaker ...finding.Finding) *Difference {
	d := &Difference{
		FormatVersion: "1.0",
		Before:        before.Source(),
		After:         after.Source(),
		Notes:         []string{},
		Results:       []Item{},
		Actions:       after.Actions(),
		Protection:    finding.Sort(weaker),
	}
	pairs := matchObjects(before, after)
	roster := newRoster(before, after, pairs)
	for _, p := range pairs {
		p.roster = roster
		d.Results = append(d.Results, p.newItem())
	}
	slices.SortStableFunc(d.Results, func(a, b Item) int { return wording.Natural(a.Address, b.Address) })
	d.summarize()
	d.addNotes()
	return d
}

// Changed reports whether anything differs or an action runs.
func (d *Difference) Changed() bool { return d.Outcome != Same || len(d.Actions) > 0 }

// GetsWorse reports whether the plan weakens protection, or whether any promise gets worse, is kept for fewer VMs, is
// weakened or is removed. It also returns true if a promise that is new or newly known does not hold.
func (d *Difference) GetsWorse() bool {
	return len(d.Protection) > 0 || slices.ContainsFunc(d.Results, func(i Item) bool {
		return i.VerdictChange == VerdictWorse || i.VerdictChange == VerdictLess || i.VerdictChange == VerdictRemoved ||
			i.VerdictChange == VerdictKnown && !becameHolding(&i) || len(i.Weakened) > 0
	})
}

const maxActions = 10

const maxFindings = 20

func (d *Difference) addNotes() {
	for i, f := range d.Protection {
		if i == maxFindings {
			d.Notes = append(d.Notes, "And "+wording.Count(len(d.Protection)-i, "other finding")+".")
			break
		}
		d.Notes = append(d.Notes, f.Subject+" "+f.Message+".")
	}
	if n := len(d.Actions); n > 0 {
		names := make([]string, 0, maxActions)
		for _, a := range d.Actions[:min(n, maxActions)] {
			names = append(names, a.String())
		}
		if n > maxActions {
			names = append(names, "and "+wording.Count(n-maxActions, "other"))
		}
		d.Notes = append(d.Notes, "Apply runs "+wording.Count(n, "action")+" that the results do not cover: "+
			strings.Join(names, "; ")+".")
	}
	if d.After.Errored {
		d.Notes = append(d.Notes, "The plan ended with an error. Results may be missing.")
	}
	if d.Before.Errored {
		d.Notes = append(d.Notes, "The baseline is a plan that ended with an error. Results may be missing in it.")
	}
	if d.After.Destroys {
		d.Notes = append(d.Notes, "This plan destroys all resources.")
	}
	if d.Before.Destroys {
		d.Notes = append(d.Notes, "The baseline is a plan that destroys all resources.")
	}
}
