package whatif

import (
	"errors"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/wording"
)

var errNumber = errors.New("must be a number")

// without is the ID of the list of VMs that are left out: no cell of its own.
const without = "without"

func scopes[V any](elements map[string]V) []string {
	return slices.SortedFunc(maps.Keys(elements), wording.Natural)
}

func sheet(s *state) []*Cell {
	var all []*Cell
	for _, name := range scopes(s.plan.Links) {
		all = append(all, linkCells(s, name)...)
	}
	for _, name := range scopes(s.plan.Targets) {
		all = append(all, part[promise.Target]{
			scope: "target/" + name, rows: promise.TargetInputs(), defaults: promise.TargetDefaults(),
			edit: func(s *state, change func(*promise.Target)) {
				t := s.plan.Targets[name]
				change(&t)
				s.plan.Targets[name] = t
			},
		}.cells(s)...)
	}
	for _, name := range scopes(s.plan.Tiers) {
		all = append(all, tierCells(s, name)...)
	}
	all = append(all, part[promise.Plan]{
		scope: "plan", rows: promise.Definition.Inputs, defaults: promise.Defaults(),
		edit: func(s *state, change func(*promise.Plan)) { change(&s.plan) },
	}.cells(s)...)
	if s.moves != nil {
		all = append(all, moveCells(s)...)
	}
	return all
}

func linkCells(s *state, name string) []*Cell {
	scope := "link/" + name
	edit := func(s *state, change func(*promise.Link)) {
		l := s.plan.Links[name]
		change(&l)
		s.plan.Links[name] = l
	}
	// The throughput of a day with hours is their mean, that of a path what it carries.
	all := []*Cell{number(scope+"/throughput_mbps", replication.RangeThroughputMbps,
		"What the link carries: the mean of the day, or what its path carries. A change scales the hours, and the range.",
		func(s *state) float64 { return s.plan.Links[name].MeanMbps() },
		func(s *state, mbps float64) { s.plan = s.plan.WithThroughput(name, mbps) })}
	all[0].Source = all[0].get(s)
	but := []string{"throughput_mbps"}
	if s.plan.Links[name].Network != nil {
		but = append(but, "efficiency_percent", "throughput_basis")
	}
	all = append(all, part[promise.Link]{
		scope: scope, rows: promise.LinkInputs(), defaults: promise.LinkDefaults(), edit: edit,
		ranges: func(l *promise.Link) *map[string]calculator.Ends { return &l.Ranges },
	}.cells(s, but...)...)
	if s.plan.Links[name].Network == nil {
		return all
	}
	return append(part[link.Input]{
		scope: scope, prefix: "network.", rows: link.Definition.Inputs, defaults: link.Defaults(),
		edit: func(s *state, change func(*link.Input)) {
			edit(s, func(l *promise.Link) {
				if l.Network != nil {
					path := *l.Network
					change(&path)
					l.Network = &path
				}
			})
		},
	}.cells(s), all...)
}

func tierCells(s *state, name string) []*Cell {
	scope, source := "tier/"+name, s.plan.Tiers[name]
	edit := func(s *state, change func(*promise.Tier)) {
		t := s.plan.Tiers[name]
		change(&t)
		s.plan.Tiers[name] = t
	}
	var but []string
	var all []*Cell
	if source.VMCount == nil {
		but = []string{"vm_count", "vm_size_gib"}
		all = append(all, named(scope, edit)...)
		if ownChange(source) {
			but = append(but, keyDaily)
		}
	}
	all = append(all, part[promise.Tier]{
		scope: scope, rows: promise.TierInputs(), defaults: promise.TierDefaults(), edit: edit,
		ranges: func(t *promise.Tier) *map[string]calculator.Ends { return &t.Ranges },
	}.cells(s, but...)...)
	if ownChange(source) {
		all = append(all, meanChange(scope, edit))
	}
	if source.PointInTime != nil {
		all = append(all, part[replication.PointInTime]{
			scope: scope, prefix: "point_in_time.", rows: replication.PointInTimeInputs,
			edit: func(s *state, change func(*replication.PointInTime)) {
				edit(s, func(t *promise.Tier) {
					kept := *t.PointInTime
					change(&kept)
					t.PointInTime = &kept
				})
			},
		}.cells(s)...)
	}
	for _, c := range all {
		if c.Source == nil {
			c.Source = c.get(s)
		}
		switch c.name {
		case "link":
			c.OneOf, c.main = scopes(s.plan.Links), len(s.plan.Links) > 1
		case "target":
			c.OneOf, c.main = scopes(s.plan.Targets), len(s.plan.Targets) > 1
		}
	}
	return all
}

func moveCells(s *state) []*Cell {
	edit := func(s *state, change func(*migration.PlanInput)) { change(&s.moves.Input) }
	// Moves on a link of the plan have its throughput.
	var but []string
	switch {
	case s.moves.Link != "":
		but = []string{"throughput_mbps", "hourly_throughput_mbps"}
	case s.moves.Input.HourlyThroughputMbps != nil:
		but = []string{"throughput_mbps"}
	}
	all := part[migration.PlanInput]{
		scope: "moves", rows: migration.PlanDefinition.Inputs, defaults: migration.PlanDefaults(), edit: edit,
	}.cells(s, but...)
	share := number("moves/share_percent", plan.Range{Max: 100, Above: true, Unit: "percent"},
		"The part of the link that the moves take.",
		func(s *state) float64 { return s.moves.SharePercent },
		func(s *state, percent float64) { s.moves.SharePercent = percent })
	share.Source = share.get(s)
	return append(all, share)
}
