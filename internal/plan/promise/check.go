package promise

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/simulation"
)

var (
	errNoThroughput = errors.New("or hourly_throughput_mbps, network or measured must be set")
	errThroughputs  = errors.New("has several of throughput_mbps, hourly_throughput_mbps, network and measured: " +
		"set only one")
	errInNetwork         = errors.New("must be set in network, which determines the throughput")
	errNoRate            = errors.New("has too much packet loss: its throughput cannot be calculated")
	errLink              = errors.New("is required if there is more than one link")
	errChange            = errors.New("is required unless change_curve or daily_change_percent of each VM is set")
	errChangeAndCurve    = errors.New("must not be set together with change_curve")
	errOwnChangeAndCurve = errors.New("must not be set together with the change_curve of its tier")
	errWeights           = errors.New("must not be set together with hourly_weights: both distribute the daily change")
	errOutage            = errors.New("requires outage_minutes, the duration of the outage")
)

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

const maxLinks = 50

const maxTargets = 50

const maxTiers = 500

var errWrites = errors.New("requires write_mbps")

// Check returns all input errors that Compute would report. The error is a plan.InputErrors.
func (p Plan) Check() error {
	errs := inputs.Check(&p, nil)
	for _, count := range []struct {
		name             string
		least, got, most int
	}{
		{"links", 1, len(p.Links), maxLinks},
		{"targets", 0, len(p.Targets), maxTargets},
		{"tiers", 1, len(p.Tiers), maxTiers},
	} {
		if count.got < count.least || count.got > count.most {
			errs = errs.With(
				plan.Attr(count.name),
				fmt.Errorf("must have %d to %d elements, got %s", count.least, count.most,
					plan.Thousands(float64(count.got), 0)),
			)
		}
	}
	for _, name := range names(p.Links) {
		errs = append(errs, p.Links[name].check(plan.Attr("links").Key(name))...)
	}
	for _, name := range names(p.Targets) {
		if t := p.Targets[name]; t.WriteMbps == nil && t.WriteFactor != TargetDefaults().WriteFactor {
			errs = errs.With(plan.Attr("targets").Key(name).Attr("write_factor"), errWrites)
		}
	}
	for _, name := range names(p.Tiers) {
		errs = append(errs, p.checkTier(p.Tiers[name], plan.Attr("tiers").Key(name))...)
	}
	errs = append(errs, p.checkVMs()...)
	if errs.Err() != nil {
		return errs.Err()
	}
	return p.checkSyncs().Err()
}

func (l Link) check(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	given := 0
	for _, is := range []bool{
		l.ThroughputMbps != nil, l.HourlyThroughputMbps != nil, l.Network != nil, l.Measured != nil,
	} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		errs = errs.With(at.Attr("throughput_mbps"), errNoThroughput)
	case given > 1:
		errs = errs.With(at, errThroughputs)
	}
	if l.OutageMinutes == nil && l.OutageStartHours != LinkDefaults().OutageStartHours {
		errs = errs.With(at.Attr("outage_start_hours"), errOutage)
	}
	errs = append(errs, l.checkMeasured(at)...)
	if l.Network == nil {
		return errs
	}
	if l.EfficiencyPercent != LinkDefaults().EfficiencyPercent {
		errs = errs.With(at.Attr("efficiency_percent"), errInNetwork)
	}
	if l.ThroughputBasis != "" {
		errs = errs.With(at.Attr("throughput_basis"), errInNetwork)
	}
	r, err := link.Throughput(*l.Network)
	if problems, ok := errors.AsType[plan.InputErrors](err); ok {
		for _, e := range problems {
			errs = errs.With(append(at.Attr("network"), e.Path...), errors.New(e.Reason))
		}
	} else if r.ThroughputMbps == nil || *r.ThroughputMbps < RangeThroughputMbps.Min {
		errs = errs.With(at.Attr("network"), errNoRate)
	}
	return errs
}

func (p Plan) checkTier(t Tier, at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	named := func(attribute, name string, known []string) {
		if name != "" && !slices.Contains(known, name) {
			errs = errs.With(at.Attr(attribute), fmt.Errorf("must be the name of a %s (%s), got %q", attribute,
				cmp.Or(strings.Join(known, ", "), "there are none"), name))
		}
	}
	named("link", t.Link, names(p.Links))
	named("target", t.Target, names(p.Targets))
	if t.Link == "" && len(p.Links) > 1 {
		errs = errs.With(at.Attr("link"), errLink)
	}
	if t.PeakFactor != nil && t.HourlyWeights != nil {
		errs = errs.With(at.Attr("peak_factor"), errWeights)
	}
	return slices.Concat(errs, t.checkChange(at), t.checkSpace(at), t.CheckAssumed(at))
}

func (t Tier) checkChange(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	if t.ChangeCurve != nil {
		errs = append(errs, changerate.CheckCurve(t.ChangeCurve, at.Attr("change_curve"))...)
		if t.DailyChangePercent != nil {
			errs = errs.With(at.Attr("daily_change_percent"), errChangeAndCurve)
		}
	}
	without := len(t.VirtualMachines) == 0
	for _, name := range names(t.VirtualMachines) {
		own := t.VirtualMachines[name].DailyChangePercent != nil
		without = without || !own
		if own && t.ChangeCurve != nil {
			errs = errs.With(at.Attr("virtual_machines").Key(name).Attr("daily_change_percent"), errOwnChangeAndCurve)
		}
	}
	if without && t.DailyChangePercent == nil && t.ChangeCurve == nil {
		errs = errs.With(at.Attr("daily_change_percent"), errChange)
	}
	return errs
}

func (t Tier) count() int {
	if t.VMCount != nil {
		return int(*t.VMCount)
	}
	return len(t.VirtualMachines)
}

func (p Plan) checkVMs() plan.InputErrors {
	all := 0
	most := -1
	at := plan.Attr("tiers")
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		if all += t.count(); t.count() > most {
			most, at = t.count(), plan.Attr("tiers").Key(name).Attr("virtual_machines")
			if t.VMCount != nil {
				at = plan.Attr("tiers").Key(name).Attr("vm_count")
			}
		}
	}
	if all <= maxVMs {
		return nil
	}
	return plan.InputErrors{}.With(at, fmt.Errorf("must be lower: all tiers together can have at most %s VMs, got %s",
		plan.Thousands(maxVMs, 0), plan.Thousands(float64(all), 0)))
}

func (p Plan) checkSyncs() plan.InputErrors {
	var errs plan.InputErrors
	if p.withMeasured().complete().estate(asGiven).Syncs() > simulation.MaxSyncs {
		errs = errs.With(
			plan.Attr("tiers"),
			fmt.Errorf("must not require more than about %s syncs in a run: use fewer VMs",
				plan.Thousands(simulation.MaxSyncs, 0)),
		)
	}
	return errs
}

// CheckAssumed returns an error for each assumed input that has no value.
func (t Tier) CheckAssumed(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	for i, name := range t.AssumedInputs {
		if t.assumedValue(name) == nil {
			errs = errs.With(
				at.Attr("assumed_inputs").Index(i),
				fmt.Errorf("requires %s, the value that is assumed", name),
			)
		}
	}
	return errs
}
