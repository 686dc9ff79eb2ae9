package document

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

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

// Actions returns the vsla actions that the plan runs, sorted by address. Resources of any provider can trigger them.
func (d *Document) Actions() []Invocation {
	list := make([]Invocation, 0)
	add := func(i invocation, deferred bool) {
		if !strings.HasPrefix(i.Type, prefix) {
			return
		}
		one := Invocation{Address: i.Address, Type: i.Type, Deferred: deferred}
		if i.Trigger != nil {
			one.Trigger = i.Trigger.Resource
			one.Event = i.Trigger.Event
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
