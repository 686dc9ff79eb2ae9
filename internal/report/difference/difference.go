// Package difference compares a plan or a state with an earlier one. It shows which promises a change breaks, keeps,
// adds or removes, and why.
//
// New pairs the results and resources of two documents and judges each pair. Markdown formats the difference as a
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

// Category describes how a result or a resource changes.
type Category string

// Categories. The values of Unknown items cannot be compared, because they are sensitive or known only after apply.
const (
	Added     Category = "new"
	Gone      Category = "gone"
	Changed   Category = "changed"
	Unchanged Category = "unchanged"
	Unknown   Category = "unknown"
)

var categories = []Category{Changed, Added, Gone, Unknown, Unchanged}

// Outcome is the overall effect of the change on the promises.
type Outcome string

// Outcomes. Figures means that numbers or resources change, but no verdict does.
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
	Totals        []Total               `json:"totals"`
	Resources     []Item                `json:"resources"`
	Actions       []document.Invocation `json:"actions"`
	// Protection is what the plan protects less.
	Protection []finding.Finding `json:"protection,omitempty"`
}

// Count is the number of results in a category.
type Count struct {
	Category Category `json:"category"`
	Number   int      `json:"number"`
}

// Item is a result or a resource before and after the change.
type Item struct {
	// Address is the address after the change, or before the change for a removed item.
	Address string `json:"address"`
	// FormerAddress is the address before the change, if it differs.
	FormerAddress string `json:"former_address,omitempty"`
	Name          string `json:"name"`
	// Heading is the heading of the result in a review.
	Heading string `json:"-"`
	Type    string `json:"type"`
	// Managed reports whether the item is a resource.
	Managed bool `json:"managed"`
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
	Action   document.Action `json:"action,omitempty"`

	// sized means that the elements could be counted. size is the larger of the counts before and after the change; added
	// and removed count the elements that the change adds and removes.
	sized                bool
	size, added, removed int
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
		FormatVersion: "1.0", Before: before.Source(), After: after.Source(), Notes: []string{}, Results: []Item{},
		Resources: []Item{}, Actions: after.Actions(), Protection: finding.Sort(weaker),
	}
	was, is := objectsOf(before, after, !d.Before.Destroys), objectsOf(after, before, !d.After.Destroys)
	pairs := matchObjects(was, is)
	roster := newRoster(before, after, pairs)
	for _, p := range pairs {
		p.roster = roster
		if item := p.newItem(); item.Managed {
			d.Resources = append(d.Resources, item)
		} else {
			d.Results = append(d.Results, item)
		}
	}
	for _, items := range [][]Item{d.Results, d.Resources} {
		slices.SortStableFunc(items, func(a, b Item) int { return wording.Natural(a.Address, b.Address) })
	}
	d.Totals = totals(d.Resources)
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

// Total counts the changes to one kind of object.
type Total struct {
	What    string `json:"what"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Changed int    `json:"changed"`
	// Replaced counts objects that are deleted and recreated. A replaced replication starts with an initial sync.
	Replaced int `json:"replaced"`
	// Forgotten counts objects that are no longer managed but continue to exist.
	Forgotten int `json:"forgotten"`
	// NotKnown counts objects that cannot be compared, because their values are sensitive or known only after apply.
	NotKnown int `json:"not_known"`
}

// resourceKind is a resource type with its singular and plural titles. elements is the attribute that lists the type's
// objects; empty if a resource is a single object.
type resourceKind struct{ typeName, title, plural, elements string }

var resourceKinds = []resourceKind{
	{"vsla_replication", "Replication", "Replications", ""},
	{"vsla_tag_category", "Tag category", "Tag categories", ""},
	{"vsla_tag", "Tag", "Tags", ""},
	{"vsla_tags", "Tags in a category", "Tags", "tags"},
	{"vsla_tag_association", "Tag on objects", "Tagged objects", "object_ids"},
	{"vsla_object_tags", "Tags of an object", "Tagged objects", "tag_ids"},
}

func kindOf(typeName string) resourceKind {
	for _, k := range resourceKinds {
		if k.typeName == typeName {
			return k
		}
	}
	title := strings.ReplaceAll(strings.TrimPrefix(typeName, "vsla_"), "_", " ")
	return resourceKind{typeName: typeName, title: title, plural: title}
}

func totals(resources []Item) []Total {
	list := []Total{}
	totalFor := func(what string) *Total {
		i := slices.IndexFunc(list, func(t Total) bool { return t.What == what })
		if i < 0 {
			i, list = len(list), append(list, Total{What: what})
		}
		return &list[i]
	}
	for _, k := range resourceKinds {
		totalFor(k.plural)
	}
	for i := range resources {
		totalFor(kindOf(resources[i].Type).plural).add(&resources[i])
	}
	return slices.DeleteFunc(list, func(t Total) bool { return t == Total{What: t.What} })
}

func (t *Total) add(i *Item) {
	size := 1
	if i.sized {
		size = i.size
	}
	switch {
	case i.Category == Unknown, i.Category != Unchanged && kindOf(i.Type).elements != "" && !i.sized:
		t.NotKnown++
	case i.Category == Added:
		t.Added += size
	case i.Category == Gone && i.Action == document.Forget:
		t.Forgotten += size
	case i.Category == Gone:
		t.Removed += size
	case i.Action == document.Replace:
		t.Replaced++
	case i.Category == Changed && i.sized:
		t.Added, t.Removed = t.Added+i.added, t.Removed+i.removed
		if i.added+i.removed == 0 {
			t.Changed++
		}
	case i.Category == Changed:
		t.Changed++
	}
}

func (i *Item) countElements(p pair) {
	name := kindOf(i.Type).elements
	if name == "" {
		return
	}
	var keys [2][]string
	for n, t := range []*object{p.before, p.after} {
		if t == nil {
			continue
		}
		fact := findFact(t.facts, name)
		if fact == nil || !fact.HasValue() {
			return // known after apply or withheld
		}
		keys[n] = elements(fact)
	}
	i.sized, i.size = true, max(len(keys[0]), len(keys[1]))
	i.added, i.removed = len(subtract(keys[1], keys[0])), len(subtract(keys[0], keys[1]))
}
