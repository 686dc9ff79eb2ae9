package document

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

const prefix = "vsla_"

// Results returns the assessments of all results, sorted by address.
func (d *Document) Results() []*assess.Assessment {
	if d.results == nil {
		d.results = assess.List(d.raw())
	}
	return d.results
}

// ResultsWithout returns the results without what another document marks as sensitive at their addresses.
func (d *Document) ResultsWithout(other *Document) []*assess.Assessment {
	sensitive := make(map[string][]string)
	for _, a := range other.Results() {
		if a.Withheld() {
			sensitive[a.Address] = a.Sensitive
		}
	}
	if len(sensitive) == 0 {
		return d.Results()
	}
	all := d.raw()
	for i, raw := range all {
		all[i].Sensitive = slices.Concat(raw.Sensitive, sensitive[raw.Address])
	}
	return assess.List(all)
}

func (d *Document) raw() []assess.Raw {
	found := make(map[string]assess.Raw)
	for _, raw := range d.computed {
		found[raw.Address] = raw
	}
	if d.state != nil {
		collectState(found, d.state.Values)
	} else {
		if d.plan.PriorState != nil {
			collectState(found, d.plan.PriorState.Values)
		}
		d.collectDeferred(found)
	}
	byAddress := func(a, b assess.Raw) int { return wording.Natural(a.Address, b.Address) }
	return slices.SortedFunc(maps.Values(found), byAddress)
}

// Providers contains the addresses of the provider in the public registries.
var Providers = []string{"registry.terraform.io/vsla/vsla", "registry.opentofu.org/vsla/vsla"}

func isOurs(want, mode tfjson.ResourceMode, kind, provider string) bool {
	return mode == want && strings.HasPrefix(kind, prefix) && slices.Contains(Providers, provider)
}

func ours(want tfjson.ResourceMode, values *tfjson.StateValues) []*tfjson.StateResource {
	return slices.DeleteFunc(inModules(values), func(r *tfjson.StateResource) bool {
		return !isOurs(want, r.Mode, r.Type, r.ProviderName)
	})
}

func inModules(values *tfjson.StateValues) []*tfjson.StateResource {
	var found []*tfjson.StateResource
	if values == nil {
		return found
	}
	modules := []*tfjson.StateModule{values.RootModule}
	for len(modules) > 0 {
		m := modules[0]
		modules = modules[1:]
		if m != nil {
			modules = append(modules, m.ChildModules...)
			found = append(found, m.Resources...)
		}
	}
	return found
}

// addForeignResults adds an open point for every other provider whose data sources have vsla types, such as a fork with
// a different registry address. Results of such providers are not judged and count as unknown.
func (d *Document) addForeignResults(values *tfjson.StateValues) {
	numbers := make(map[string]int)
	for _, r := range inModules(values) {
		named := r.Mode == tfjson.DataResourceMode && strings.HasPrefix(r.Type, prefix)
		if named && !slices.Contains(Providers, r.ProviderName) {
			numbers[r.ProviderName]++
		}
	}
	for _, provider := range slices.Sorted(maps.Keys(numbers)) {
		name := wording.Count(numbers[provider], "result") + " of " + provider
		d.AddOpen(name, "Only results of the provider vsla/vsla are evaluated.")
	}
}

func collectState(found map[string]assess.Raw, values *tfjson.StateValues) {
	for _, r := range ours(tfjson.DataResourceMode, values) {
		found[r.Address] = assess.Raw{
			Address:   r.Address,
			Type:      r.Type,
			Values:    r.AttributeValues,
			Sensitive: marked(decodeMarks(r.SensitiveValues)),
		}
	}
}

var deferredReasons = map[string]string{
	"read_because_config_unknown":     "its arguments depend on values that are known after apply",
	"read_because_dependency_pending": "this plan changes one of its dependencies (for example in `depends_on`)",
}

// collectDeferred adds the results that are read during apply. A data source in a check block can be listed both with
// and without a value, in which case the value takes precedence.
func (d *Document) collectDeferred(found map[string]assess.Raw) {
	reasons := make(map[string]string)
	for _, c := range d.extra.ResourceChanges {
		reasons[c.Address] = c.Reason
	}
	changes := slices.Clone(d.plan.ResourceChanges)
	for _, c := range d.plan.DeferredChanges {
		changes = append(changes, c.ResourceChange)
	}
	for _, c := range changes {
		if c == nil || c.Change == nil || !isOurs(tfjson.DataResourceMode, c.Mode, c.Type, c.ProviderName) ||
			!c.Change.Actions.Read() {
			continue
		}
		if _, known := found[c.Address]; known {
			continue
		}
		raw := assess.Raw{Address: c.Address, Type: c.Type, Sensitive: marked(c.Change.AfterSensitive)}
		raw.Values, _ = c.Change.After.(map[string]any)
		raw.Deferred = cmp.Or(deferredReasons[reasons[c.Address]], "it is read during apply")
		raw.Unknown = onlyInputs(c.Type, marked(c.Change.AfterUnknown))
		found[c.Address] = raw
	}
}

// onlyInputs removes the names of results, because results are never known before the data source is read.
func onlyInputs(kind string, names []string) []string {
	inputs := assess.KindOf(kind).Arguments
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(inputs, name) })
}
