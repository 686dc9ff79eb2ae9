package difference

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/wording"
)

// thing is a result or a resource. A resource is represented as an assessment without a verdict.
type thing struct {
	*assess.Assessment

	resource *document.Resource
	facts    []assess.Fact
}

// things returns the resources of a document and, if results is set, also its results.
func things(d *document.Document, results bool) []*thing {
	var all []*thing
	if results {
		for _, a := range d.Results() {
			all = append(all, &thing{Assessment: a, facts: a.Facts()})
		}
	}
	for _, r := range d.Resources() {
		a := &assess.Assessment{
			Raw: assess.Raw{Address: r.Address, Type: r.Type, Unknown: r.Unknown}, Name: r.Address, Level: wording.Neutral,
		}
		if r.Withheld {
			a.Sensitive = []string{""}
		}
		facts := slices.DeleteFunc(assess.FactsOf(r.Values), func(f assess.Fact) bool { return ignores(r.Type, f.Name) })
		all = append(all, &thing{a, &r, facts})
	}
	return all
}

func (t *thing) managed() bool { return t.resource != nil }

func (t *thing) action() document.Action {
	if t.resource == nil {
		return ""
	}
	return t.resource.Action
}

// pair contains a result or resource as it occurs in both documents. before or after is nil if it occurs in only one.
// action is the action in the later plan.
type pair struct {
	before, after *thing
	action        document.Action
}

func (p pair) either() *thing { return cmp.Or(p.after, p.before) }

type matcher struct {
	before, after []*thing
	pairs         []pair
}

func match(before, after []*thing) []pair {
	leaving := make(map[string]document.Action) // planned actions by address
	leaves := func(t *thing) bool { return t.action() == document.Delete || t.action() == document.Forget }
	for _, t := range after {
		if leaves(t) {
			leaving[t.Address] = t.action()
		}
	}
	before, after = slices.DeleteFunc(before, leaves), slices.DeleteFunc(after, leaves)
	m := &matcher{before: slices.Clone(before), after: slices.Clone(after)}
	m.by(resourceID, resourceID)
	m.by(stateAddress, stateAddress)
	m.by(address, address)
	// A move might be pending in only one of the documents.
	m.by(address, stateAddress)
	m.by(stateAddress, address)
	m.by(address, movedModules(after))
	m.by(arguments, arguments)
	m.by(part, part)
	was, is := shown(before), shown(after)
	for _, b := range m.before {
		if other := is[b.Type+" "+b.Address]; other != nil {
			m.pairs = append(m.pairs, pair{before: b, after: renamed(other, b)})
			continue
		}
		gone := cmp.Or(leaving[stateAddress(b)], leaving[b.Address])
		m.pairs = append(m.pairs, pair{before: b, action: gone})
	}
	for _, a := range m.after {
		p := pair{after: a, action: a.action()}
		if other := was[a.Type+" "+a.Address]; other != nil {
			p.before = renamed(other, a)
		}
		m.pairs = append(m.pairs, p)
	}
	return m.pairs
}

// by pairs entries that have the same key in both documents. It skips empty keys and keys that are not unique.
func (m *matcher) by(beforeKey, afterKey func(*thing) string) {
	was, is := unique(m.before, beforeKey), unique(m.after, afterKey)
	paired := make(map[*thing]bool)
	for key, b := range was {
		if a := is[key]; a != nil && b != nil {
			m.pairs = append(m.pairs, pair{b, a, a.action()})
			paired[a], paired[b] = true, true
		}
	}
	done := func(t *thing) bool { return paired[t] }
	m.before, m.after = slices.DeleteFunc(m.before, done), slices.DeleteFunc(m.after, done)
}

// unique maps keys to entries. A key that is not unique is mapped to nil.
func unique(all []*thing, key func(*thing) string) map[string]*thing {
	found := make(map[string]*thing)
	for _, t := range all {
		k := key(t)
		if k == "" {
			continue
		}
		k = t.Type + " " + k
		if _, twice := found[k]; twice {
			t = nil
		}
		found[k] = t
	}
	return found
}

func address(t *thing) string { return t.Address }

func stateAddress(t *thing) string {
	if t.managed() && t.resource.Former != "" {
		return t.resource.Former
	}
	return t.Address
}

func resourceID(t *thing) string {
	if !t.managed() || t.action() == document.Create || t.action() == document.Replace {
		return ""
	}
	return t.resource.ID
}

func arguments(t *thing) string {
	if t.managed() || t.Hidden() || t.Function {
		return ""
	}
	given := maps.Clone(t.Values)
	maps.DeleteFunc(given, func(name string, v any) bool { return v == nil || !slices.Contains(t.Kind.Arguments, name) })
	if len(given) == 0 {
		return ""
	}
	text, err := json.Marshal(given) // keys are sorted
	if err != nil {
		return ""
	}
	return string(text)
}

// part returns the name of a promise, a link or a target. It returns an empty string for anything else.
func part(t *thing) string {
	switch t.Kind {
	case assess.KindPromise, assess.KindLink, assess.KindTarget:
		return t.Key
	}
	return ""
}

// movedModules returns a function that returns the former address of a result. The former address is derived from moved
// resources in the same module.
func movedModules(after []*thing) func(*thing) string {
	former := make(map[string]string)
	for _, t := range after {
		is, was := modules.FindString(t.Address), modules.FindString(stateAddress(t))
		if is != was && strings.TrimPrefix(t.Address, is) == strings.TrimPrefix(stateAddress(t), was) {
			former[is] = was
		}
	}
	return func(t *thing) string {
		best := "" // longest matching module
		for is := range former {
			if strings.HasPrefix(t.Address, is) && len(is) > len(best) {
				best = is
			}
		}
		if t.managed() || best == "" {
			return ""
		}
		return former[best] + strings.TrimPrefix(t.Address, best)
	}
}

// modules matches the modules in an address, including the final dot: `module.a["x.y"].module.b.`. For the root module,
// it matches an empty string.
var modules = regexp.MustCompile(`^(?:module\.[^.\[]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)*`)

// shown maps each type and output to the result that the output shows.
func shown(all []*thing) map[string]*thing {
	by := make(map[string]*thing)
	for _, t := range all {
		for _, output := range t.Outputs {
			by[t.Type+" "+output] = t
		}
	}
	return by
}

// renamed returns a result with the name of an output, without the facts that the output omits.
func renamed(t, output *thing) *thing {
	same := *t.Assessment
	same.Address, same.Name, same.Title = output.Address, output.Name, output.Title
	facts := slices.DeleteFunc(slices.Clone(t.facts), func(one assess.Fact) bool {
		of := factOf(output.facts, one.Name)
		return of == nil || one.Given() && !of.Given()
	})
	return &thing{Assessment: &same, facts: facts}
}
