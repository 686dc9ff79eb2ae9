package difference

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/wording"
)

type pair struct{ before, after *thing }

func (p pair) managed() bool { return p.either().Managed }

func (p pair) either() *thing {
	if p.after != nil {
		return p.after
	}
	return p.before
}

type matcher struct {
	before, after []*thing
	pairs         []pair
	// leaving are the resources that the later plan deletes or forgets, by address, and planned those that the earlier
	// plan does not have any more.
	leaving map[string]document.Action
}

func match(before, after []thing) []pair {
	m := &matcher{leaving: make(map[string]document.Action)}
	for i, f := range after {
		if f.Action == document.Delete || f.Action == document.Forget {
			m.leaving[f.Address] = f.Action
			continue
		}
		m.after = append(m.after, &after[i])
	}
	for i, f := range before {
		if f.Action != document.Delete && f.Action != document.Forget {
			m.before = append(m.before, &before[i])
		}
	}
	address := func(f *thing) string { return f.Address }
	m.by(resourceID, resourceID)
	m.by(stateAddress, stateAddress)
	m.by(address, address)
	// A plan that moves is also compared with a plan or state in which the move is done, or was never planned.
	m.by(address, stateAddress)
	m.by(stateAddress, address)
	m.by(address, movedModules(after))
	given := func(f *thing) string { return f.arguments }
	m.by(given, given)
	part := func(f *thing) string { return f.part }
	m.by(part, part)
	m.byOutputs()
	for _, b := range m.before {
		m.pairs = append(m.pairs, pair{before: m.left(b)})
	}
	for _, a := range m.after {
		m.pairs = append(m.pairs, pair{after: a})
	}
	return m.pairs
}

func (m *matcher) left(b *thing) *thing {
	gone := *b
	gone.Action = ""
	for _, address := range []string{b.Address, stateAddress(b)} {
		if a, ok := m.leaving[address]; ok && b.Managed {
			gone.Action = a
		}
	}
	return &gone
}

// by pairs what has the same key on both sides, where the key is found once on each; nothing has an empty key.
func (m *matcher) by(beforeKey, afterKey func(*thing) string) {
	was, is := unique(m.before, beforeKey), unique(m.after, afterKey)
	paired := make(map[*thing]bool)
	for _, b := range m.before {
		key := typed(b, beforeKey)
		if a := is[key]; a != nil && was[key] == b {
			m.pairs = append(m.pairs, pair{b, a})
			paired[a], paired[b] = true, true
		}
	}
	done := func(f *thing) bool { return paired[f] }
	m.before, m.after = slices.DeleteFunc(m.before, done), slices.DeleteFunc(m.after, done)
}

func typed(f *thing, key func(*thing) string) string {
	if k := key(f); k != "" {
		return f.Type + " " + k
	}
	return ""
}

// unique returns what has each key; nil where several have it.
func unique(all []*thing, key func(*thing) string) map[string]*thing {
	found := make(map[string]*thing)
	for _, f := range all {
		k := typed(f, key)
		if k == "" {
			continue
		}
		if _, twice := found[k]; twice {
			found[k] = nil
		} else {
			found[k] = f
		}
	}
	return found
}

func stateAddress(f *thing) string {
	if f.Former != "" {
		return f.Former
	}
	return f.Address
}

func movedModules(after []thing) func(*thing) string {
	former := make(map[string]string)
	for _, f := range after {
		if f.Former == "" {
			continue
		}
		is, was := moduleOf(f.Address), moduleOf(f.Former)
		if is != was && strings.TrimPrefix(f.Address, is) == strings.TrimPrefix(f.Former, was) {
			former[is] = was
		}
	}
	return func(f *thing) string {
		if f.Managed {
			return ""
		}
		// The longest of the modules counts.
		best, found := "", false
		for is := range former {
			if strings.HasPrefix(f.Address, is) && (!found || len(is) > len(best)) {
				best, found = is, true
			}
		}
		if !found || best == "" {
			return ""
		}
		return former[best] + strings.TrimPrefix(f.Address, best)
	}
}

// moduleOf returns the module of an address with its dot at the end: `module.a["x.y"].module.b.`, empty for the root.
func moduleOf(address string) string {
	end := 0
	for strings.HasPrefix(address[end:], "module.") {
		next := stepEnd(address, end+len("module."))
		if next < 0 {
			break
		}
		end = next + 1
	}
	return address[:end]
}

// stepEnd returns where the dot is that ends a step of an address: not within the quotes of a key; -1 without one.
func stepEnd(address string, from int) int {
	quoted, escaped := false, false
	for i := from; i < len(address); i++ {
		switch c := address[i]; {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			return i
		}
	}
	return -1
}

func resourceID(f *thing) string {
	if !f.Managed || f.Action == document.Create || f.Action == document.Replace {
		return ""
	}
	return f.ID
}

func (m *matcher) byOutputs() {
	was, is := make(map[string]*thing), make(map[string]*thing)
	for _, p := range m.pairs {
		shown(was, p.before)
		shown(is, p.after)
	}
	for _, b := range m.before {
		shown(was, b)
	}
	for _, a := range m.after {
		shown(is, a)
	}
	m.before = slices.DeleteFunc(m.before, func(b *thing) bool {
		other := is[b.Type+" "+b.Address]
		if other != nil {
			m.pairs = append(m.pairs, pair{b, renamed(other, b)})
		}
		return other != nil
	})
	m.after = slices.DeleteFunc(m.after, func(a *thing) bool {
		other := was[a.Type+" "+a.Address]
		if other != nil {
			m.pairs = append(m.pairs, pair{renamed(other, a), a})
		}
		return other != nil
	})
}

func shown(by map[string]*thing, f *thing) {
	if f == nil {
		return
	}
	for _, output := range f.Outputs {
		by[f.Type+" "+output] = f
	}
}

func renamed(f, output *thing) *thing {
	same := *f
	same.Address, same.Name, same.Title, same.Former = output.Address, output.Name, output.Title, ""
	// An output has the results only.
	same.Facts = slices.DeleteFunc(slices.Clone(f.Facts), func(one assess.Fact) bool {
		of := output.fact(one.Name)
		return of == nil || one.Given() && !of.Given()
	})
	return &same
}

type thing struct {
	Address, Former    string
	Name, Title, Type  string
	Managed            bool
	ID                 string
	Action             document.Action
	Level              wording.Level
	Verdict, Summary   string
	Reasons            []assess.Reason
	Remedy             string
	Deferred, Withheld bool
	Unknown, Outputs   []string
	Facts              []assess.Fact
	part, arguments    string
	reserve            string
}

// things returns the results, if they count, and the resources of a document.
func things(d *document.Document, results bool) []thing {
	var all []thing
	if results {
		for _, a := range d.Results() {
			all = append(all, thingOf(a))
		}
	}
	for _, r := range d.Resources() {
		one := thing{
			Address: r.Address, Former: r.Former, Name: r.Address, Type: r.Type, Managed: true, ID: r.ID, Action: r.Action,
			Level: wording.Neutral, Unknown: r.Unknown, Withheld: r.Withheld, Facts: assess.FactsOf(r.Values),
		}
		one.Facts = slices.DeleteFunc(one.Facts, func(f assess.Fact) bool { return ignores(r.Type, f.Name) })
		all = append(all, one)
	}
	return all
}

func thingOf(a *assess.Assessment) thing {
	one := thing{
		Address: a.Address, Name: a.Name, Title: a.Title, Type: a.Type, Level: a.Level, Verdict: a.Verdict,
		Summary: wording.Plain(a.Summary), Reasons: []assess.Reason{}, Remedy: a.Remedy(), Deferred: a.Deferred != "",
		Withheld: a.Withheld(), Unknown: a.Unknown, Outputs: a.Outputs, Facts: slices.Clone(a.Facts()),
	}
	for _, r := range a.Reasons {
		one.Reasons = append(one.Reasons, assess.Reason{Code: r.Code, Sentence: wording.Plain(r.Sentence)})
	}
	if one.Withheld {
		one.Unknown = nil
	}
	if p, ok := assess.As[*assess.Promise](a); ok {
		one.reserve = p.Reserve(a.Key)
	}
	switch a.Kind {
	case assess.KindPromise, assess.KindLink, assess.KindTarget:
		one.part, one.Name = a.Key, a.Title
	default:
		one.arguments = arguments(a)
	}
	return one
}

func arguments(a *assess.Assessment) string {
	if a.Hidden() || a.Function {
		return ""
	}
	given := maps.Clone(a.Values)
	maps.DeleteFunc(given, func(name string, v any) bool { return v == nil || !slices.Contains(a.Kind.Arguments, name) })
	if len(given) == 0 {
		return ""
	}
	text, err := json.Marshal(given) // sorts the keys
	if err != nil {
		return ""
	}
	return string(text)
}

// fact returns the fact of a name; nil without one.
func (t *thing) fact(name string) *assess.Fact {
	if i := slices.IndexFunc(t.Facts, func(f assess.Fact) bool { return f.Name == name }); i >= 0 {
		return &t.Facts[i]
	}
	return nil
}
