package estate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
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

// Migration contains the arguments of vsla_migration_plan. The throughput is missing if a link provides it.
type Migration struct {
	Arguments map[string]any
	// Link is the link in the SLA plan that provides the throughput, or empty if Arguments contains one. SharePercent
	// is the percentage of the link to use.
	Link         string
	SharePercent float64
}

// Review contains all results for an estate.
type Review struct {
	Results    []Result
	Notes      []string
	OpenPoints []OpenPoint
	// Blocked contains the names of the VMs of the tiers that vSphere Replication refuses.
	Blocked []string
	// Plan contains the arguments of the SLA plan. Migration is nil if the tiers file has none.
	Plan      map[string]any
	assigned  assignment
	Migration *Migration
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

func (r *Review) add(ctx context.Context, c *calculator.Calculator, name string, arguments map[string]any) error {
	results, err := c.EvaluateContext(ctx, arguments)
	if err != nil {
		return err
	}
	values := maps.Clone(arguments)
	maps.Copy(values, results)
	r.Results = append(r.Results, Result{Type: c.DataSource(), Name: name, Values: values})
	return nil
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
