package document

import (
	"slices"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/wording"
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

// Resource is a resource of vsla in a document. Withheld values are not in it.
type Resource struct {
	Address string
	// Former is the address before a move that the plan makes; empty without one.
	Former string
	Type   string
	// ID is its id if that is known and not sensitive.
	ID string
	// Action is the plan's action. Before has the values of one that it deletes or forgets, which has no others.
	Action         Action
	Values, Before map[string]any
	// Unknown are the attributes that are known after apply.
	Unknown []string
	// Withheld: it has a sensitive value, and therefore no values here.
	Withheld bool
}

// Resources returns the resources, by address: those that a plan deletes or forgets included.
func (d *Document) Resources() []Resource {
	if d.plan == nil {
		return resources(d.state.Values, nil)
	}
	changes := make(map[string]*tfjson.ResourceChange)
	for _, c := range d.plan.ResourceChanges {
		if c != nil && c.Change != nil && c.DeposedKey == "" &&
			isOurs(tfjson.ManagedResourceMode, c.Mode, c.Type, c.ProviderName) {
			changes[c.Address] = c
		}
	}
	all := resources(d.plan.PlannedValues, changes)
	for _, c := range changes {
		if a := actionOf(c.Change.Actions); a == Delete || a == Forget {
			gone := Resource{Address: wording.Clean(c.Address), Type: wording.Clean(c.Type), Action: a}
			if gone.Withheld = len(marked(c.Change.BeforeSensitive)) > 0; !gone.Withheld {
				gone.Before, _ = c.Change.Before.(map[string]any)
			}
			all = append(all, gone)
		}
	}
	slices.SortFunc(all, func(a, b Resource) int { return wording.Natural(a.Address, b.Address) })
	return all
}

func resources(values *tfjson.StateValues, changes map[string]*tfjson.ResourceChange) []Resource {
	var all []Resource
	for _, r := range ours(tfjson.ManagedResourceMode, values) {
		all = append(all, resource(r, changes[r.Address]))
	}
	slices.SortFunc(all, func(a, b Resource) int { return wording.Natural(a.Address, b.Address) })
	return all
}

func resource(r *tfjson.StateResource, c *tfjson.ResourceChange) Resource {
	f := Resource{Address: wording.Clean(r.Address), Type: wording.Clean(r.Type), Values: r.AttributeValues}
	sensitive := marked(decodeMarks(r.SensitiveValues))
	if c != nil {
		f.Former, f.Action = wording.Clean(c.PreviousAddress), actionOf(c.Change.Actions)
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
