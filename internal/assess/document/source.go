package document

import (
	"slices"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
)

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
		return Source{Kind: Inventory, File: d.inventory, Files: d.files}
	case d.plan == nil:
		return Source{Kind: "state", TerraformVersion: d.state.TerraformVersion, Files: d.files}
	}
	return Source{
		Kind:             "plan",
		TerraformVersion: d.plan.TerraformVersion,
		Errored:          d.extra.Errored,
		Destroys:         d.destroys(),
		Files:            d.files,
	}
}

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
				message := p.Message
				if withheld {
					message = "failed. The message is withheld, because it might contain sensitive values."
				}
				notes = append(notes, "Check of "+i.Address.ToDisplay+": "+message)
			}
		}
	}
	return notes
}
