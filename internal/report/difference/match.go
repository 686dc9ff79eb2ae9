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
)

// object is a result with its facts.
type object struct {
	*assess.Assessment

	facts []assess.Fact
	// compared contains the facts that a comparison considers, of which not all are promised.
	compared []assess.Fact
}

func objectsOf(d, other *document.Document) []*object {
	var all []*object
	if d.Source().Destroys {
		return all
	}
	for _, a := range d.ResultsWithout(other) {
		all = append(all, &object{Assessment: a, facts: a.Facts(), compared: a.Compared()})
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

// pair is a result before and after the change. before or after is nil if only one document contains it.
type pair struct {
	before, after *object
	roster        *roster
}

func (p pair) latest() *object { return cmp.Or(p.after, p.before) }

type matcher struct {
	before, after []*object
	pairs         []pair
}

func matchObjects(before, after *document.Document) []pair {
	m := &matcher{before: objectsOf(before, after), after: objectsOf(after, before)}
	m.pairBy(addressKey, addressKey)
	m.pairBy(addressKey, movedModuleKey(after.Resources()))
	m.pairBy(argumentsKey, argumentsKey)
	m.pairBy(nameKey, nameKey)
	m.pairBy(onlyKey, onlyKey)
	for _, b := range m.before {
		m.pairs = append(m.pairs, pair{before: b})
	}
	for _, a := range m.after {
		m.pairs = append(m.pairs, pair{after: a})
	}
	return m.pairs
}

// pairBy pairs entries that have the same key in both documents. It skips empty keys and keys that are not unique.
func (m *matcher) pairBy(beforeKey, afterKey func(*object) string) {
	beforeByKey := uniqueByKey(m.before, beforeKey)
	afterByKey := uniqueByKey(m.after, afterKey)
	paired := make(map[*object]bool)
	for key, b := range beforeByKey {
		if a := afterByKey[key]; a != nil && b != nil {
			m.pairs = append(m.pairs, pair{before: b, after: a})
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

func argumentsKey(t *object) string {
	if t.Hidden() {
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

// onlyKey returns a key for a link or a target that has no namesake in the other document. A single one in each
// document is taken for a renamed one.
func onlyKey(t *object) string {
	switch t.Kind {
	case assess.KindLink, assess.KindTarget:
		return t.Type
	}
	return ""
}

// movedModuleKey returns a function that derives the former address of a result from moved resources in the same
// module.
func movedModuleKey(resources []document.Resource) func(*object) string {
	former := make(map[string]string)
	for _, r := range resources {
		is, was := modulePrefix.FindString(r.Address), modulePrefix.FindString(r.PreviousAddress)
		if r.PreviousAddress != "" && is != was &&
			strings.TrimPrefix(r.Address, is) == strings.TrimPrefix(r.PreviousAddress, was) {
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
		if best == "" {
			return ""
		}
		return former[best] + strings.TrimPrefix(t.Address, best)
	}
}

// modulePrefix matches the modules in an address, including the final dot: `module.a["x.y"].module.b.`. For the root
// module, it matches an empty string.
var modulePrefix = regexp.MustCompile(`^(?:module\.[^.\[]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)*`)
