// What a document has, one by one, for comparison with another document.

package report

import (
	"cmp"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/plan/registry"
)

// Action is a plan's action on a resource; empty in a state.
type Action string

// The actions. Forget removes a resource from the state and leaves the object alone.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Delete  Action = "delete"
	Forget  Action = "forget"
)

// Found is a result or a resource of vsla in a document. Withheld values are not in it.
type Found struct {
	Address string
	// Former is the address before a move that the plan makes; empty without one.
	Former string
	// Name is the address without what all of the type have alike.
	Name, Type string
	// Title is a result's name on the page, and Key the last key or name of its address.
	Title, Key string
	// Managed: it is a resource, and ID is its id where that is known and not sensitive.
	Managed bool
	ID      string
	// Action is the plan's action on a resource. One that it deletes or forgets has no values.
	Action Action
	// Level, Verdict, Summary and Reasons are those of the review.
	Level   Level
	Verdict string
	Summary string
	Reasons []Reason
	// Remedy is what would make a result hold that does not.
	Remedy string
	// Deferred: it is read during apply, and Values has the inputs that are known.
	Deferred bool
	// Withheld: it has a sensitive value, and therefore no values here.
	Withheld bool
	Values   map[string]any
	// Unknown are the attributes that are known after apply.
	Unknown []string
	// Inputs are the arguments of a data source; nil for a function's result.
	Inputs []string
	// Outputs show the same value.
	Outputs []string
}

// Found returns the results and the resources of vsla in the document, by address. The first ones are results.
func (d *Document) Found() []Found {
	instances := d.instances()
	titled(instances)
	all := make([]Found, 0, len(instances))
	for _, in := range instances {
		all = append(all, in.found())
	}
	if d.plan == nil {
		return append(all, resources(d.state.Values, nil)...)
	}
	managed, _ := d.managed()
	return append(all, managed...)
}

// found judges as the review does.
func (in *instance) found() Found {
	f := Found{
		Address: clean(in.address), Name: nameOf(in), Title: in.title, Key: in.key, Type: clean(in.kind),
		Inputs:  inputsOf(in.kind),
		Unknown: in.unknown, Outputs: in.outputs, Values: in.values, Deferred: in.deferred != "",
		Withheld: len(in.sensitive) > 0,
	}
	if in.result {
		f.Inputs = nil
	}
	s := Subject{Level: Neutral, Reasons: []Reason{}}
	switch {
	case f.Deferred:
		s.Level, s.Summary = Unknown, "Not known before apply: "+in.deferred+"."
	case f.Withheld:
		withhold(in, &s)
	case in.kind == complianceType:
		s.Summary = in.text("summary")
		fillCompliance(in, &s)
	default:
		s.Summary, s.Reasons = in.text("summary"), in.reasons()
		s.Level, s.Verdict = in.level()
	}
	if f.Withheld {
		f.Values, f.Unknown = nil, nil
	}
	f.Level, f.Verdict, f.Summary, f.Reasons = s.Level, s.Verdict, s.Summary, s.Reasons
	f.Remedy = known{in, &s}.remedy()
	return f
}

// resources lists the managed resources, with a plan's action on each.
func resources(values *tfjson.StateValues, changes map[string]*tfjson.ResourceChange) []Found {
	var all []Found
	for _, r := range ours(tfjson.ManagedResourceMode, values) {
		all = append(all, resource(r, changes[r.Address]))
	}
	slices.SortFunc(all, func(a, b Found) int { return natural(a.Address, b.Address) })
	return all
}

func resource(r *tfjson.StateResource, c *tfjson.ResourceChange) Found {
	f := Found{
		Address: clean(r.Address), Name: clean(r.Address), Type: clean(r.Type), Managed: true, Level: Neutral,
		Values: r.AttributeValues,
	}
	sensitive := marked(decodeMarks(r.SensitiveValues))
	if c != nil {
		f.Former, f.Action = clean(c.PreviousAddress), actionOf(c.Change.Actions)
		f.Unknown = marked(c.Change.AfterUnknown)
		sensitive = slices.Concat(sensitive, marked(c.Change.BeforeSensitive), marked(c.Change.AfterSensitive))
	}
	if !slices.Contains(sensitive, "") && !slices.Contains(sensitive, "id") {
		f.ID, _ = r.AttributeValues["id"].(string)
	}
	if len(sensitive) > 0 {
		f.Withheld, f.Values, f.Unknown = true, nil, nil
	}
	return f
}

func actionOf(actions tfjson.Actions) Action {
	switch {
	case actions.Replace():
		return Replace
	case actions.Create():
		return Create
	case actions.Update():
		return Update
	case actions.Delete():
		return Delete
	case actions.Forget():
		return Forget
	}
	return ""
}

// TitleOf returns what people call a result of a data source, in the singular.
func TitleOf(kind string) string {
	if c, ok := registry.OfDataSource(kind); ok {
		return c.Title
	}
	if k := kindOf(kind); k.id != idOther {
		return k.title
	}
	return cmp.Or(strings.TrimPrefix(kind, prefix), "result")
}

// FormatValue writes the value of an attribute with its unit.
func FormatValue(name string, v any) string { return format(name, v) }

// LabelOf makes words of an attribute's name, without its unit.
func LabelOf(name string) string { return clean(label(name)) }

// CountOf writes a number with its noun: "1 VM", "2 VMs".
func CountOf(n int, noun string) string { return count(n, noun) }

// Natural orders texts so that numbers in them count.
func Natural(a, b string) int { return natural(a, b) }

// EscapeMarkdown makes a text stand for itself in Markdown.
func EscapeMarkdown(s string) string { return escape(s) }

// CleanText replaces what would change how the text around it is read.
func CleanText(s string) string { return clean(s) }
