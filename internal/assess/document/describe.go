package document

import (
	"fmt"
	"slices"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

// Source is the document that was read.
type Source struct {
	// Kind is "plan", "state" or "inventory".
	Kind string `json:"kind"`
	// File is the inventory file.
	File             string `json:"file,omitempty"`
	TerraformVersion string `json:"terraform_version"`
	Errored          bool   `json:"errored"`
	Destroys         bool   `json:"destroys"`
	// Files were read for the document.
	Files []assess.File `json:"files,omitempty"`
}

// Inventory is the kind of an inventory file.
const Inventory = "inventory"

// String returns the kind of source, with its article.
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

// AddFiles adds files that were read.
func (d *Document) AddFiles(files ...assess.File) { d.files = append(d.files, files...) }

// Day is the day on which a plan was made, zero for another document.
func (d *Document) Day() time.Time {
	made, err := time.Parse(time.RFC3339, d.extra.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return made.UTC()
}

// destroys reports whether a plan leaves nothing: only deletions, and no data source that is read. A plan that deletes
// because the configuration has changed has a reason.
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

// Notes are about the document as a whole: a plan that failed, checks that did.
func (d *Document) Notes() []string {
	all := d.Results()
	notes := []string{}
	if d.extra.Errored {
		notes = append(notes, "The plan ended with an error: it cannot be applied, and results may be missing.")
	}
	for _, name := range d.deep {
		notes = append(notes, fmt.Sprintf("%s is nested more than %d levels deep; results below that are not read.",
			wording.Clean(name), maxDepth))
	}
	if d.plan == nil || len(all) == 0 {
		return append(notes, d.added...)
	}
	if d.destroys() {
		notes = append(notes, "This plan destroys what there is; the results are those that were read before it.")
	}
	withheld := slices.ContainsFunc(all, (*assess.Assessment).Withheld)
	for _, c := range d.plan.Checks {
		for _, i := range c.Instances {
			for _, p := range i.Problems {
				message := wording.Clean(p.Message)
				if withheld {
					message = "it failed; its message is withheld, because it may quote what is marked as sensitive."
				}
				notes = append(notes, "Check of "+wording.Clean(i.Address.ToDisplay)+": "+message)
			}
		}
	}
	return notes
}

// FromInventory returns the document of an inventory file, without results. Notes are about the file as a whole.
func FromInventory(file string, notes []string) *Document {
	d := &Document{inventory: file, state: &tfjson.State{}}
	for _, note := range notes {
		d.added = append(d.added, wording.Clean(note))
	}
	return d
}

// AddOpen adds what no result is about.
func (d *Document) AddOpen(name, text string) {
	d.open = append(d.open, Open{wording.Clean(name), wording.Clean(text)})
}

// Open returns what no result is about.
func (d *Document) Open() []Open { return d.open }

// Add adds a result with the attributes that its data source would have: numbers are float64, lists []any and objects
// map[string]any. The name distinguishes results of a data source.
func (d *Document) Add(dataSource, name string, values map[string]any) {
	d.computed = append(d.computed, assess.Raw{
		Address: "data." + dataSource + "." + name, Type: dataSource, Title: name, Values: values,
	})
}
