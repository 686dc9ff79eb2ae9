package document

import (
	"slices"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/wording"
)

// Action is the planned action on a resource; empty in a state.
type Action string

// Actions on a resource. Forget removes a resource from the state without changing the object.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Delete  Action = "delete"
	Forget  Action = "forget"
)

// Resource is a vsla resource in a document. It contains no withheld values.
type Resource struct {
	Address string
	// PreviousAddress is the address before a move; empty if the plan does not move the resource.
	PreviousAddress string
	Type            string
	// Action is the planned action. Before contains the values of a resource that is deleted or forgotten.
	Action         Action
	Values, Before map[string]any
	// Unknown lists the attributes that are known only after apply.
	Unknown []string
	// Withheld marks a resource that contains a sensitive value. Values is empty for such a resource.
	Withheld bool
}

// Resources returns the resources sorted by address, including deleted and forgotten ones.
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
		f.PreviousAddress = wording.Clean(c.PreviousAddress)
		f.Action = actionOf(c.Change.Actions)
		f.Unknown = marked(c.Change.AfterUnknown)
		sensitive = slices.Concat(sensitive, marked(c.Change.BeforeSensitive), marked(c.Change.AfterSensitive))
	}
	if len(sensitive) > 0 {
		f.Withheld = true
		f.Values = nil
		f.Unknown = nil
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
