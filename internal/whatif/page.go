// Package whatif implements a page on which the inputs of vsla_sla_plan can be changed. A page decodes the arguments of
// a plan once, and its cells refer to fields of the typed plan. As in a review, promise.Compute computes the plan and
// package assess assesses it. The package runs both in the program and, compiled to WebAssembly, in a browser.
package whatif

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// Version is the version of links to a page. Pages of different versions have different cells.
const Version = 2

// Changes maps cell IDs to values that differ from the source. A nil value means that the input is not given. The key
// keyExcluded contains the names of excluded VMs.
type Changes map[string]any

var errInvalidValue = errors.New("a value is invalid: correct it first")

// Page is an opened model.
type Page struct {
	model       *Model
	source      state
	cells       []*Cell
	byID        map[string]*Cell
	fingerprint string
}

// Open decodes a model. The error is a plan.InputErrors.
func Open(m *Model) (*Page, error) {
	source, err := m.state()
	if err == nil {
		err = source.plan.Check()
	}
	if err != nil {
		return nil, err
	}
	p := &Page{model: m, source: source, byID: make(map[string]*Cell), fingerprint: m.fingerprint()}
	shared := source.clone()
	p.cells = newCells(&shared)
	for _, c := range p.cells {
		p.byID[c.ID] = c
	}
	return p, nil
}

func (p *Page) normalize(changes Changes) Changes {
	kept := Changes{}
	for id, v := range changes {
		if id == keyExcluded {
			if names := excludedVMs(changes); len(names) > 0 {
				kept[id] = v
			}
		} else if c := p.byID[id]; c != nil && c.Kind != "shown" && !reflect.DeepEqual(v, c.Source) {
			kept[id] = v
		}
	}
	return kept
}

func excludedVMs(changes Changes) []string {
	list, _ := changes[keyExcluded].([]any)
	var names []string
	for _, v := range list {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

func (p *Page) apply(changes Changes) (state, map[string]string) {
	s, problems := p.source.clone(), make(map[string]string)
	changes = p.normalize(changes)
	s.excludeVMs(excludedVMs(changes))
	for _, c := range p.cells {
		v, changed := changes[c.ID]
		if !changed {
			continue
		}
		if err := c.set(&s, v); err != nil {
			problems[c.ID] = reasonOf(err)
		}
	}
	s.dropExcludedMoves(&p.source)
	if len(problems) > 0 {
		return s, problems
	}
	if errs, ok := errors.AsType[plan.InputErrors](s.plan.Check()); ok {
		for _, e := range errs {
			problems[p.cellAt(e.Path)] = wording.Plain(e.Reason)
		}
	}
	return s, problems
}

func (p *Page) applyValid(changes Changes) (state, error) {
	s, problems := p.apply(changes)
	if len(problems) > 0 {
		return s, errInvalidValue
	}
	return s, nil
}

func reasonOf(err error) string {
	if problems, ok := errors.AsType[plan.InputErrors](err); ok && len(problems) > 0 {
		return wording.Plain(problems[0].Reason)
	}
	return err.Error()
}

// cellAt returns the ID of the cell to which a problem of the plan refers, or of the first cell in the same part if
// there is no such cell.
func (p *Page) cellAt(at plan.Path) string {
	scope, rest := "plan", at
	if len(at) > 1 && slices.Contains([]string{"links", "targets", "tiers"}, at[0].Name) {
		scope, rest = strings.TrimSuffix(at[0].Name, "s")+"/"+at[1].Name, at[2:]
	}
	for n := len(rest); n > 0; n-- {
		names := make([]string, n)
		for i := range names {
			names[i] = rest[i].Name
		}
		if id := scope + "/" + strings.Join(names, "."); p.byID[id] != nil {
			return id
		}
	}
	for _, c := range p.cells {
		if strings.HasPrefix(c.ID, scope+"/") {
			return c.ID
		}
	}
	return scope
}

// Edited contains the effects of changes that can be determined without a simulation.
type Edited struct {
	// Problems maps cell IDs to problems. If it is empty, the plan can be computed.
	Problems map[string]string `json:"wrong"`
	// Values contains the new values of unchanged cells that depend on changed ones.
	Values  map[string]any    `json:"values"`
	Changed []Change          `json:"changed"`
	Tiers   map[string]totals `json:"tiers"`
	Total   totals            `json:"total"`
	// Changes contains the changes, except those whose values equal the values in the source.
	Changes  Changes `json:"changes"`
	Fragment string  `json:"fragment"`
}

// Change describes a cell that differs from the source.
type Change struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Edit returns the effects of changes that can be determined without a simulation.
func (p *Page) Edit(changes Changes) *Edited {
	kept := p.normalize(changes)
	s, problems := p.apply(kept)
	e := &Edited{
		Problems: problems,
		Values:   make(map[string]any),
		Changed:  []Change{},
		Tiers:    make(map[string]totals),
		Changes:  kept,
		Fragment: p.Fragment(kept),
	}
	if names := excludedVMs(kept); len(names) > 0 {
		e.Changed = append(e.Changed, Change{
			ID:    keyExcluded,
			Label: "Excluded VMs",
			From:  "none",
			To:    strings.Join(names, ", "),
		})
	}
	for _, c := range p.cells {
		v, changed := kept[c.ID]
		if changed {
			e.Changed = append(e.Changed, Change{
				ID:    c.ID,
				Label: p.nameOf(c),
				From:  c.text(c.Source),
				To:    c.text(v),
			})
		} else if is := c.get(&s); c.Kind == "number" && !reflect.DeepEqual(is, c.Source) {
			e.Values[c.ID] = is
		}
	}
	for name, t := range s.plan.Tiers {
		one := totalsOf(t)
		e.Tiers["tier/"+name] = one
		e.Total.VMs += one.VMs
		e.Total.GiB += one.GiB
		e.Total.ChangeGiB += one.ChangeGiB
	}
	return e
}

func (p *Page) nameOf(c *Cell) string {
	scope := strings.TrimSuffix(c.ID, "/"+c.name)
	_, name, ok := strings.Cut(scope, "/")
	if !ok {
		return c.Label
	}
	return name + ", " + c.Label
}

// Scale returns changes that scale the VM counts of all tiers in proportion to a new total.
func (p *Page) Scale(changes Changes, vms int) Changes {
	s, _ := p.apply(changes)
	scaled := p.normalize(changes)
	for name, n := range s.scaledCounts(vms) {
		scaled["tier/"+name+"/vm_count"] = n
	}
	return p.normalize(scaled)
}

// Multiply returns changes that multiply the same input of all parts of a kind by a factor, for example the throughputs
// of all links.
func (p *Page) Multiply(changes Changes, kind, name string, factor float64) (Changes, error) {
	s, err := p.applyValid(changes)
	if err != nil {
		return nil, err
	}
	scaled, isScaled := p.normalize(changes), false
	for _, c := range p.cells {
		if !strings.HasPrefix(c.ID, kind+"/") || c.name != name {
			continue
		}
		if v, ok := c.get(&s).(float64); ok {
			scaled[c.ID] = plan.Nearest.Round(v*factor, 3)
			isScaled = true
		}
	}
	if !isScaled {
		return nil, fmt.Errorf("no %s has a value for %s", kind, name)
	}
	return p.normalize(scaled), nil
}
