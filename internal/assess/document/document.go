// Package document reads plans and states from the output of `terraform show -json`. It returns vsla's results as
// assessments, along with vsla's resources and actions.
package document

import (
	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

// Document is a decoded plan or state, or an inventory file that was read without Terraform.
type Document struct {
	plan  *tfjson.Plan
	state *tfjson.State
	extra extra
	// inventory is the name of the inventory file, if the results were computed without Terraform.
	inventory      string
	computed       []assess.Raw
	files          []assess.File
	inventoryNotes []string
	open           []Open
	blockedVMs     int
	results        []*assess.Assessment
}

// Open is an open point that does not belong to any result, such as VMs without a promise or a failed plan. Text
// explains it or states what to do. An open point counts as an unknown result.
type Open struct{ Name, Text string }

type extra struct {
	Errored         bool   `json:"errored"`
	Timestamp       string `json:"timestamp"`
	ResourceChanges []struct {
		Address string `json:"address"`
		Reason  string `json:"action_reason"`
	} `json:"resource_changes"`
	Invocations []invocation `json:"action_invocations"`
	Deferred    []struct {
		Invocation invocation `json:"action_invocation"`
	} `json:"deferred_action_invocations"`
}

type invocation struct {
	Address string `json:"address"`
	Type    string `json:"type"`
	Trigger *struct {
		Resource string `json:"triggering_resource_address"`
		Event    string `json:"action_trigger_event"`
	} `json:"lifecycle_action_trigger"`
}

// FromInventory returns a document for an inventory file, initially without results. notes apply to the whole file.
func FromInventory(file string, notes []string) *Document {
	return &Document{inventory: wording.Clean(file), state: &tfjson.State{}, inventoryNotes: notes}
}

// SetBlockedVMs sets the number of VMs of the tiers that cannot be replicated.
func (d *Document) SetBlockedVMs(n int) { d.blockedVMs = n }

// BlockedVMs returns the number of VMs of the tiers that cannot be replicated.
func (d *Document) BlockedVMs() int { return d.blockedVMs }

// AddOpen adds an open point.
func (d *Document) AddOpen(name, text string) {
	d.open = append(d.open, Open{name, text})
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

// AddFiles records files that were read for the document.
func (d *Document) AddFiles(files ...assess.File) { d.files = append(d.files, files...) }
