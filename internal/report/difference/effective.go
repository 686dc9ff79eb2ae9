package difference

import (
	"slices"

	"terraform-provider-vsla/internal/assess"
)

// effectivePromises returns the inputs of a migration so that what is promised to a VM can be compared: the promise of
// the plan if the VM has its own on one side only. It omits a promise of the plan before the change that no VM relies
// on.
func effectivePromises(before, after []assess.Fact) (was, is []assess.Fact) {
	vms, vmsAfter := findFact(before, "virtual_machines"), findFact(after, "virtual_machines")
	if vms == nil || vmsAfter == nil {
		return before, after
	}
	was, is = slices.Clone(before), slices.Clone(after)
	ofVMs, ofVMsAfter := findFact(was, vms.Name), findFact(is, vms.Name)
	ofVMs.Members, ofVMsAfter.Members = slices.Clone(vms.Members), slices.Clone(vmsAfter.Members)
	places := make(map[string]int, len(ofVMsAfter.Members))
	for i, m := range ofVMsAfter.Members {
		places[m.Key] = i
	}
	for name := range easierDirection {
		plan, planAfter := findFact(before, name), findFact(after, name)
		if plan == nil || planAfter == nil {
			continue
		}
		reliedOn := len(ofVMs.Members) == 0
		for i := range ofVMs.Members {
			m := &ofVMs.Members[i]
			place, still := places[m.Key]
			own := findFact(m.Facts, name)
			if own == nil || !still {
				reliedOn = true
				continue
			}
			now := &ofVMsAfter.Members[place]
			ownAfter := findFact(now.Facts, name)
			switch {
			case ownAfter == nil, own.Value == nil && ownAfter.Value == nil:
				reliedOn = true
			case own.Value == nil:
				m.Facts = withValue(m.Facts, name, plan.Value)
			case ownAfter.Value == nil:
				now.Facts = withValue(now.Facts, name, planAfter.Value)
			}
		}
		if !reliedOn {
			was = slices.DeleteFunc(was, func(f assess.Fact) bool { return f.Name == name })
			ofVMs = findFact(was, vms.Name)
		}
	}
	return was, is
}

// withValue returns a copy of the facts in which one of them has another value.
func withValue(facts []assess.Fact, name string, value any) []assess.Fact {
	facts = slices.Clone(facts)
	findFact(facts, name).Value = value
	return facts
}
