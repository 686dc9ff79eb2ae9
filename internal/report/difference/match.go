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
	"terraform-provider-vsla/internal/plan"
)

// object is a result or a resource. A resource is represented as an assessment without a verdict.
type object struct {
	*assess.Assessment

	resource *document.Resource
	facts    []assess.Fact
}

func objectsOf(d, other *document.Document, results bool) []*object {
	var all []*object
	if results {
		for _, a := range d.ResultsWithout(other) {
			all = append(all, &object{Assessment: a, facts: a.Facts()})
		}
	}
	for _, r := range d.Resources() {
		a := &assess.Assessment{
			Raw: assess.Raw{Address: r.Address, Type: r.Type, Unknown: r.Unknown}, Name: r.Address, Level: plan.Neutral,
		}
		if r.Withheld {
			a.Sensitive = []string{""}
		}
		facts := slices.DeleteFunc(assess.FactsOf(r.Values), func(f assess.Fact) bool { return isIgnored(r.Type, f.Name) })
		all = append(all, &object{a, &r, facts})
	}
	return all
}

// inputs returns the facts of a result, or the inputs of a withheld result, of which some can be sensitive.
func (t *object) inputs() []assess.Fact {
	if t.Withheld() {
		return t.Given()
	}
	return t.facts
}

func (t *object) isManaged() bool { return t.resource != nil }

func (t *object) action() document.Action {
	if t.resource == nil {
		return ""
	}
	return t.resource.Action
}

// pair is a result or a resource before and after the change. before or after is nil if only one document contains it.
// action is the planned action.
type pair struct {
	before, after *object
	action        document.Action
	roster        *roster
}

func (p pair) latest() *object { return cmp.Or(p.after, p.before) }

type matcher struct {
	before, after []*object
	pairs         []pair
}

func matchObjects(before, after []*object) []pair {
	removalByAddress := make(map[string]document.Action)
	isRemoved := func(t *object) bool { return t.action() == document.Delete || t.action() == document.Forget }
	for _, t := range after {
		if isRemoved(t) {
			removalByAddress[t.Address] = t.action()
		}
	}
	before, after = slices.DeleteFunc(before, isRemoved), slices.DeleteFunc(after, isRemoved)
	m := &matcher{before: slices.Clone(before), after: slices.Clone(after)}
	m.pairBy(resourceIDKey, resourceIDKey)
	m.pairBy(stateAddressKey, stateAddressKey)
	m.pairBy(addressKey, addressKey)
	// A move might be pending in only one of the documents.
	m.pairBy(addressKey, stateAddressKey)
	m.pairBy(stateAddressKey, addressKey)
	m.pairBy(addressKey, movedModuleKey(after))
	m.pairBy(argumentsKey, argumentsKey)
	m.pairBy(nameKey, nameKey)
	for _, b := range m.before {
		action := cmp.Or(removalByAddress[stateAddressKey(b)], removalByAddress[b.Address])
		m.pairs = append(m.pairs, pair{before: b, action: action})
	}
	for _, a := range m.after {
		m.pairs = append(m.pairs, pair{after: a, action: a.action()})
	}
	return m.pairs
}

// pairBy pairs entries that have the same key in both documents. It skips empty keys and keys that are not unique.
func (m *matcher) pairBy(beforeKey, afterKey func(*object) string) {
	beforeByKey, afterByKey := uniqueByKey(m.before, beforeKey), uniqueByKey(m.after, afterKey)
	paired := make(map[*object]bool)
	for key, b := range beforeByKey {
		if a := afterByKey[key]; a != nil && b != nil {
			m.pairs = append(m.pairs, pair{before: b, after: a, action: a.action()})
			paired[a], paired[b] = true, true
		}
	}
	isPaired := func(t *object) bool { return paired[t] }
	m.before, m.after = slices.DeleteFunc(m.before, isPaired), slices.DeleteFunc(m.after, isPaired)
}

// uniqueByKey maps keys to entries. A key that is not unique is mapped to nil.
func uniqueByKey(all []*object, key func(*object) string) map[string]*object {
	byKey := make(map[string]*object)
	for _, t := range all {
		k := key(t)
		if k == "" {
			continue
		}
		k = t.Type + " " + k
		if _, twice := byKey[k]; twice {
			t = nil
		}
		byKey[k] = t
	}
	return byKey
}

func addressKey(t *object) string { return t.Address }

func stateAddressKey(t *object) string {
	if t.isManaged() && t.resource.PreviousAddress != "" {
		return t.resource.PreviousAddress
	}
	return t.Address
}

func resourceIDKey(t *object) string {
	if !t.isManaged() || t.action() == document.Create || t.action() == document.Replace {
		return ""
	}
	return t.resource.ID
}

func argumentsKey(t *object) string {
	if t.isManaged() || t.Hidden() {
		return ""
	}
	arguments := maps.Clone(t.Values)
	maps.DeleteFunc(arguments, func(name string, v any) bool {
		return v == nil || !slices.Contains(t.Kind.Arguments, name)
	})
	if len(arguments) == 0 {
		return ""
	}
	text, err := json.Marshal(arguments) // sorts the keys
	if err != nil {
		return ""
	}
	return string(text)
}

// nameKey returns the name of a promise, a link or a target. It returns an empty string for anything else.
func nameKey(t *object) string {
	switch t.Kind {
	case assess.KindPromise, assess.KindLink, assess.KindTarget:
		return t.Key
	}
	return ""
}

// movedModuleKey returns a function that derives the former address of a result from moved resources in the same
// module.
func movedModuleKey(after []*object) func(*object) string {
	former := make(map[string]string)
	for _, t := range after {
		is, was := modulePrefix.FindString(t.Address), modulePrefix.FindString(stateAddressKey(t))
		if is != was && strings.TrimPrefix(t.Address, is) == strings.TrimPrefix(stateAddressKey(t), was) {
			former[is] = was
		}
	}
	return func(t *object) string {
		best := "" // longest matching module
		for is := range former {
			if strings.HasPrefix(t.Address, is) && len(is) > len(best) {
				best = is
			}
		}
		if t.isManaged() || best == "" {
			return ""
		}
		return former[best] + strings.TrimPrefix(t.Address, best)
	}
}

// modulePrefix matches the modules in an address, including the final dot: `module.a["x.y"].module.b.`. For the root
// module, it matches an empty string.
var modulePrefix = regexp.MustCompile(`^(?:module\.[^.\[]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)*`)
