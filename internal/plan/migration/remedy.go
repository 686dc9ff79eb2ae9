package migration

import (
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (r *PlanResult) remedyDeadline(in PlanInput) {
	r.MaxConcurrentForDeadline = in.concurrencyForDeadline()
	mbps, limitedBy := in.throughputForDeadline()
	if limitedBy == "" {
		r.ThroughputForDeadlineMbps = &mbps
		return
	}
	r.find(reasonNoThroughput, remedySentences[limitedBy])
}

func (in PlanInput) tryDeadline() (PlanResult, bool) {
	r, s, err := in.schedule()
	return r, err == nil && !s.unbounded && r.meetsDeadline(in)
}

func (in PlanInput) concurrencyForDeadline() *int64 {
	if in.MaxConcurrent == nil || in.Profile == ProfileHCXVMotion {
		return nil
	}
	in.MaxConcurrent = nil
	r, ok := in.tryDeadline()
	if !ok {
		return nil
	}
	in.MaxConcurrent = new(float64(r.concurrent))
	if _, ok := in.tryDeadline(); !ok {
		return nil
	}
	return new(int64(r.concurrent))
}

// searchRatio is the ratio of the bounds at which the throughput search stops.
const searchRatio = 1.005

// WithThroughput returns the plan with a different throughput in Mbit/s. Hourly throughputs are scaled to have the
// given mean.
func (in PlanInput) WithThroughput(mbps float64) PlanInput {
	if in.HourlyThroughputMbps == nil {
		in.ThroughputMbps = &mbps
		return in
	}
	factor := mbps / in.MeanMbps()
	in.HourlyThroughputMbps = slices.Clone(in.HourlyThroughputMbps)
	for h := range in.HourlyThroughputMbps {
		in.HourlyThroughputMbps[h] *= factor
	}
	return in
}

// MeanMbps returns the mean throughput over the day in Mbit/s.
func (in PlanInput) MeanMbps() float64 {
	if in.HourlyThroughputMbps == nil {
		return *in.ThroughputMbps
	}
	sum := 0.0
	for _, mbps := range in.HourlyThroughputMbps {
		sum += mbps
	}
	return sum / hoursPerDay
}

// throughputForDeadline returns a throughput in Mbit/s that is sufficient to meet the deadline, rounded to three
// significant digits if possible. If no throughput is sufficient, it returns the limit of the plan instead.
func (in PlanInput) throughputForDeadline() (float64, string) {
	given := in.MeanMbps()
	with := func(mbps float64) (PlanResult, bool) { return in.WithThroughput(mbps).tryDeadline() }
	most := RangeThroughputMbps.Max
	if in.HourlyThroughputMbps != nil { // keep all hourly rates within the range
		most *= given / slices.Max(in.HourlyThroughputMbps)
	}
	if in.Profile == ProfileHCXBulk {
		most = hcxApplianceMbps
	}
	if r, ok := with(most); !ok {
		return 0, in.limitOf(r)
	}
	fails, holds := given, min(2*given, most)
	for {
		if _, ok := with(holds); ok {
			break
		}
		fails, holds = holds, min(2*holds, most)
	}
	for holds > fails*searchRatio {
		middle := math.Sqrt(fails * holds)
		if _, ok := with(middle); ok {
			holds = middle
		} else {
			fails = middle
		}
	}
	const digits = 3
	step := math.Pow10(int(math.Floor(math.Log10(holds))) + 1 - digits)
	rounded := math.Ceil(holds/step) * step
	for ok := false; !ok; rounded += step {
		if rounded >= min(most, 2*holds) {
			return holds, ""
		}
		_, ok = with(rounded)
	}
	// rounded is now one step above a sufficient throughput. Try lower throughputs too, because the bisection might
	// have stopped above the minimum.
	for rounded -= 2 * step; rounded > given; rounded -= step {
		if _, ok := with(rounded); !ok {
			break
		}
	}
	return rounded + step, ""
}

func (in PlanInput) limitOf(r PlanResult) string {
	switch {
	case len(r.Unplanned) == 0:
		return r.LimitedBy
	case in.VMs[r.Unplanned[0]].Method == MethodCold && in.VMs[r.Unplanned[0]].Transport == TransportNFC:
		return LimitedByNFC
	}
	return LimitedByWindow
}

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

var remedySentences = map[string]string{
	LimitedByLink:       "the link of the profile limits the plan",
	LimitedByConcurrent: "max_concurrent limits the plan",
	LimitedByHost:       "the slots of a host limit the plan",
	LimitedByNetwork:    "the slots of a network adapter limit the plan",
	LimitedByDatastore:  "the slots of a datastore limit the plan",
	LimitedByMigration:  "the longest migration limits the plan",
	LimitedByWindow:     "the windows limit the plan",
	LimitedByPeople:     "max_moves_per_window limits the plan",
	LimitedByNFC:        "NFC limits the plan; the transport udt does not have this limit",
}

// FormatDowntime formats a downtime, rounded up. Downtimes below ten seconds are shown with two decimal places.
func FormatDowntime(seconds float64) string {
	const short = 10
	if seconds < short {
		return plan.Thousands(plan.Up.Round(seconds, 2), 2) + "s"
	}
	return quantity.Duration(seconds).Ceil()
}
