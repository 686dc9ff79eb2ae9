// The page: a model with changes, and what follows from them.

package whatif

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan"
)

// Changes are the values of cells that differ from the source; nil takes an input away.
type Changes map[string]any

// Page is an open model.
type Page struct {
	model  *Model
	layout *Layout
	cells  map[string]*Cell
	// cache has results by calculation and inputs.
	cache map[string]outcome
	// before are the verdicts of the source, once they are all known.
	before map[string]*verdict
	print  string
}

type outcome struct {
	results map[string]any
	problem error
}

// Open prepares a model.
func Open(m *Model) *Page {
	p := &Page{model: m, cache: map[string]outcome{}, before: map[string]*verdict{}, print: m.fingerprint()}
	var d *drawing
	if m.Tiers != nil {
		d = &drawing{sheet: newSheet(m.Tiers)}
		d.estate(m.Tiers)
	} else {
		d = &drawing{sheet: newSheet(m.Results)}
		all, _ := p.calculations(nil, false)
		d.results(all)
	}
	p.layout, p.cells = d.layout(m), d.byID
	return p
}

// Layout returns the layout.
func (p *Page) Layout() *Layout { return p.layout }

// keep returns the changes that are changes, of cells that there are.
func (p *Page) keep(changes Changes) Changes {
	kept := Changes{}
	for id, v := range changes {
		if c := p.cells[id]; c != nil && !reflect.DeepEqual(v, c.Source) {
			kept[id] = v
		}
	}
	return kept
}

// tree returns the source with changes.
func (p *Page) tree(changes Changes) any {
	var tree any = p.model.Tiers
	if p.model.Tiers == nil {
		tree = p.model.Results
	}
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		if c := p.cells[id]; c != nil {
			for _, at := range c.paths {
				if tree = set(tree, at, changes[id]); rangeOf(at) != nil {
					tree = set(tree, rangeOf(at), nil)
				}
			}
		}
	}
	return tree
}

// rangeOf returns the path of the range of an input, which a changed value replaces; nil without one.
func rangeOf(at path) path {
	switch n := len(at); {
	case n == 1:
		return path{keyRanges, at[0]}
	case at[n-2] == keyInputs:
		return append(slices.Clone(at[:n-2]), keyRanges, at[n-1])
	}
	return nil
}

// calculations returns all calculations with their results; slow ones only from the cache unless all is set.
func (p *Page) calculations(changes Changes, all bool) ([]*calculation, []string) {
	tree := p.tree(changes)
	if p.model.Tiers == nil {
		return p.single(list(tree), all), nil
	}
	var calculations []*calculation
	notes, _ := estateOf(object(tree)).Compute(func(one onlink.Calculation) (map[string]any, error) {
		c := &calculation{Calculation: one, key: one.Name, title: one.Name, id: one.Calculator.Command + "/" + one.Name}
		switch one.Calculator.Command {
		case onlink.Schedule:
			c.title = "all tiers together"
		case onlink.Storage:
			c.title = one.Name + ", replicas"
		case onlink.Confidence:
			c.title = one.Name + ", confidence"
		case onlink.Link:
			c.title = "the link"
		}
		p.compute(c, all)
		calculations = append(calculations, c)
		return c.results, nil
	})
	return calculations, notes
}

// single returns the calculations of a plan or a state. The index of each is in Tier.
func (p *Page) single(tree []any, all bool) []*calculation {
	calculations := make([]*calculation, 0, len(tree))
	for i, element := range tree {
		one := object(element)
		c := &calculation{from: map[string]int{}}
		c.Calculator, _ = calculatorOf(one)
		c.Name, _ = one[keyName].(string)
		c.key, _ = one[keyKey].(string)
		c.title, _ = one["title"].(string)
		c.Inputs, c.Tier, c.id = maps.Clone(object(one[keyInputs])), i, c.Name
		for input, index := range object(one[keyFrom]) {
			if n, ok := index.(float64); ok && c.Inputs[input] == nil {
				c.from[input] = int(n)
			}
		}
		calculations = append(calculations, c)
	}
	done := map[int]bool{}
	var compute func(i, depth int)
	compute = func(i, depth int) {
		if i < 0 || i >= len(calculations) || done[i] || depth > len(calculations) {
			return
		}
		c := calculations[i]
		for input, index := range c.from {
			compute(index, depth+1)
			if index >= 0 && index < len(calculations) {
				c.Inputs[input] = calculations[index].results[input]
			}
		}
		p.compute(c, all)
		done[i] = true
	}
	for i := range calculations {
		compute(i, 0)
	}
	return calculations
}

// compute fills in the results.
func (p *Page) compute(c *calculation, all bool) {
	key := c.cacheKey()
	found, ok := p.cache[key]
	if !ok {
		if slow(c.Calculator) && !all {
			found, ok = p.cache[key+quickSuffix]
			c.results, c.problem, c.partial, c.pending = found.results, found.problem, ok && found.problem == nil, !ok
			return
		}
		found.results, found.problem = c.Calculator.Evaluate(c.Inputs)
		p.remember(key, found)
	}
	c.results, c.problem = found.results, found.problem
}

// mostCached bounds the memory of a long meeting.
const mostCached = 2000

func (p *Page) remember(key string, o outcome) {
	if len(p.cache) >= mostCached {
		clear(p.cache)
	}
	p.cache[key] = o
}

// quickSuffix distinguishes results without what would change their verdict.
const quickSuffix = " quick"

// Job is a slow calculation that is not computed yet.
type Job struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Quick asks for the verdict only. Verdict: a verdict waits for it.
	Quick   bool `json:"quick"`
	Verdict bool `json:"verdict"`
}

// jobs returns the calculations that are left, the verdicts first.
func jobs(all []*calculation) []Job {
	list, later := []Job{}, []Job{}
	for _, c := range all {
		_, has := quick(c.Calculator)
		switch {
		case c.pending:
			list = append(list, Job{ID: c.id, Title: c.title, Quick: has, Verdict: true})
		case c.partial:
			later = append(later, Job{ID: c.id, Title: c.title})
		}
	}
	return append(list, later...)
}

// Run computes a job of the changes, and returns its results as Finish takes them.
func (p *Page) Run(changes Changes, job Job) (map[string]any, error) {
	all, _ := p.calculations(p.keep(changes), false)
	for _, c := range all {
		if c.id != job.ID {
			continue
		}
		if q, ok := quick(c.Calculator); ok && job.Quick {
			return q.Evaluate(c.Inputs)
		}
		return c.Calculator.Evaluate(c.Inputs)
	}
	return nil, fmt.Errorf("there is no calculation %q", job.ID)
}

// Finish takes the results of a job, or its problem.
func (p *Page) Finish(changes Changes, job Job, results map[string]any, problem error) {
	all, _ := p.calculations(p.keep(changes), false)
	for _, c := range all {
		if c.id != job.ID {
			continue
		}
		key := c.cacheKey()
		if job.Quick {
			key += quickSuffix
		}
		p.remember(key, outcome{results, problem})
	}
}

// problems returns the problems of a calculation's inputs.
func problems(err error) plan.InputErrors {
	errs, _ := err.(plan.InputErrors) //nolint:errorlint // calculators return it unwrapped
	return errs
}
