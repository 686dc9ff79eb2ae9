package document

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// Invocation is an action of vsla that a plan runs.
type Invocation struct {
	Address string `json:"address"`
	Type    string `json:"type"`
	// Trigger is the resource whose change runs it, and Event the change; empty for one that the plan was made for.
	Trigger string `json:"trigger,omitempty"`
	Event   string `json:"event,omitempty"`
	// Deferred: it runs only after another apply.
	Deferred bool `json:"deferred,omitempty"`
}

// String returns for example "action.vsla_replication_pause.night, after_create of terraform_data.x".
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

// Actions returns the actions of vsla that the plan runs, by address. A resource of any provider can trigger them.
func (d *Document) Actions() []Invocation {
	list := make([]Invocation, 0)
	add := func(i invocation, deferred bool) {
		if !strings.HasPrefix(i.Type, prefix) {
			return
		}
		one := Invocation{Address: wording.Clean(i.Address), Type: wording.Clean(i.Type), Deferred: deferred}
		if i.Trigger != nil {
			one.Trigger, one.Event = wording.Clean(i.Trigger.Resource), wording.Clean(i.Trigger.Event)
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
