package page

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/wording"
)

// FromDocument returns the model of the first readable vsla_sla_plan result in a document, and that result. Both are
// nil if there is none. The model contains no withheld values.
func FromDocument(file string, d *document.Document) (*whatif.Model, *promise.Result) {
	m := &whatif.Model{Kind: d.Source().Kind, File: wording.Clean(file), Files: d.Source().Files}
	if day := d.CreationDate(); !day.IsZero() {
		m.Date = day.Format(time.DateOnly)
	}
	var result *promise.Result
	var withheld, deferred, others, migrations int
	for _, a := range d.Results() {
		p, ok := assess.As[*assess.Promise](a)
		migrated, moves := assess.As[assess.Migration](a)
		switch {
		case a.Withheld():
			withheld++
		case a.Deferred != "":
			deferred++
		case moves && migrated.NoInput == nil && m.Moves == nil:
			m.Moves = movesOf(&migrated.Input)
		case moves:
			migrations++
		case !ok || p.Plan.NoInput != nil:
		case result == nil:
			result, m.Name = &p.Plan.Result, planName(a)
			defaults := promise.Defaults()
			m.Plan = promise.Definition.Inputs.Encode(&p.Plan.Input, &defaults)
		case planName(a) != m.Name:
			others++
		}
	}
	if result == nil {
		return nil, nil
	}
	m.Open = gapsOf(d)
	note := func(n int, noun, why string) {
		if n > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("Not on this page: %s (%s).", wording.Count(n, noun), why))
		}
	}
	note(withheld, "result", "withheld, because sensitive values could be derived from them")
	note(deferred, "result", "read during apply")
	note(others, "promise", "of plans other than "+m.Name)
	note(migrations, "migration", "without inputs in the file, or not the first one")
	return m, result
}

func gapsOf(d *document.Document) []whatif.Gap {
	var gaps []whatif.Gap
	for _, open := range d.Open() {
		gaps = append(gaps, whatif.Gap{Name: wording.Clean(open.Name), Text: wording.Clean(open.Text)})
	}
	return gaps
}

func planName(a *assess.Assessment) string {
	name, _, _ := strings.Cut(a.Name, ".promises[")
	return name
}

// movesOf returns the migration with a throughput of its own, because a document does not state which link a migration
// uses.
func movesOf(in *migration.PlanInput) *whatif.Moves {
	defaults := migration.PlanDefaults()
	return &whatif.Moves{
		Arguments:    migration.PlanDefinition.Inputs.Encode(in, &defaults),
		SharePercent: quantity.Percent,
	}
}

// Example returns the model of a small estate: three tiers, and their migration over a 1 Gbit/s link.
func Example() *whatif.Model {
	tier := func(vms int, prefix string, gib, change, rpo float64) any {
		all := make(map[string]any, vms)
		for i := range vms {
			// Sizes range from 0.5 to 1.5 times the mean.
			size := gib * (0.5 + float64(i)/float64(vms-1))
			all[fmt.Sprintf("%s-%03d", prefix, i+1)] = map[string]any{"size_gib": size}
		}
		return map[string]any{
			"virtual_machines":     all,
			"daily_change_percent": change,
			"rpo_minutes":          rpo,
			"peak_factor":          3.0,
		}
	}
	tiers := map[string]any{
		"gold":   tier(40, "db", 200, 5, 15),
		"silver": tier(60, "app", 150, 4, 60),
		"bronze": tier(100, "web", 100, 3, 240),
	}
	moving := make(map[string]any)
	for _, one := range tiers {
		of, _ := one.(map[string]any)
		vms, _ := of["virtual_machines"].(map[string]any)
		for name, vm := range vms {
			size, _ := vm.(map[string]any)
			moving[name] = map[string]any{"memory_gib": 16.0, "disk_gib": size["size_gib"], "method": "cold"}
		}
	}
	return &whatif.Model{
		Kind: "example",
		Name: "estate",
		Plan: map[string]any{
			"links": map[string]any{
				"metro": map[string]any{"throughput_mbps": 1000.0, "efficiency_percent": 70.0},
			},
			"tiers":                   tiers,
			"growth_percent_per_year": 20.0,
		},
		Moves: &whatif.Moves{
			Arguments: map[string]any{
				"virtual_machines":  moving,
				"window_hours":      24.0,
				"window_start_hour": 0.0,
				"window_weekdays":   []any{"SAT", "SUN"},
			},
			Link:         "metro",
			SharePercent: 100,
		},
	}
}
