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
	Action          Action
	Values          map[string]any
	// Before contains the values of a resource that is deleted or forgotten.
	Before map[string]any
	// Unknown lists the attributes that are known only after apply.
	Unknown []string
	// Withheld marks a resource that contains a sensitive value. Values is empty for such a resource.
	Withheld bool
}

// Resources returns the resources sorted by address, including deleted and forgotten ones.
func (d *Document) Resources() []Resource {
	var all []Resource
	if d.plan == nil {
		all = resources(d.state.Values, nil)
	} else {
		all = plannedResources(d.plan)
	}
	slices.SortFunc(all, func(a, b Resource) int { return wording.Natural(a.Address, b.Address) })
	return all
}

func plannedResources(plan *tfjson.Plan) []Resource {
	changes := make(map[string]*tfjson.ResourceChange)
	for _, c := range plan.ResourceChanges {
		if c != nil && c.Change != nil && c.DeposedKey == "" &&
			isOurs(tfjson.ManagedResourceMode, c.Mode, c.Type, c.ProviderName) {
			changes[c.Address] = c
		}
	}
	all := resources(plan.PlannedValues, changes)
	for _, c := range changes {
		if action := actionOf(c.Change.Actions); action == Delete || action == Forget {
			all = append(all, goneResource(c, action))
		}
	}
	return all
}

func goneResource(c *tfjson.ResourceChange, action Action) Resource {
	gone := Resource{Address: c.Address, Type: c.Type, Action: action}
	if len(marked(c.Change.BeforeSensitive)) > 0 {
		gone.Withheld = true
		return gone
	}
	gone.Before, _ = c.Change.Before.(map[string]any)
	return gone
}

func resources(values *tfjson.StateValues, changes map[string]*tfjson.ResourceChange) []Resource {
	var all []Resource
	for _, r := range ours(tfjson.ManagedResourceMode, values) {
		all = append(all, resource(r, changes[r.Address]))
	}
	return all
}

func resource(r *tfjson.StateResource, c *tfjson.ResourceChange) Resource {
	found := Resource{Address: r.Address, Type: r.Type, Values: r.AttributeValues}
	sensitive := marked(decodeMarks(r.SensitiveValues))
	if c != nil {
		found.PreviousAddress = c.PreviousAddress
		found.Action = actionOf(c.Change.Actions)
		found.Unknown = marked(c.Change.AfterUnknown)
		sensitive = slices.Concat(sensitive, marked(c.Change.BeforeSensitive), marked(c.Change.AfterSensitive))
	}
	if len(sensitive) > 0 {
		found.Withheld = true
		found.Values = nil
		found.Unknown = nil
	}
	return found
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
