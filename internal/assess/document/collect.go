package document

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

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
	all := d.raw()
	for i := range all {
		all[i].Sensitive = append(all[i].Sensitive, sensitive[wording.Clean(all[i].Address)]...)
	}
	if len(sensitive) == 0 {
		return d.Results()
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
	return slices.SortedFunc(
		maps.Values(found),
		func(a, b assess.Raw) int { return wording.Natural(a.Address, b.Address) },
	)
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
			modules, found = append(modules, m.ChildModules...), append(found, m.Resources...)
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

// Source describes the document that was read.
type Source struct {
	// Kind is "plan", "state" or "inventory".
	Kind string `json:"kind"`
	// File is the name of the inventory file.
	File             string        `json:"file,omitempty"`
	TerraformVersion string        `json:"terraform_version"`
	Errored          bool          `json:"errored"`
	Destroys         bool          `json:"destroys"`
	Files            []assess.File `json:"files,omitempty"`
}

// Inventory is the value of Source.Kind for an inventory file.
const Inventory = "inventory"

// String returns the source as a noun phrase, for example "a Terraform 1.14.0 plan".
func (s Source) String() string {
	switch {
	case s.Kind == Inventory:
		return "the inventory file " + s.File
	case s.TerraformVersion != "":
		return "a Terraform " + s.TerraformVersion + " " + s.Kind
	}
	return "a " + s.Kind
}

// Source returns the source of the document.
func (d *Document) Source() Source {
	switch {
	case d.inventory != "":
		return Source{Kind: Inventory, File: wording.Clean(d.inventory), Files: d.files}
	case d.plan == nil:
		return Source{Kind: "state", TerraformVersion: wording.Clean(d.state.TerraformVersion), Files: d.files}
	}
	return Source{
		Kind:             "plan",
		TerraformVersion: wording.Clean(d.plan.TerraformVersion),
		Errored:          d.extra.Errored,
		Destroys:         d.destroys(),
		Files:            d.files,
	}
}

// AddFiles records files that were read for the document.
func (d *Document) AddFiles(files ...assess.File) { d.files = append(d.files, files...) }

// CreationDate returns the time at which the plan was created, in UTC. For any other document, it returns the zero
// time.
func (d *Document) CreationDate() time.Time {
	created, err := time.Parse(time.RFC3339, d.extra.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return created.UTC()
}

// destroys reports whether the plan destroys everything: it only deletes resources, reads no data sources, and gives no
// reason for any change.
func (d *Document) destroys() bool {
	for _, c := range d.extra.ResourceChanges {
		if c.Reason != "" {
			return false
		}
	}
	deletes := false
	for _, c := range d.plan.ResourceChanges {
		if c == nil || c.Change == nil || c.Mode == tfjson.DataResourceMode && c.Change.Actions.NoOp() {
			continue
		}
		if !c.Change.Actions.Delete() {
			return false
		}
		deletes = true
	}
	return deletes
}

// Notes returns notes about the whole document, for example that checks failed.
func (d *Document) Notes() []string {
	all := d.Results()
	notes := []string{}
	if d.plan == nil || len(all) == 0 {
		return append(notes, d.inventoryNotes...)
	}
	if d.destroys() {
		notes = append(notes, "This plan destroys all resources. The results were read before.")
	}
	withheld := slices.ContainsFunc(all, (*assess.Assessment).Withheld)
	for _, c := range d.plan.Checks {
		for _, i := range c.Instances {
			for _, p := range i.Problems {
				message := wording.Clean(p.Message)
				if withheld {
					message = "failed. The message is withheld, because it might contain sensitive values."
				}
				notes = append(notes, "Check of "+wording.Clean(i.Address.ToDisplay)+": "+message)
			}
		}
	}
	return notes
}

// FromInventory returns a document for an inventory file, initially without results. notes apply to the whole file.
func FromInventory(file string, notes []string) *Document {
	d := &Document{inventory: file, state: &tfjson.State{}}
	for _, note := range notes {
		d.inventoryNotes = append(d.inventoryNotes, wording.Clean(note))
	}
	return d
}

// SetBlockedVMs sets the number of VMs of the tiers that cannot be replicated.
func (d *Document) SetBlockedVMs(n int) { d.blockedVMs = n }

// BlockedVMs returns the number of VMs of the tiers that cannot be replicated.
func (d *Document) BlockedVMs() int { return d.blockedVMs }

// AddOpen adds an open point.
func (d *Document) AddOpen(name, text string) {
	d.open = append(d.open, Open{wording.Clean(name), wording.Clean(text)})
}

// Open returns the open points.
func (d *Document) Open() []Open { return d.open }

// Add adds a result of a data source. In values, numbers are float64, lists are []any, and objects are map[string]any.
// name distinguishes results of the same data source.
func (d *Document) Add(dataSource, name string, values map[string]any) {
	d.computed = append(d.computed, assess.Raw{
		Address: "data." + dataSource + "." + name,
		Type:    dataSource,
		Title:   name,
		Values:  values,
	})
}
