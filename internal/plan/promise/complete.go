package promise

import (
	"cmp"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// LikelyPeakFactor is the likely peak factor if none is specified. It is this project's own assumption.
const LikelyPeakFactor = 3

// worsePeak returns the peak factor at the worse end if none is specified: the change of a whole day within one
// RPO, as in the published method.
func worsePeak(rpoMinutes float64) float64 {
	return max(LikelyPeakFactor, quantity.MinutesPerDay/rpoMinutes)
}

// complete returns the plan with a range for each omitted input.
func (p Plan) complete() Plan {
	p.Links, p.Tiers = maps.Clone(p.Links), maps.Clone(p.Tiers)
	for name, l := range p.Links {
		p.Links[name] = l.withBasis(plan.BasisNominal)
	}
	for name, t := range p.Tiers {
		if t.peakIsUnknown() {
			t.PeakFactor = new(float64(LikelyPeakFactor))
			t.Ranges = withValue(t.Ranges, "peak_factor", calculator.Ends{
				Low:  LikelyPeakFactor,
				High: worsePeak(t.RPOMinutes),
			})
		}
		t.worseStartHour = p.worseStartHour(t)
		median := t.medianGiB()
		t.VirtualMachines = maps.Clone(t.VirtualMachines)
		for vm, of := range t.VirtualMachines {
			if of.SizeGiB == nil {
				of.SizeGiB = median
				t.VirtualMachines[vm] = of
			}
		}
		p.Tiers[name] = t
	}
	return p
}

// LikelyPeakStartHour is the likely start of the busiest time if none is specified. It is this project's own
// assumption.
const LikelyPeakStartHour = 8

// worseStartHour returns the hour from which the link of a tier carries least during the busiest time at the worse
// end, with migrations. It returns nil if the start is known or does not matter.
func (p Plan) worseStartHour(t Tier) *float64 {
	peak := t.worsePeakFactor()
	if _, ok := p.Links[p.linkOf(t)]; !ok || peak <= 1 || t.PeakStartHour != nil {
		return nil
	}
	if worst := p.worstStart(t, peak); worst != LikelyPeakStartHour {
		return &worst
	}
	return nil
}

// worstStart returns the hour from which the link of a tier carries least, with migrations, in a busiest time with the
// given peak factor; LikelyPeakStartHour if none is worse.
func (p Plan) worstStart(t Tier, peak float64) float64 {
	rates := p.simulatedLink(p.Links[p.linkOf(t)], whileMoving).HourlyRates
	carried := func(start int, hours float64) float64 {
		sum := 0.0
		for h := range hoursPerDay {
			sum += rates[(start+h)%hoursPerDay] * max(0, min(1, hours-float64(h)))
		}
		return sum
	}
	worst := LikelyPeakStartHour
	for start := range hoursPerDay {
		for hours := hoursPerDay / peak; hours < hoursPerDay; hours++ {
			if order := cmp.Compare(carried(start, hours), carried(worst, hours)); order != 0 {
				if order < 0 {
					worst = start
				}
				break
			}
		}
	}
	return float64(worst)
}

// worsePeakFactor returns the peak factor at the worse end; 1 if the tier has none.
func (t Tier) worsePeakFactor() float64 {
	switch r, ok := t.Ranges[inputPeak]; {
	case t.peakIsUnknown():
		return worsePeak(t.RPOMinutes)
	case ok:
		return r.High
	case t.PeakFactor != nil:
		return *t.PeakFactor
	}
	return 1
}

// withPeaks returns the plan with the likely peak factor instead of unknown ones.
func (p Plan) withPeaks() Plan {
	p.Tiers = maps.Clone(p.Tiers)
	for name, t := range p.Tiers {
		if t.peakIsUnknown() {
			t.PeakFactor = new(float64(LikelyPeakFactor))
			p.Tiers[name] = t
		}
	}
	return p
}

// withStarts returns the plan with the likely start of the busiest time instead of unknown ones.
func (p Plan) withStarts() Plan {
	p.Tiers = maps.Clone(p.Tiers)
	for name, t := range p.Tiers {
		t.PeakStartHour = cmp.Or(t.PeakStartHour, new(float64(LikelyPeakStartHour)))
		p.Tiers[name] = t
	}
	return p
}

// withBases returns the plan with measured throughputs instead of those of unknown basis.
func (p Plan) withBases() Plan {
	p.Links = maps.Clone(p.Links)
	for name, l := range p.Links {
		p.Links[name] = l.withBasis(plan.BasisTransfer)
	}
	return p
}

// withBasis returns the link with the given basis if its basis is unknown.
func (l Link) withBasis(basis string) Link {
	switch {
	case !l.basisIsUnknown():
	case l.Network != nil:
		network := *l.Network
		network.ThroughputBasis = basis
		l.Network = &network
	default:
		l.ThroughputBasis = basis
	}
	return l
}

func (l Link) basisIsUnknown() bool {
	if l.Network != nil {
		return l.Network.ThroughputBasis == ""
	}
	_, throughput := l.Ranges["throughput_mbps"]
	_, efficiency := l.Ranges["efficiency_percent"]
	return l.ThroughputBasis == "" && l.Measured == nil && !throughput && !efficiency
}

func (t Tier) peakIsUnknown() bool {
	return t.PeakFactor == nil && t.HourlyWeights == nil && t.ChangeCurve == nil
}

// medianGiB returns the median size of the VMs of known size, or nil if there are none.
func (t Tier) medianGiB() *float64 {
	var sizes []float64
	for _, vm := range t.VirtualMachines {
		if vm.SizeGiB != nil {
			sizes = append(sizes, *vm.SizeGiB)
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	slices.Sort(sizes)
	n := len(sizes)
	return new((sizes[(n-1)/2] + sizes[n/2]) / 2) //nolint:mnd // the mean of the two middle sizes
}

// assumptions returns the inputs that are not known, sorted by place and name.
func (p Plan) assumptions() []plan.Assumption {
	all := []plan.Assumption{}
	for _, name := range names(p.Links) {
		l := p.Links[name]
		a := plan.Assumption{Input: inputBasis, At: name}
		switch used := p.tierNames(func(t Tier) bool { return p.linkOf(t) == name }); {
		case len(used) == 0:
			continue
		case l.measurement != nil:
			a.Input, a.Source = inputMeasured, new(l.measurement.source())
		case !l.basisIsUnknown():
			continue
		}
		a.Value = l.capacity().mean() * l.capacity().usableShare
		a.WorseValue = new(l.capacity().mean() * l.withBasis(plan.BasisNominal).capacity().worseUsable())
		all = append(all, a)
	}
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		if t.peakIsUnknown() {
			all = append(all, plan.Assumption{
				Input:      "peak_factor",
				At:         name,
				Value:      LikelyPeakFactor,
				WorseValue: new(worsePeak(t.RPOMinutes)),
			})
		}
		if hour := p.worseStartHour(t); hour != nil {
			all = append(all, plan.Assumption{
				Input:      inputPeakStart,
				At:         name,
				Value:      LikelyPeakStartHour,
				WorseValue: hour,
			})
		}
		for _, input := range t.AssumedInputs {
			if value := t.assumedValue(input); value != nil {
				all = append(all, plan.Assumption{Input: input, At: name, Value: *value})
			}
		}
		if median := t.medianGiB(); median != nil && len(t.unsized()) > 0 {
			all = append(all, plan.Assumption{Input: "size_gib", At: name, Value: *median})
		}
	}
	return all
}

func (t Tier) assumedValue(input string) *float64 {
	switch input {
	case inputChange:
		return t.DailyChangePercent
	case inputPeak:
		return t.PeakFactor
	}
	return nil
}

// AssumableInputs lists the values of assumed_inputs.
var AssumableInputs = []string{inputChange, inputPeak}

const (
	inputChange = "daily_change_percent"
	inputPeak   = "peak_factor"
	// inputPeakStart is not among AssumableInputs, because no tool writes it.
	inputPeakStart = "peak_start_hour"
)
