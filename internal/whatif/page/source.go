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
	m := &whatif.Model{Kind: d.Source().Kind, File: file, Files: d.Source().Files}
	if day := d.CreationDate(); !day.IsZero() {
		m.Date = day.Format(time.DateOnly)
	}
	var plan *promise.Plan
	var result *promise.Result
	var moves *promise.Moves
	var withheld, deferred, others, migrations int
	for _, a := range d.Results() {
		p, ok := assess.As[*assess.Promise](a)
		migrated, isMigration := assess.As[assess.Migration](a)
		switch {
		case a.Withheld():
			withheld++
		case a.Deferred != "":
			deferred++
		case isMigration && migrated.NoInput == nil && moves == nil:
			// The document does not state which link the migration uses, so that it has its own throughput.
			moves = &promise.Moves{Input: migrated.Input, SharePercent: quantity.Percent}
		case isMigration:
			migrations++
		case !ok || p.Plan.NoInput != nil:
		case result == nil:
			plan, result, m.Name = &p.Plan.Input, &p.Plan.Result, planName(a)
		case planName(a) != m.Name:
			others++
		}
	}
	if result == nil {
		return nil, nil
	}
	m.Contain(*plan, moves)
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
		gaps = append(gaps, whatif.Gap{Name: open.Name, Text: open.Text})
	}
	return gaps
}

func planName(a *assess.Assessment) string {
	name, _, _ := strings.Cut(a.Name, ".promises[")
	return name
}

// Example returns the model of a small estate: three tiers, and their migration over a 1 Gbit/s link.
func Example() *whatif.Model {
	metro := promise.LinkDefaults()
	metro.ThroughputMbps, metro.EfficiencyPercent = new(1000.0), 70
	p := promise.Defaults()
	p.GrowthPercentPerYear = new(20.0)
	p.Links = map[string]promise.Link{"metro": metro}
	p.Tiers = map[string]promise.Tier{
		"gold":   exampleTier(40, "db", 200, 5, 15),
		"silver": exampleTier(60, "app", 150, 4, 60),
		"bronze": exampleTier(100, "web", 100, 3, 240),
	}
	moves := &promise.Moves{Input: migration.PlanDefaults(), Link: "metro", SharePercent: quantity.Percent}
	moves.Input.WindowHours, moves.Input.WindowStartHour = new(24.0), new(0.0)
	moves.Input.WindowWeekdays = []string{"SAT", "SUN"}
	moves.Input.VMs = make(map[string]migration.VM)
	for _, one := range p.Tiers {
		for name, vm := range one.VirtualMachines {
			moves.Input.VMs[name] = migration.VM{MemoryGiB: 16, DiskGiB: *vm.SizeGiB, Method: migration.MethodCold}
		}
	}
	m := &whatif.Model{Kind: "example", Name: "estate"}
	m.Contain(p, moves)
	return m
}

// exampleTier returns a tier of VMs whose sizes range from 0.5 to 1.5 times the mean.
func exampleTier(vms int, prefix string, gib, change, rpo float64) promise.Tier {
	t := promise.TierDefaults()
	t.RPOMinutes, t.DailyChangePercent, t.PeakFactor = rpo, &change, new(3.0)
	t.VirtualMachines = make(map[string]promise.VM, vms)
	for i := range vms {
		size := gib * (0.5 + float64(i)/float64(vms-1))
		t.VirtualMachines[fmt.Sprintf("%s-%03d", prefix, i+1)] = promise.VM{SizeGiB: &size}
	}
	return t
}
