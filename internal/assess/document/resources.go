package document

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
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

// Invocation is a vsla action that a plan runs.
type Invocation struct {
	Address string `json:"address"`
	Type    string `json:"type"`
	// Trigger is the resource that triggers the action, and Event is the event on that resource. Both are empty if the
	// plan was created with the -invoke option.
	Trigger string `json:"trigger,omitempty"`
	Event   string `json:"event,omitempty"`
	// Deferred marks an action that Terraform defers to a later apply.
	Deferred bool `json:"deferred,omitempty"`
}

// String formats the invocation, for example "action.vsla_replication_pause.night, AfterCreate of terraform_data.x".
func (i Invocation) String() string {
	text := i.Address
	if i.Trigger != "" {
		text += ", " + i.Event + " of " + i.Trigger
	}
	if i.Deferred {
		text += ", deferred"
	}
	return text
}

type invocation struct {
	Address string `json:"address"`
	Type    string `json:"type"`
	Trigger *struct {
		Resource string `json:"triggering_resource_address"`
		Event    string `json:"action_trigger_event"`
	} `json:"lifecycle_action_trigger"`
}

// Actions returns the vsla actions that the plan runs, sorted by address. Resources of any provider can trigger them.
func (d *Document) Actions() []Invocation {
	list := make([]Invocation, 0)
	add := func(i invocation, deferred bool) {
		if !strings.HasPrefix(i.Type, prefix) {
			return
		}
		one := Invocation{Address: wording.Clean(i.Address), Type: wording.Clean(i.Type), Deferred: deferred}
		if i.Trigger != nil {
			one.Trigger = wording.Clean(i.Trigger.Resource)
			one.Event = wording.Clean(i.Trigger.Event)
		}
		list = append(list, one)
	}
	for _, i := range d.extra.Invocations {
		add(i, false)
	}
	for _, i := range d.extra.Deferred {
		add(i.Invocation, true)
	}
	slices.SortStableFunc(list, func(a, b Invocation) int { return wording.Natural(a.Address, b.Address) })
	return list
}

func decodeMarks(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	var marks any
	if json.Unmarshal(text, &marks) != nil {
		return true
	}
	return marks
}

// marked returns the sorted names of attributes that are completely or partly marked, or [""] if everything is marked.
func marked(marks any) []string {
	if marks == true {
		return []string{""}
	}
	attributes, _ := marks.(map[string]any)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if anyMarked(attributes[name]) {
			names = append(names, name)
		}
	}
	return names
}

func anyMarked(marks any) bool {
	switch m := marks.(type) {
	case bool:
		return m
	case []any:
		return slices.ContainsFunc(m, anyMarked)
	case map[string]any:
		for _, e := range m {
			if anyMarked(e) {
				return true
			}
		}
	}
	return false
}

// Origins of inputs that are not set in the configuration: either the default applies, or the data source computes the
// value.
const (
	FromDefaults = "defaults"
	FromComputed = "computed"
)

// Origin describes where the value of an input comes from.
func (d *Document) Origin(a *assess.Assessment, f *assess.Fact) string {
	if !f.HasValue() && !slices.Contains(a.Unknown, f.Name) {
		return FromDefaults
	}
	if d.inventory != "" {
		return d.fileOrigin(a.Type, f)
	}
	expression := d.expression(a.Address, f.Name)
	switch {
	case d.plan == nil:
		return "set explicitly (state does not record the source)"
	case expression == nil && f.Result:
		return FromComputed
	case expression == nil:
		return "set (source unknown)"
	case len(expression.References) == 0:
		return "set in the configuration"
	}
	reference := wording.Clean(expression.References[0])
	if parts := strings.Split(reference, "."); parts[0] == "data" && len(parts) > 2 {
		if source := assess.KindOf(parts[1]).Source; source != "" {
			return source + " (" + reference + ")"
		}
	}
	return reference
}

func (d *Document) fileOrigin(kind string, f *assess.Fact) string {
	moves := slices.ContainsFunc(d.computed, func(r assess.Raw) bool { return r.Type == assess.TypeMigration })
	switch {
	case kind == "vsla_inventory_file":
		return "the command line"
	case slices.Contains([]string{"vm_count", "vm_size_gib", "used_gib", "virtual_machines"}, f.Name):
		return "the inventory file"
	case f.Result:
		return "the tiers file, or computed"
	case f.Name == "hourly_moves_percent" && moves:
		return "the migration of the tiers file"
	case kind == assess.TypeMigration && strings.HasSuffix(f.Name, "throughput_mbps"):
		return "the tiers file, or its share of the link"
	}
	return "the tiers file"
}

// expression returns an argument's expression in the plan's configuration, or nil if it is unknown.
func (d *Document) expression(address, argument string) *tfjson.Expression {
	if d.plan == nil || d.plan.Config == nil {
		return nil
	}
	modules, kind, name := assess.Names(address)
	module := d.plan.Config.RootModule
	for _, called := range modules {
		if module == nil || module.ModuleCalls[called] == nil {
			return nil
		}
		module = module.ModuleCalls[called].Module
	}
	if module == nil {
		return nil
	}
	for _, r := range module.Resources {
		if r.Mode == tfjson.DataResourceMode && r.Type == kind && r.Name == name {
			if e := r.Expressions[argument]; e != nil && e.ExpressionData != nil {
				return e
			}
		}
	}
	return nil
}
