// Results that were computed from an inventory file, without Terraform.

package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
)

const kindInventory = "inventory"

// Result is a result with the attributes that its data source would have.
type Result struct {
	// Type is the data source, Name distinguishes results of a type.
	Type, Name string
	Values     map[string]any
}

// FromInventory returns the document of results that were computed from an inventory file. Notes are about the file as
// a whole.
func FromInventory(file string, results []Result, notes []string) (*Document, error) {
	module := &tfjson.StateModule{}
	for _, r := range results {
		// Values from elsewhere are as a file would have them: numbers are float64, lists []any.
		text, err := json.Marshal(r.Values)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Type, r.Name, err)
		}
		var values map[string]any
		if err := json.Unmarshal(text, &values); err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Type, r.Name, err)
		}
		module.Resources = append(module.Resources, &tfjson.StateResource{
			Address: "data." + r.Type + "." + r.Name, Mode: tfjson.DataResourceMode, Type: r.Type, Name: r.Name,
			AttributeValues: values,
		})
	}
	d := &Document{inventory: file, state: &tfjson.State{Values: &tfjson.StateValues{RootModule: module}}}
	for _, note := range notes {
		d.added = append(d.added, clean(note))
	}
	d.names = make(map[string]string, len(results))
	for i, r := range results {
		d.names[module.Resources[i].Address] = r.Name
	}
	return d, nil
}

// String returns what was read, with its article.
func (s Source) String() string {
	switch {
	case s.Kind == kindInventory:
		return "the inventory file " + s.File
	case s.TerraformVersion != "":
		return "a " + s.Kind + " of version " + s.TerraformVersion + " of the CLI"
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
