// The model: what a page starts from.

package whatif

import (
	"fmt"
	"hash/fnv"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/plan/replication"
)

// Version is that of the links to a page: a page of another version has other cells.
const Version = 1

// Model is the source of a page. Its values are those of JSON: float64, string, bool, []any and map[string]any.
type Model struct {
	// Program is the version of the program that wrote the page, File the name of the source and Kind its kind.
	Program string `json:"program,omitempty"`
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	File    string `json:"file,omitempty"`
	// Notes are about the source as a whole, Open is what no result is about.
	Notes []string `json:"notes,omitempty"`
	Open  []Gap    `json:"open,omitempty"`
	// Tiers are tiers on a link, and TiersFile the file that they are from; Results are single calculations. A model has
	// one or the other.
	Tiers     map[string]any `json:"tiers,omitempty"`
	TiersFile map[string]any `json:"tiers_file,omitempty"`
	Results   []any          `json:"results,omitempty"`
}

// Gap is a promise without VMs, or VMs without a promise.
type Gap struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// The keys of a model's trees.
const (
	keyThroughput = "throughput_mbps"
	keyEfficiency = "efficiency_percent"
	keyLink       = "link"
	keySchedule   = "schedule"
	keyMigration  = "migration"
	keyTiers      = "tiers"
	keyVMs        = "virtual_machines"
	keyName       = "name"
	keyKey        = "key"
	keyType       = "type"
	keyInputs     = "inputs"
	keyFrom       = "from"
	keyGroups     = "groups"
	keyCount      = "vm_count"
	keySize       = "vm_size_gib"
	keyBasis      = "throughput_basis"
	keyRanges     = "ranges"
)

// FromEstate returns the tree of tiers on a link.
func FromEstate(e *onlink.Estate) map[string]any {
	tiers := []any{}
	for _, t := range e.Tiers {
		if t.VMCount == nil {
			continue
		}
		tier := map[string]any{keyName: t.Name, keyCount: t.VMCount, keySize: t.VMSizeGiB, keyInputs: t.Inputs}
		if len(t.Ranges) > 0 {
			tier[keyRanges] = t.Ranges
		}
		tiers = append(tiers, tier)
	}
	tree := map[string]any{keyTiers: tiers}
	set := func(key string, v any, given bool) {
		if given {
			tree[key] = v
		}
	}
	set(keyThroughput, e.Throughput, e.Throughput != nil)
	set(keyEfficiency, e.Efficiency, e.Efficiency != nil)
	set(keyBasis, e.Basis, e.Basis != nil)
	set(keyRanges, e.Ranges, len(e.Ranges) > 0)
	set(keyLink, e.Link, e.Link != nil)
	set(keySchedule, e.Schedule, e.Schedule != nil)
	set(keyMigration, e.Migration, e.Migration != nil)
	set(keyVMs, e.VMs, e.VMs != nil)
	return tree
}

// estateOf is the inverse of FromEstate. A throughput that is given replaces the link.
func estateOf(tree map[string]any) *onlink.Estate {
	e := &onlink.Estate{
		Throughput: tree[keyThroughput], Efficiency: tree[keyEfficiency], Link: object(tree[keyLink]),
		Basis: tree[keyBasis], Ranges: object(tree[keyRanges]),
		Schedule: object(tree[keySchedule]), Migration: object(tree[keyMigration]), VMs: object(tree[keyVMs]),
	}
	if e.Throughput != nil {
		e.Link = nil
	}
	for _, one := range list(tree[keyTiers]) {
		t := object(one)
		name, _ := t[keyName].(string)
		e.Tiers = append(e.Tiers, onlink.Tier{
			Name: name, VMCount: t[keyCount], VMSizeGiB: t[keySize], Inputs: object(t[keyInputs]),
			Ranges: object(t[keyRanges]),
		})
	}
	return e
}

// calculation is a calculator with its inputs and, once computed, its results.
type calculation struct {
	onlink.Calculation

	id, title string
	// key is the key of a result, by which a group of a schedule is its tier.
	key string
	// from are the results of which inputs are taken: the name of the input and the index of the calculation.
	from map[string]int
	// results are nil while they are computed, and after a problem.
	results map[string]any
	problem error
	pending bool
	// partial: a slow calculation has its verdict, and not yet what would change it.
	partial bool
}

// label returns the label of the link.
func (c *calculation) label() string {
	s, _ := c.Inputs[keyLink].(string)
	return s
}

// slow reports whether a calculation may take longer than a keystroke.
func slow(c *calculator.Calculator) bool {
	if c.Command == "confidence" || c.Command == onlink.Migration {
		return true
	}
	for _, f := range c.Inputs() {
		if f.Simulates && f.Required {
			return true
		}
	}
	return false
}

// simulated is the schedule without the throughputs that it would need, whose search is most of its time.
var simulated = func() *calculator.Calculator {
	d := replication.ScheduleDefinition
	d.Compute = replication.Simulate
	return d.Calculator()
}()

// quick returns a calculator of the same verdict that takes less time; false without one.
func quick(c *calculator.Calculator) (*calculator.Calculator, bool) {
	return simulated, c.Command == onlink.Schedule
}

// cacheKey names a calculation with its inputs. VMs that move cannot be edited, and are many.
func (c *calculation) cacheKey() string {
	inputs := make(map[string]any, len(c.Inputs))
	for name, v := range c.Inputs {
		if name != keyVMs {
			inputs[name] = v
		}
	}
	return c.id + " " + jsonOf(inputs)
}

// fingerprint distinguishes the sources of pages.
func (m *Model) fingerprint() string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(jsonOf([]any{m.Tiers, m.Results})))
	return fmt.Sprintf("%016x", sum.Sum64())
}

// calculatorOf returns the calculator of a result in a tree.
func calculatorOf(result map[string]any) (*calculator.Calculator, bool) {
	name, _ := result[keyType].(string)
	return registry.OfDataSource(name)
}
