package difference

import (
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/simulation"
	"terraform-provider-vsla/internal/wording"
)

// promised are the inputs that state a promise, and which of their values are easier to keep.
var promised = map[string]calculator.Direction{
	"compliance_percent":        calculator.Lower,
	"deadline_hours":            calculator.Higher,
	"horizon_months":            calculator.Lower,
	"max_response_ratio":        calculator.Higher,
	"rpo_minutes":               calculator.Higher,
	"switchover_goal_ms":        calculator.Higher,
	"target_compliance_percent": calculator.Lower,
	"tolerance_percent":         calculator.Higher,
}

// weaker returns the changes that ask for less: an easier value, a promise without its value, and a tier or group that
// is gone.
func (p pair) weaker() []Change {
	if p.before == nil || p.after == nil || p.managed() || p.before.Withheld || p.after.Withheld {
		return nil
	}
	var less []Change
	for i := range p.before.Facts {
		was := &p.before.Facts[i]
		if was.Input && !slices.Contains(p.before.Unknown, was.Name) && !slices.Contains(p.after.Unknown, was.Name) {
			less = append(less, weaker(was, p.after.fact(was.Name), true)...)
		}
	}
	return less
}

func weaker(was, is *assess.Fact, defaults bool) []Change {
	if was.Members != nil {
		return weakerMembers(was, is)
	}
	easier := promised[was.Name]
	if easier == "" || !was.Input || was.Direction != "" && was.Direction != easier {
		return nil
	}
	if was.Name == "target_compliance_percent" {
		was.Default = simulation.MeetsPercent // a VM without a target is promised it
	}
	before, stated := number(was, was.Default)
	var after float64
	var states bool
	now := assess.Fact{Field: was.Field}
	if is != nil {
		now = *is
	}
	if defaults {
		after, states = number(&now, was.Default)
	} else {
		after, states = number(&now, nil)
	}
	if easier == calculator.Lower {
		before, after = -before, -after
	}
	if !stated || states && after <= before {
		return nil
	}
	return []Change{{
		Name: was.Name, Label: was.Label, Input: true, Before: wording.Value(was.Name, was.Value),
		After: wording.Value(was.Name, now.Value), BeforeValue: was.Value, AfterValue: now.Value,
	}}
}

func weakerMembers(was, is *assess.Fact) []Change {
	var less []Change
	for _, m := range was.Members {
		var now *assess.Member
		if is != nil {
			now = member(is, m.Key)
		}
		after := &thing{}
		if now != nil {
			after.Facts = now.Facts
		}
		for i := range m.Facts {
			for _, c := range weaker(&m.Facts[i], after.fact(m.Facts[i].Name), now != nil) {
				less = append(less, c.of(was.Name, m))
			}
		}
	}
	return less
}

// number returns the value of an input, and whether there is one.
func number(f *assess.Fact, otherwise any) (float64, bool) {
	v := f.Value
	if v == nil {
		v = otherwise
	}
	n, ok := v.(float64)
	return n, ok
}
