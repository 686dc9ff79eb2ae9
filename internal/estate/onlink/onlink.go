// Package onlink turns tiers of VMs on one link into the inputs of the calculators: an estimate and the storage of each
// tier, a schedule of all of them, and a migration. It reads no file, so that a review and a page in a browser compute
// by the same rules.
package onlink

import (
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/plan/replication"
)

// The calculators by their commands.
const (
	Replication = "replication"
	Confidence  = "confidence"
	Schedule    = "schedule"
	Storage     = "storage"
	Link        = "link"
	Migration   = "migration"
	// Share is the key of the part of the link that the moves take, in percent; no input of a calculator.
	Share = "share_percent"
)

// The inputs that more than one calculator gets from the same value.
const (
	keyLink       = "link"
	keyThroughput = "throughput_mbps"
	keyEfficiency = "efficiency_percent"
	keyBasis      = "throughput_basis"
	keyHourly     = "hourly_throughput_mbps"
	keyWeights    = "hourly_weights"
	keyPeak       = "peak_factor"
	keyGrowth     = "growth_percent_per_year"
	keyHorizon    = "horizon_months"
)

// label is the link of all results.
const label = "link"

const (
	minutesPerHour = 60
	percent        = 100
	// keyBandwidth is the limit of a link whose line is full.
	keyBandwidth = "bandwidth"
)

// Tier is a number of VMs with the inputs that they have alike.
type Tier struct {
	Name string
	// VMCount and VMSizeGiB are the number of VMs and their mean size; a tier without VMs has no results.
	VMCount, VMSizeGiB any
	Inputs             map[string]any
	// Ranges are the inputs that have a range, as the confidence takes it; Inputs has their likely values.
	Ranges map[string]any
}

// Estate is tiers on a link.
type Estate struct {
	// Throughput and Efficiency are nil where the link or the schedule has them. Basis is how the throughput is known, nil
	// if it is not.
	Throughput, Efficiency, Basis any
	// Ranges are throughput and efficiency where they have a range.
	Ranges map[string]any
	// Link has the inputs from which the throughput is computed, nil where it is given; Schedule and Migration those that
	// are not taken from tiers and link. Migration is nil without one.
	Link, Schedule, Migration map[string]any
	Tiers                     []Tier
	// VMs are the VMs that move, as the migration takes them.
	VMs map[string]any
}

// Calculation is a calculator with its inputs.
type Calculation struct {
	Calculator *calculator.Calculator
	Name       string
	Inputs     map[string]any
	// Tier is the index of the tier whose inputs they are, -1 for those of all.
	Tier int
}

// Compute passes each calculation to compute, the link first: its throughput is that of all others. It returns notes
// on what could not be computed, and the first error of compute.
func (e *Estate) Compute(compute func(Calculation) (results map[string]any, err error)) ([]string, error) {
	if e.Link != nil {
		results, err := compute(calculation(Link, "link", e.Link, -1))
		if err != nil {
			return nil, err
		}
		e = e.over(results)
	}
	throughput := e.Throughput
	var notes []string
	for i, tier := range e.Tiers {
		if tier.VMCount == nil {
			continue
		}
		for _, c := range e.ofTier(i, throughput, &notes) {
			if _, err := compute(c); err != nil {
				return notes, err
			}
		}
	}
	last := []Calculation{e.schedule(throughput, &notes)}
	if e.Migration != nil && len(e.VMs) > 0 {
		last = append(last, e.migration(throughput))
	}
	for _, c := range last {
		if _, err := compute(c); err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// over returns the estate on the throughput of its link. Its basis is the link's where that has a band. A nominal rate
// keeps its efficiency, which a band limits; it has no basis where the line does not limit the link.
func (e *Estate) over(link map[string]any) *Estate {
	on := *e
	on.Throughput, on.Basis = link[keyThroughput], e.Link[keyBasis]
	if on.Basis != plan.BasisNetwork && link[keyThroughput+"_80"] == nil {
		on.Basis = nil
	}
	carried, known := on.Throughput.(float64)
	switch efficiency, given := e.Link[keyEfficiency].(float64); {
	case on.Basis != plan.BasisNominal:
	case link["limited_by"] != keyBandwidth:
		on.Basis = nil
	case given && known:
		on.Throughput, on.Efficiency = carried*percent/efficiency, efficiency
	}
	return &on
}

// share adds the efficiency and the basis of the throughput, where they are known.
func (e *Estate) share(inputs map[string]any) {
	for name, v := range map[string]any{keyEfficiency: e.Efficiency, keyBasis: e.Basis} {
		if v != nil {
			inputs[name] = v
		}
	}
}

func calculation(command, name string, inputs map[string]any, tier int) Calculation {
	c, _ := registry.OfCommand(command)
	return Calculation{Calculator: c, Name: name, Inputs: inputs, Tier: tier}
}

// ofTier returns the estimate of a tier, and the storage of its replicas.
func (e *Estate) ofTier(index int, throughput any, notes *[]string) []Calculation {
	tier := e.Tiers[index]
	estimate := pick(tier.Inputs, InputsOf(Replication))
	estimate["vm_count"], estimate["vm_size_gib"], estimate[keyLink] = tier.VMCount, tier.VMSizeGiB, label
	e.share(estimate)
	estimate[keyThroughput] = throughput
	busiest, closed := e.busiest(tier, estimate)
	if busiest > 0 {
		estimate[keyThroughput] = busiest
	}
	var all []Calculation
	if closed {
		*notes = append(*notes, "The tier "+tier.Name+" has no estimate of its own: the link carries nothing in an hour "+
			"of its busiest time. The schedule simulates it.")
	} else {
		all = append(all, calculation(Replication, tier.Name, estimate, index))
		if len(tier.Ranges)+len(e.Ranges) > 0 {
			all = append(all, calculation(Confidence, tier.Name, e.ranged(tier, estimate, busiest > 0), index))
		}
	}
	if tier.Inputs["point_in_time"] == nil && tier.Inputs["target_free_gib"] == nil {
		return all
	}
	storage := pick(tier.Inputs, InputsOf(Storage))
	storage["vm_count"], storage["used_gib"] = tier.VMCount, tier.VMSizeGiB
	return append(all, calculation(Storage, tier.Name, storage, index))
}

// busiest returns the throughput of a tier's estimate where the link has one for each hour: the least in the minutes of
// the busiest cycle; 0 where the link has a single one. closed: the link carries nothing in one of these hours. Hourly
// weights become the peak factor of the estimate.
func (e *Estate) busiest(tier Tier, estimate map[string]any) (mbps float64, closed bool) {
	hours, from, minutes := hourly(e.Schedule[keyHourly]), []float64{0}, float64(calculator.HoursPerDay*minutesPerHour)
	rpo, _ := tier.Inputs["rpo_minutes"].(float64)
	weights := hourly(tier.Inputs[keyWeights])
	if peak, starts := replication.Peak(weights, rpo); len(starts) > 0 && tier.Inputs[keyPeak] == nil {
		estimate[keyPeak], from, minutes = peak, starts, rpo
	} else if factor, ok := tier.Inputs[keyPeak].(float64); ok && factor >= 1 {
		start, given := tier.Inputs["peak_start_hour"].(float64)
		if !given {
			start = groupDefault("peak_start_hour")
		}
		from, minutes = []float64{start * minutesPerHour}, minutes/factor
	}
	if hours == nil {
		return 0, false
	}
	mbps = math.Inf(1)
	for _, start := range from {
		first, end := math.Floor(start/minutesPerHour), math.Ceil((start+minutes)/minutesPerHour)
		for h := int(first); h < int(end); h++ {
			mbps = min(mbps, hours[(h+len(hours))%len(hours)])
		}
	}
	return mbps, mbps == 0
}

// hourly returns a list of a number for each hour of the day; nil for anything else, which the calculators report.
func hourly(v any) []float64 {
	list, _ := v.([]any)
	if len(list) != calculator.HoursPerDay {
		return nil
	}
	hours := make([]float64, 0, len(list))
	for _, e := range list {
		hour, ok := e.(float64)
		if !ok || !(hour >= 0) || math.IsInf(hour, 0) {
			return nil
		}
		hours = append(hours, hour)
	}
	return hours
}

// groupDefault returns the default of an input of a schedule's group.
func groupDefault(name string) float64 {
	i := slices.IndexFunc(GroupFields(), func(f calculator.Field) bool { return f.Name == name })
	v, _ := GroupFields()[i].Default.(float64)
	return v
}

// schedule simulates all tiers on the link.
func (e *Estate) schedule(throughput any, notes *[]string) Calculation {
	groups := map[string]any{}
	for _, tier := range e.Tiers {
		if tier.VMCount == nil {
			continue
		}
		group := pick(tier.Inputs, Names(GroupFields()))
		group["vm_count"], group["vm_size_gib"] = tier.VMCount, tier.VMSizeGiB
		groups[tier.Name] = group
	}
	inputs := map[string]any{"groups": groups, keyLink: label}
	e.grow(inputs, notes)
	maps.Copy(inputs, e.Schedule)
	e.share(inputs)
	if inputs[keyHourly] == nil {
		inputs[keyThroughput] = throughput
	}
	return calculation(Schedule, "all tiers", inputs, -1)
}

// grow takes the growth of the tiers for the schedule, which has one for all: the greatest, and the farthest horizon.
func (e *Estate) grow(inputs map[string]any, notes *[]string) {
	rates := map[float64]bool{}
	for _, tier := range e.Tiers {
		if tier.VMCount == nil {
			continue
		}
		for _, name := range []string{keyGrowth, keyHorizon} {
			v, ok := tier.Inputs[name].(float64)
			if before, has := inputs[name].(float64); ok && (!has || v > before) {
				inputs[name] = v
			}
		}
		rate, _ := tier.Inputs[keyGrowth].(float64)
		rates[rate] = true
	}
	if months, ok := inputs[keyHorizon].(float64); ok {
		inputs[keyHorizon] = math.Ceil(months)
	}
	if inputs[keyGrowth] == nil {
		delete(inputs, keyHorizon)
	} else if len(rates) > 1 && e.Schedule[keyGrowth] == nil {
		*notes = append(*notes, "The tiers grow at different rates; the schedule has the greatest of them for all.")
	}
}

// migration plans the moves over the usable part of its throughput, or of the link's without one.
func (e *Estate) migration(throughput any) Calculation {
	inputs := map[string]any{"virtual_machines": e.VMs}
	if rtt := e.Link["rtt_ms"]; rtt != nil {
		inputs["rtt_ms"] = rtt
	}
	if hours := e.Schedule[keyHourly]; hours != nil {
		inputs[keyHourly] = hours
	} else {
		inputs[keyThroughput] = throughput
	}
	if e.Migration[keyHourly] != nil || e.Migration[keyThroughput] != nil {
		delete(inputs, keyHourly)
		delete(inputs, keyThroughput)
	}
	maps.Copy(inputs, e.Migration)
	e.carry(inputs)
	if share, ok := inputs[Share].(float64); ok {
		scale(inputs, share)
	}
	delete(inputs, Share)
	return calculation(Migration, "all moves", inputs, -1)
}

// carry leaves the usable part of the throughputs of a calculator without efficiency.
func (e *Estate) carry(inputs map[string]any) {
	efficiency, ok := e.Efficiency.(float64)
	if !ok {
		return
	}
	scale(inputs, efficiency)
}

// scale leaves so many percent of the throughputs.
func scale(inputs map[string]any, part float64) {
	if mbps, ok := inputs[keyThroughput].(float64); ok {
		inputs[keyThroughput] = mbps * part / percent
	}
	if hours := hourly(inputs[keyHourly]); hours != nil {
		list := make([]any, 0, len(hours))
		for _, mbps := range hours {
			list = append(list, mbps*part/percent)
		}
		inputs[keyHourly] = list
	}
}
