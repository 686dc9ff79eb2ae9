package estate

import (
	"context"
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Result contains the attributes of a data source instance.
type Result struct {
	// Type is the data source type. Name distinguishes results of the same type.
	Type, Name string
	Values     map[string]any
}

// OpenPoint is an unresolved point: its subject and a recommendation.
type OpenPoint struct{ Name, Text string }

// Review contains all results for an estate.
type Review struct {
	Results    []Result
	Notes      []string
	OpenPoints []OpenPoint
	// Blocked contains the names of the VMs of the tiers that vSphere Replication refuses.
	Blocked []string
	// Plan is the SLA plan, and Promised is its result.
	Plan     promise.Plan
	Promised promise.Result
	// Moves is the migration; nil if the tiers file has none.
	Moves    *promise.Moves
	assigned assignment
	// TiersFile is the text of the tiers file with the assignments applied.
	TiersFile string
}

const maxNamed = 10

// noteNames adds a note with a list of names, if there are any.
func (r *Review) noteNames(format string, names []string) {
	if slices.Sort(names); len(names) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf(format, quantity.List(names, maxNamed)))
	}
}

// add computes the result of an input, and adds it under a name.
func add[I, R any](
	ctx context.Context, r *Review, d calculator.Definition[I, R], name string, in I,
) (R, error) {
	result, values, err := d.Document(ctx, in)
	if err == nil {
		r.Results = append(r.Results, Result{Type: d.DataSource(), Name: name, Values: values})
	}
	return result, err
}

// vmsAre returns phrases such as "1 VM is" and "2 VMs are".
func vmsAre(n int, one, several string) string {
	if n == 1 {
		return "1 VM " + one
	}
	return plan.Count(float64(n), "VM") + " " + several
}

func (r *Review) addUnknown(name string, vms int, text string) {
	if vms > 0 {
		r.OpenPoints = append(r.OpenPoints, OpenPoint{name + " of " + plan.Count(float64(vms), "VM"), text})
	}
}
