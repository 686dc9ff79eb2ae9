// Finding vsla's results in a plan or a state.

package report

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
)

const prefix = "vsla_"

// instance is one result as the file has it.
type instance struct {
	address, kind string
	values        map[string]any
	// deferred is the reason why it is not read yet; empty when it is. unknown are its inputs that are not known.
	deferred string
	unknown  []string
	// sensitive are the attributes that hold a sensitive value; "" is all of it.
	sensitive []string
	// result: it has a function's result only, no inputs.
	result bool
	// outputs show the same value.
	outputs []string
	// title is its name for readers, key the last key or name of its address.
	title, key string
	// simulated: a schedule has the VMs of this estimate. alone: it counts in place of the estimate. doubts are why a
	// result that holds is at risk, by the group of a schedule.
	simulated, alone bool
	doubts           map[string]string
	// plain: it has no charts, because others matter more; brief: it is in tables only.
	plain, brief bool
	// date is the day of the review; zero if that is not known.
	date time.Time
}

// instances lists all results, by address.
func (d *Document) instances() []*instance {
	found := make(map[string]*instance)
	for _, in := range d.computed {
		found[in.address] = in
	}
	if d.state != nil {
		collectState(found, d.state.Values)
	} else {
		if d.plan.PriorState != nil {
			collectState(found, d.plan.PriorState.Values)
		}
		d.collectDeferred(found)
	}
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b *instance) int { return natural(a.address, b.address) })
	for _, output := range d.outputs() {
		list = d.collectOutput(list, output)
	}
	for _, in := range list {
		in.key = cmp.Or(in.key, lastKey(in.address))
	}
	relate(list)
	return list
}

// providers are the addresses of vsla, those that the policies accept.
var providers = []string{"registry.terraform.io/vsla/vsla", "registry.opentofu.org/vsla/vsla"}

// isOurs reports whether a data source or a resource, by the mode, is one of vsla.
func isOurs(want, mode tfjson.ResourceMode, kind, provider string) bool {
	return mode == want && strings.HasPrefix(kind, prefix) && slices.Contains(providers, provider)
}

// ours returns the data sources or the resources of vsla, by the mode, in all modules.
func ours(want tfjson.ResourceMode, values *tfjson.StateValues) []*tfjson.StateResource {
	var found []*tfjson.StateResource
	if values == nil {
		return found
	}
	modules := []*tfjson.StateModule{values.RootModule}
	for len(modules) > 0 {
		m := modules[0]
		modules = modules[1:]
		if m == nil {
			continue
		}
		modules = append(modules, m.ChildModules...)
		for _, r := range m.Resources {
			if isOurs(want, r.Mode, r.Type, r.ProviderName) {
				found = append(found, r)
			}
		}
	}
	return found
}

func collectState(found map[string]*instance, values *tfjson.StateValues) {
	for _, r := range ours(tfjson.DataResourceMode, values) {
		found[r.Address] = &instance{
			address: r.Address, kind: r.Type, values: r.AttributeValues, sensitive: marked(decodeMarks(r.SensitiveValues)),
		}
	}
}

var deferredReasons = map[string]string{
	"read_because_config_unknown":     "its arguments depend on values that are known after apply",
	"read_because_dependency_pending": "what it depends on is changed by this plan (a `depends_on` does this)",
}

// collectDeferred adds what will be read during apply. A read in a check block is in both places; the value wins.
func (d *Document) collectDeferred(found map[string]*instance) {
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
			found[c.Address] != nil ||
			!c.Change.Actions.Read() {
			continue
		}
		in := &instance{address: c.Address, kind: c.Type, sensitive: marked(c.Change.AfterSensitive)}
		in.values, _ = c.Change.After.(map[string]any)
		in.deferred = cmp.Or(deferredReasons[reasons[c.Address]], "it is read during apply")
		in.unknown = onlyInputs(c.Type, marked(c.Change.AfterUnknown))
		found[c.Address] = in
	}
}

// onlyInputs leaves out the results, which are never known before.
func onlyInputs(kind string, names []string) []string {
	inputs := inputsOf(kind)
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(inputs, name) })
}

// output is a root module's output.
type output struct {
	name      string
	value     any
	sensitive bool
}

func (d *Document) outputs() []output {
	var list []output
	values := func(all map[string]*tfjson.StateOutput) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if o := all[name]; o != nil && o.Value != nil {
				list = append(list, output{"output." + name, o.Value, o.Sensitive})
			}
		}
	}
	switch {
	case d.state != nil && d.state.Values != nil:
		values(d.state.Values.Outputs)
	case d.plan != nil && d.plan.PlannedValues != nil:
		values(d.plan.PlannedValues.Outputs)
	}
	return list
}

// collectOutput adds the functions' results in an output, however deep they are in it. One that equals a data
// source's is named there and not repeated.
func (d *Document) collectOutput(list []*instance, o output) []*instance {
	if o.sensitive {
		// Keys inside a sensitive value are sensitive as well.
		if kind := firstKind(o.value); kind != "" {
			list = append(list, &instance{address: o.name, kind: kind, result: true, sensitive: []string{""}})
		}
		return list
	}
	return d.collectNested(list, []string{o.name}, o.value)
}

// maxDepth is how deep outputs are searched.
const maxDepth = 100

// collectNested adds the functions' results in a value; path is where it is.
func (d *Document) collectNested(list []*instance, path []string, value any) []*instance {
	if len(path) > maxDepth {
		if !slices.Contains(d.deep, path[0]) {
			d.deep = append(d.deep, path[0])
		}
		return list
	}
	switch v := value.(type) {
	case []any:
		for i, e := range v {
			list = d.collectNested(list, append(path, "["+strconv.Itoa(i)+"]"), e)
		}
	case map[string]any:
		kind := recognise(v)
		if kind == "" {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				list = d.collectNested(list, append(path, fmt.Sprintf("[%q]", key)), v[key])
			}
			return list
		}
		name := strings.Join(path, "")
		for _, in := range list {
			if in.kind == kind && in.deferred == "" && within(v, in.values) {
				in.outputs = append(in.outputs, name)
				return list
			}
		}
		list = append(list, &instance{address: name, kind: kind, values: v, result: true})
	}
	return list
}

// firstKind reports whose result stands first in a value.
func firstKind(v any) string {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if kind := firstKind(e); kind != "" {
				return kind
			}
		}
	case map[string]any:
		if kind := recognise(v); kind != "" {
			return kind
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if kind := firstKind(v[key]); kind != "" {
				return kind
			}
		}
	}
	return ""
}

// within reports whether all that one object has, another has too.
func within(part, whole map[string]any) bool {
	for key, v := range part {
		if w, ok := whole[key]; !ok || !reflect.DeepEqual(v, w) {
			return false
		}
	}
	return true
}

// natural orders texts so that numbers in them count: item[9] before item[10].
func natural(a, b string) int {
	digits := func(s string) int {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return n
	}
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n == 0 || m == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(n, m)); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}
