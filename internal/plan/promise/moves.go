package promise

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Moves describes a migration over the links of a plan.
type Moves struct {
	Input migration.PlanInput
	// Link is the name of the link whose usable throughput the migration shares. It is empty if Input has its own
	// throughput.
	Link string
	// SharePercent is the share of the throughput that the migration uses.
	SharePercent float64
}

// InputOn returns the input of a migration over the links of a plan. The plan must be valid.
func (m Moves) InputOn(p Plan) migration.PlanInput { return m.inputOn(p, asGiven) }

func (m Moves) inputOn(p Plan, v variant) migration.PlanInput {
	in, share := m.Input, m.SharePercent/quantity.Percent
	hours := in.HourlyThroughputMbps
	switch {
	case m.Link != "":
		hours = make([]float64, hoursPerDay)
		for h, bits := range p.simulatedLink(p.Links[m.Link], v).HourlyRates {
			hours[h] = bits / quantity.BitsPerMbit * share
		}
		if p.Links[m.Link].HourlyThroughputMbps != nil {
			in.HourlyThroughputMbps = hours
		} else {
			in.ThroughputMbps = &hours[0]
		}
	case hours != nil:
		in.HourlyThroughputMbps = make([]float64, len(hours))
		for h, mbps := range hours {
			in.HourlyThroughputMbps[h] = mbps * share
		}
	case in.ThroughputMbps != nil:
		in.ThroughputMbps = new(*in.ThroughputMbps * share)
	}
	if v&worseEnd == 0 {
		return in
	}
	in.VMs = maps.Clone(in.VMs)
	for _, t := range p.Tiers {
		if t.ChangeCurve != nil || len(t.Ranges) == 0 {
			continue
		}
		t = t.inVariant(v)
		for name, vm := range t.VirtualMachines {
			if moved, ok := in.VMs[name]; ok && moved.DailyChangePercent != nil {
				moved.DailyChangePercent = new(t.dailyChangePercent(vm))
				in.VMs[name] = moved
			}
		}
	}
	return in
}

// HourlyPercent returns the largest share of the throughput that the migration uses in each hour of the day, in
// percent.
func (m Moves) HourlyPercent() []float64 {
	hours := make([]float64, hoursPerDay)
	for h, open := range m.Input.Windows().OpenByHour() {
		hours[h] = open * m.SharePercent
	}
	return hours
}

var (
	reasonMovesAtWorseEnd = calculator.NewReason(reasonWorseEnd.Code, "At the worse end of uncertain inputs, the "+
		"verdict is worse: %s")
	reasonOutageNotCounted = calculator.NewReason("outage_not_counted", "The migration is at risk, because the %s "+
		"has an outage of %s, during which it would stop.")
	reasonNotMoved = calculator.NewReason(reasonSizeless.Code, "The migration is at risk, because it omits %s of "+
		"unknown size: %s.")
	reasonMemoryUnknown = calculator.NewReason("memory_unknown", "The migration is at risk, because the memory of %s "+
		"is unknown and counts as 0: %s.")
)

// Definition returns the calculator of a migration over the links of a plan. A verdict plan.Meets becomes
// plan.AtRisk if the promises are not kept at the worse end of the ranges, if the link has an outage, or if the size
// or the memory of a VM is unknown. ThroughputForDeadlineMbps is that of the link, or of the migration before its share
// is applied, and includes the worse end.
func (m Moves) Definition(p Plan) calculator.Definition[migration.PlanInput, migration.PlanResult] {
	d := migration.PlanDefinition
	d.Compute = func(in migration.PlanInput) (migration.PlanResult, error) {
		r, err := migration.Plan(in)
		if err != nil || r.Verdict != plan.Meets && r.Verdict != plan.AtRisk && r.Verdict != plan.Misses {
			return r, err
		}
		worse := movesEnd{in, r, nil}
		if full := p.complete(); full.hasRanges() {
			worse.input = m.of(in).inputOn(full, worseEnd)
			worse.result, worse.err = migration.Plan(worse.input)
		}
		likely := r.Verdict
		r.ThroughputForDeadlineMbps = m.throughputForDeadline(p, movesEnd{in, r, nil}, worse)
		if likely == plan.Misses {
			return r, nil
		}
		for _, finding := range m.doubts(p, in, likely, worse) {
			r.Verdict = plan.AtRisk
			r.Findings, r.Summary = append(r.Findings, finding), r.Summary+" "+finding.Sentence
		}
		return r, nil
	}
	return d
}

// movesEnd is a migration at an end of the ranges.
type movesEnd struct {
	input  migration.PlanInput
	result migration.PlanResult
	err    error
}

// of returns the moves with an input that already contains the share.
func (m Moves) of(in migration.PlanInput) Moves {
	if m.Input = in; m.Link == "" {
		m.SharePercent = quantity.Percent
	}
	return m
}

// throughputForDeadline returns the throughput of the link, or of the migration before its share is applied, with which
// the deadline is met at all ends; nil if it is already met or no throughput is sufficient.
func (m Moves) throughputForDeadline(p Plan, likely, worse movesEnd) *float64 {
	factor := 0.0
	for _, end := range []movesEnd{likely, worse} {
		needed := end.result.ThroughputForDeadlineMbps
		switch {
		case needed != nil:
			factor = max(factor, *needed/end.input.MeanMbps())
		case end.err != nil || slices.Contains(plan.Codes(end.result.Findings), migration.DeadlineMissed):
			return nil
		}
	}
	given := likely.input.MeanMbps() / (m.SharePercent / quantity.Percent)
	if m.Link != "" {
		given = p.Links[m.Link].capacity().mean()
	}
	if factor == 0 {
		return nil
	}
	return new(ceiling(given * factor))
}

func (m Moves) doubts(p Plan, in migration.PlanInput, likely string, worse movesEnd) []plan.Finding {
	var all []plan.Finding
	find := func(reason calculator.Reason, args ...any) { all = append(all, reason.Finding(args...)) }
	if worse.err != nil {
		find(reasonMovesAtWorseEnd, worse.err.Error())
	} else if worse.result.Verdict != likely {
		find(reasonMovesAtWorseEnd, worse.result.Findings[0].Sentence)
	}
	if outage := p.Links[m.Link].OutageMinutes; outage != nil && *outage > 0 {
		find(reasonOutageNotCounted, linkText(m.Link), formatMinutes(*outage))
	}
	if unsized := p.unsizedMoves(in); len(unsized) > 0 {
		find(reasonNotMoved, plan.Count(float64(len(unsized)), "VM"), quantity.List(unsized, maxNamed))
	}
	noMemory := slices.DeleteFunc(names(in.VMs), func(name string) bool {
		return in.VMs[name].MemoryGiB > 0 || in.VMs[name].Method != migration.MethodVMotion
	})
	if len(noMemory) > 0 {
		find(reasonMemoryUnknown, plan.Count(float64(len(noMemory)), "VM"), quantity.List(noMemory, maxNamed))
	}
	return all
}

// unsizedMoves returns the VMs of unknown size in the tiers that are migrated. A tier is not migrated if the migration
// does not contain its VMs of known size.
func (p Plan) unsizedMoves(in migration.PlanInput) []string {
	var unsized []string
	for _, t := range p.Tiers {
		if !slices.ContainsFunc(t.vmNames(), func(name string) bool {
			_, moved := in.VMs[name]
			return !moved
		}) {
			unsized = append(unsized, t.unsized()...)
		}
	}
	slices.Sort(unsized)
	return unsized
}

func (p Plan) hasMoves() bool {
	for _, l := range p.Links {
		if l.maxMovesPercent() > 0 {
			return true
		}
	}
	return false
}

// withoutMoves returns a completed plan without migrations.
func (p Plan) withoutMoves() Plan {
	if !p.hasMoves() {
		return p
	}
	p.Links = maps.Clone(p.Links)
	for name, l := range p.Links {
		p.Links[name] = l.withMoves(0)
	}
	p.Tiers = maps.Clone(p.Tiers)
	for name, t := range p.Tiers {
		t.worseStartHour = p.worseStartHour(t)
		p.Tiers[name] = t
	}
	return p
}

func (l Link) maxMovesPercent() float64 {
	most := 0.0
	for _, percent := range l.HourlyMovesPercent {
		most = max(most, percent)
	}
	return most
}

func (l Link) withMoves(most float64) Link {
	hours := slices.Clone(l.HourlyMovesPercent)
	for h := range hours {
		hours[h] = min(hours[h], most)
	}
	if l.HourlyMovesPercent = hours; most == 0 {
		l.HourlyMovesPercent = nil
	}
	return l
}
