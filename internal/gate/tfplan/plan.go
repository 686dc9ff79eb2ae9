// Package tfplan decodes a plan of Terraform or OpenTofu: the JSON that `show -json` writes, and the plan file itself,
// which contains what the JSON lacks.
package tfplan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess/document"
)

// Plan is a decoded plan.
type Plan struct {
	FormatVersion      string              `json:"format_version"`
	Errored            *bool               `json:"errored"`
	Complete           *bool               `json:"complete"`
	Planned            *Values             `json:"planned_values"`
	Drift              []*Change           `json:"resource_drift"`
	Changes            []*Change           `json:"resource_changes"`
	DeferredChanges    []deferredChange    `json:"deferred_changes"`
	Outputs            map[string]any      `json:"output_changes"`
	Prior              *prior              `json:"prior_state"`
	Configuration      *Configuration      `json:"configuration"`
	Checks             []Check             `json:"checks"`
	Invocations        []*Invocation       `json:"action_invocations"`
	DeferredInvocation []deferredInvocaton `json:"deferred_action_invocations"`

	// File is what the plan file contains; nil if it was not given.
	File *File `json:"-"`

	results map[string]*Resource
}

type (
	deferredChange struct {
		Change *Change `json:"resource_change"`
	}
	deferredInvocaton struct {
		Invocation *Invocation `json:"action_invocation"`
	}
	prior struct {
		Values *Values `json:"values"`
	}
)

// Values are the resources and outputs of a state.
type Values struct {
	Root *Module `json:"root_module"`
}

// Module is a module instance in a state.
type Module struct {
	Resources []*Resource `json:"resources"`
	Modules   []*Module   `json:"child_modules"`
}

// Resource is a resource or a result in a state.
type Resource struct {
	Address  string         `json:"address"`
	Mode     string         `json:"mode"`
	Type     string         `json:"type"`
	Index    any            `json:"index"`
	Provider string         `json:"provider_name"`
	Values   map[string]any `json:"values"`
}

// Change is what a plan does to a resource, or what was done to it outside of Terraform.
type Change struct {
	Address  string `json:"address"`
	Previous string `json:"previous_address"`
	Mode     string `json:"mode"`
	Type     string `json:"type"`
	Index    any    `json:"index"`
	Provider string `json:"provider_name"`
	Deposed  string `json:"deposed"`
	Reason   string `json:"action_reason"`
	Change   struct {
		Actions   []string       `json:"actions"`
		Before    map[string]any `json:"before"`
		After     map[string]any `json:"after"`
		Unknown   any            `json:"after_unknown"`
		Importing map[string]any `json:"importing"`
	} `json:"change"`
}

// Check is the result of a check block or a condition.
type Check struct {
	Address struct {
		Kind    string `json:"kind"`
		Display string `json:"to_display"`
	} `json:"address"`
	Status string `json:"status"`
}

// Invocation is an action that apply runs.
type Invocation struct {
	Address  string `json:"address"`
	Type     string `json:"type"`
	Provider string `json:"provider_name"`
}

// Modes of resources.
const (
	Managed = "managed"
	Data    = "data"
)

// Read decodes the JSON of a plan.
func Read(text []byte) (*Plan, error) {
	p := &Plan{}
	if err := json.Unmarshal(document.Decode(text), p); err != nil {
		return nil, fmt.Errorf("%w: %w", document.ErrNotShowJSON, err)
	}
	p.Changes = slices.DeleteFunc(p.Changes, func(c *Change) bool { return c == nil })
	p.Drift = slices.DeleteFunc(p.Drift, func(c *Change) bool { return c == nil })
	p.Invocations = slices.DeleteFunc(p.Invocations, func(i *Invocation) bool { return i == nil })
	for _, d := range p.DeferredInvocation {
		if d.Invocation != nil {
			p.Invocations = append(p.Invocations, d.Invocation)
		}
	}
	p.results = make(map[string]*Resource)
	for _, r := range p.State() {
		if r.Address == "" || r.Mode == "" || r.Type == "" {
			return nil, fmt.Errorf(
				"%w: a resource in prior_state has no address, mode or type",
				document.ErrNotShowJSON,
			)
		}
		if r.Mode == Data {
			p.results[r.Address] = r
		}
	}
	return p, nil
}

// State returns the resources and results after the refresh.
func (p *Plan) State() []*Resource {
	if p.Prior == nil {
		return nil
	}
	return p.Prior.Values.all()
}

// PlannedResources returns the resources after apply.
func (p *Plan) PlannedResources() []*Resource { return p.Planned.all() }

func (v *Values) all() []*Resource {
	if v == nil {
		return nil
	}
	var found []*Resource
	for modules := []*Module{v.Root}; len(modules) > 0; modules = modules[1:] {
		if m := modules[0]; m != nil {
			modules = append(modules, m.Modules...)
			for _, r := range m.Resources {
				if r != nil {
					found = append(found, r)
				}
			}
		}
	}
	return found
}

// Results returns the known results of a data source, sorted by address.
func (p *Plan) Results(kind string) []*Resource {
	var found []*Resource
	for _, r := range p.results {
		if r.Type == kind {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b *Resource) int { return strings.Compare(a.Address, b.Address) })
	return found
}

// Pending returns the data sources that are read only during apply. A data source inside a check block is read twice;
// the value from plan counts.
func (p *Plan) Pending() []*Change {
	var found []*Change
	all := slices.Clone(p.Changes)
	for _, d := range p.DeferredChanges {
		if d.Change != nil {
			d.Change.Mode = Data
			all = append(all, d.Change)
		}
	}
	for _, c := range all {
		_, known := p.results[c.Address]
		if c.Mode == Data && (c.Reason != "read_because_check_nested" || !known) {
			found = append(found, c)
		}
	}
	return found
}

// Has reports whether one of the actions is planned.
func (c *Change) Has(actions ...string) bool {
	return slices.ContainsFunc(actions, func(a string) bool { return slices.Contains(c.Change.Actions, a) })
}

// Actions of a change.
const (
	Create = "create"
	Delete = "delete"
	Forget = "forget"
)

// After returns the values after apply, with those marked that are known only then.
func (c *Change) After() any {
	if c.Change.After == nil {
		return nil
	}
	return overlay(c.Change.After, c.Change.Unknown)
}

var key = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]|\[[0-9]+\]`)

// Block returns an address without instance keys: module.a["x"].vsla_tag.y["z"] becomes module.a.vsla_tag.y.
func Block(address string) string { return key.ReplaceAllString(address, "") }

// ModuleOf returns the module instance of an address: module.a["x"]. for module.a["x"].vsla_tag.y. The root is "".
func ModuleOf(address string) string { return moduleInstance.FindString(address) }

var moduleInstance = regexp.MustCompile(`^(?:module\.[^.\[]+(?:\["(?:[^"\\]|\\.)*"\]|\[[0-9]+\])?\.)+`)
