// Results that were computed from an inventory file, without Terraform.

package report

import (
	"maps"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
)

const kindInventory = "inventory"

// FromInventory returns the document of an inventory file, without results. Notes are about the file as a whole.
func FromInventory(file string, notes []string) *Document {
	d := &Document{inventory: file, state: &tfjson.State{}}
	for _, note := range notes {
		d.added = append(d.added, clean(note))
	}
	return d
}

// AddOpen adds what no result is about, and what to do about it: VMs without a promise, and promises without VMs. It
// counts as a result that is not known.
func (d *Document) AddOpen(name, text string) {
	d.open = append(d.open, Decision{Level: Unknown, Name: clean(name), Text: clean(text)})
}

// Add adds a result with the attributes that its data source would have: numbers are float64, lists []any and objects
// map[string]any. The name distinguishes results of a data source.
func (d *Document) Add(dataSource, name string, values map[string]any) {
	d.computed = append(d.computed, &instance{
		address: "data." + dataSource + "." + name, kind: dataSource, title: clean(name), key: name, values: values,
	})
}

// String returns the kind of source, with its article.
func (s Source) String() string {
	switch {
	case s.Kind == kindInventory:
		return "the inventory file " + s.File
	case s.TerraformVersion != "":
		return "a Terraform " + s.TerraformVersion + " " + s.Kind
	}
	return "a " + s.Kind
}

// skippedWords are the reasons for which a row of a file is no VM.
var skippedWords = map[string]string{
	"template": "template", "placeholder": "placeholder of Site Recovery Manager",
	"inaccessible": "vCenter could not reach it", "duplicate": "in the file twice", "no_name": "without a name",
	"no_size": "without used storage",
}

// skippedTables counts the rows of a file that are no VM, by reason.
func skippedTables(in *instance) []Table {
	counts := map[string]int{}
	list, _ := in.values["skipped"].([]any)
	for _, e := range list {
		row, _ := e.(map[string]any)
		if reason, ok := row["reason"].(string); ok {
			counts[reason]++
		}
	}
	if len(counts) == 0 {
		return nil
	}
	t := newTable("Rows left out", "Reason", "#Rows")
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		words := skippedWords[reason]
		if words == "" {
			words = clean(reason)
		}
		t.add(words, decimal(float64(counts[reason])))
	}
	return []Table{t}
}
