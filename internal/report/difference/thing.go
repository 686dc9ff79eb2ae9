package difference

import (
	"encoding/json"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/wording"
)

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
