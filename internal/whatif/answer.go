// Answers: with which link, RPO or number of VMs a result holds.

package whatif

import (
	"maps"
	"math"
	"strings"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// answers returns the inputs with which a result holds, by the results that name them.
func (p *Page) answers(c *calculation, all []*calculation) []Answer {
	answers := []Answer{}
	seen := map[string]bool{}
	for _, f := range c.Calculator.Results() {
		input, ok := answered(c.Calculator, f)
		v, known := c.results[f.Name].(float64)
		if !ok || !known || v <= 0 || seen[input.Name] {
			continue
		}
		cell := p.cellOf(c, plan.Attr(input.Name))
		if cell == nil {
			continue
		}
		value, holds := c.holding(input, v)
		if !holds {
			continue
		}
		seen[input.Name] = true
		cell, value = p.atLink(c, all, cell, value)
		answers = append(answers, Answer{cell.ID, value, "Set " + phrase(cell, value)})
	}
	return answers
}

func phrase(cell *Cell, value float64) string {
	text := cell.text(value)
	if _, unit := wording.UnitOf(cell.Name); unit == calculator.Mbps {
		text = quantity.CeilMbps(value)
	}
	label := cell.Label
	if strings.ToLower(label[1:]) == label[1:] {
		label = strings.ToLower(label)
	}
	return label + " to " + text
}

// answered returns the input whose boundary a result is: by its description, or by its name, such as min_rpo_minutes
// for rpo_minutes and throughput_for_target_mbps for throughput_mbps. A name with digits is of a fixed share, which is
// no promise.
func answered(c *calculator.Calculator, f calculator.Field) (calculator.Field, bool) {
	if f.Input || strings.ContainsAny(f.Name, "0123456789") {
		return calculator.Field{}, false
	}
	if f.Boundary != nil {
		return c.Field(f.Boundary.Input)
	}
	for _, in := range c.Inputs() {
		bare, unit := calculator.UnitOf(in.Name)
		rest, ok := strings.CutSuffix(f.Name, string(unit))
		least, most := "min_"+in.Name, "max_"+in.Name
		if f.Name == least || f.Name == most || ok && unit != "" && strings.HasPrefix(rest, bare+"_") &&
			f.Kind == calculator.Number {
			return in, true
		}
	}
	return calculator.Field{}, false
}

// holding returns a value of an input with which a result holds: rounded to four digits where that holds as well, or
// what the result names. A slow result was simulated at what it names.
func (c *calculation) holding(input calculator.Field, v float64) (float64, bool) {
	if slow(c.Calculator) {
		return v, true
	}
	rounded := roundTo(v, input.Direction == calculator.Higher)
	if input.Range != nil && input.Range.Whole {
		rounded = math.Floor(v)
	}
	for _, candidate := range []float64{rounded, v} {
		inputs := maps.Clone(c.Inputs)
		inputs[input.Name] = candidate
		results, err := c.Calculator.Evaluate(inputs)
		if err == nil && wording.LevelOf(c.Calculator, results) == wording.Holds {
			return candidate, true
		}
	}
	return 0, false
}

// roundTo rounds to four digits, up or down.
func roundTo(v float64, up bool) float64 {
	const digits = 4
	scale := math.Pow(10, digits-1-math.Floor(math.Log10(v)))
	if up {
		return math.Ceil(v*scale) / scale
	}
	return math.Floor(v*scale) / scale
}

// atLink asks for the bandwidth of a link where the throughput is computed from one and the bandwidth decides.
func (p *Page) atLink(c *calculation, all []*calculation, cell *Cell, v float64) (*Cell, float64) {
	if cell.Name != keyThroughput || cell.From == "" {
		return cell, v
	}
	throughput, _ := c.Inputs[keyThroughput].(float64)
	for _, l := range all {
		if l.Calculator.Command != onlink.Link || l.results[keyThroughput] != throughput {
			continue
		}
		for _, input := range l.Calculator.Inputs() {
			bandwidth, _ := l.Inputs[input.Name].(float64)
			if !input.Required || bandwidth == 0 {
				continue
			}
			inputs := maps.Clone(l.Inputs)
			needed := roundTo(bandwidth*v/throughput, true)
			inputs[input.Name] = needed
			results, err := l.Calculator.Evaluate(inputs)
			carried, _ := results[keyThroughput].(float64)
			if at := p.cellOf(l, plan.Attr(input.Name)); err == nil && carried >= v && at != nil {
				return at, needed
			}
		}
	}
	return cell, v
}
