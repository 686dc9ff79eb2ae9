package migration

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (r *PlanResult) remedyDowntime(in PlanInput, names []string) {
	chosen := map[string]string{}
	for _, name := range names {
		if method := in.methodForDowntime(name); method != "" {
			chosen[name] = method
		}
	}
	// Apply all chosen methods, and discard those of VMs that still exceed their downtime or cannot be planned. Repeat,
	// because discarding a method changes the plan for the other VMs.
	for len(chosen) > 0 {
		changed := in
		changed.VMs = maps.Clone(in.VMs)
		for name, method := range chosen {
			changed.VMs[name] = in.VMs[name].withMethod(method)
		}
		with, _, err := changed.schedule()
		if err != nil {
			return
		}
		before := len(chosen)
		for _, name := range slices.Concat(with.exceedingDowntime(changed), with.Unplanned) {
			delete(chosen, name)
		}
		if len(chosen) == before {
			break
		}
	}
	r.MethodsForDowntime = chosen
	if len(chosen) > 0 {
		r.Summary += " " + chosenSentence(chosen)
	}
}

func chosenSentence(chosen map[string]string) string {
	by := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		by[chosen[name]] = append(by[chosen[name]], name)
	}
	parts := quantity.ListOf(slices.Sorted(maps.Keys(by)), len(by), func(method string) string {
		input := "method"
		if method == TransportUDT {
			input = "transport"
		}
		return input + " " + method + " for " + quantity.List(by[method], maxNamedVMs)
	})
	return "Their downtime is as promised with " + parts + "."
}

func (v VM) withMethod(method string) VM {
	if method == TransportUDT {
		v.Transport = TransportUDT
		return v
	}
	v.Method = method
	return v
}

// otherMethods returns the new methods that the inputs of a VM allow, the preferred one first.
func (v VM) otherMethods() []string {
	var methods []string
	if v.Method == MethodCold && v.Transport == TransportNFC {
		methods = append(methods, TransportUDT)
	}
	if v.Method != MethodReplication && v.DailyChangePercent != nil && v.DiskGiB > 0 {
		methods = append(methods, MethodReplication)
	}
	if v.Method != MethodVMotion && v.MemoryGiB > 0 && v.MemoryDirtyMbps != nil {
		methods = append(methods, MethodVMotion)
	}
	if v.Method == MethodReplication {
		methods = append(methods, MethodCold)
	}
	return methods
}

func (in PlanInput) methodForDowntime(name string) string {
	v := in.VMs[name]
	for _, method := range v.otherMethods() {
		alone := in
		changed := v.withMethod(method)
		changed.MoveGroup = ""
		alone.VMs = map[string]VM{name: changed}
		if _, _, err := alone.withProfileDefaults(); err != nil {
			continue
		}
		r, s, err := alone.schedule()
		if err == nil && !s.unbounded && s.isSupported() && len(r.Unplanned) == 0 &&
			len(r.exceedingDowntime(alone)) == 0 {
			return method
		}
	}
	return ""
}

// FormatDowntime formats a downtime, rounded up. Downtimes below ten seconds are shown with two decimal places.
func FormatDowntime(seconds float64) string {
	const short = 10
	if seconds < short {
		return plan.Thousands(plan.Up.Round(seconds, 2), 2) + "s"
	}
	return quantity.Duration(seconds).Ceil()
}
