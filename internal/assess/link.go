package assess

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// Link is a link in a plan. LinkResult contains its utilization and the throughput that it needs.
type Link struct {
	Plan *Plan
	Link promise.Link
	promise.LinkResult
}

// Changes returns the sums of the change rates of the promises on the link in Mbit/s: the mean and the busiest ones.
func (l *Link) Changes() (mean, busiest float64) {
	for _, name := range l.Promises {
		one := l.Plan.Result.Promises[name]
		if one.ChangeMbps != nil && one.BusiestChangeMbps != nil {
			mean += *one.ChangeMbps
			busiest += *one.BusiestChangeMbps
		}
	}
	return mean, busiest
}

// Load states what the link carries, what its VMs change, and what it needs.
func (l *Link) Load(name string) string {
	mean, busiest := l.Changes()
	text := "The link"
	if name != promise.DefaultLinkName {
		text += " " + name
	}
	given := wording.Value("_mbps", l.ThroughputMbps)
	if l.Plan.NoInput == nil {
		usable, worse := l.Link.UsableMbps()
		text += " carries " + wording.Value("_mbps", usable)
		if usable < l.ThroughputMbps {
			text += " of its " + given
		}
		if l.Link.HourlyThroughputMbps != nil {
			text += " on average over the day"
		}
		if worse < usable {
			text += ", or " + wording.Value("_mbps", worse) + " at the worse end"
		}
	} else {
		text += " provides " + given
	}
	when := "in their busiest time"
	if len(l.Promises) > 1 {
		when = "if the busiest times of all tiers coincide"
	}
	text += fmt.Sprintf(". Its VMs change %s on average and %s %s.", wording.Value("_mbps", mean),
		wording.Value("_mbps", busiest), when)
	switch {
	case l.ThroughputNeededMbps != nil:
		text += " It needs " + NeedText(l.LinkResult) + l.Plan.Result.NeedPurpose(name) + "."
	case l.NeededLimitedBy != nil:
		text += " A higher throughput does not help, because " + promise.Obstacle(*l.NeededLimitedBy) + "."
	}
	return text
}

// NeedText formats the throughput that a link needs, or explains why no throughput would be sufficient.
func NeedText(r promise.LinkResult) string {
	switch need := r.ThroughputNeededMbps; {
	case need != nil && *need <= promise.RangeThroughputMbps.Min:
		return "nothing"
	case need != nil:
		return quantity.CeilMbps(*need)
	}
	if r.NeededLimitedBy == nil {
		return wording.None
	}
	return strings.TrimSuffix("no throughput is sufficient: "+promise.Obstacle(*r.NeededLimitedBy), ": ")
}

func (a *Assessment) setLink(p *Plan, name string, inputs []Fact) {
	r := p.Result.Links[name]
	a.Answer = &Link{Plan: p, Link: p.Input.Links[name], LinkResult: r}
	a.Texts.Promise = "promises: " + quantity.List(r.Promises, maxNamed)
	isUnset := func(f Fact) bool { return f.Name == "throughput_mbps" && !f.HasValue() }
	facts := partFacts(slices.DeleteFunc(inputs, isUnset))
	if !slices.ContainsFunc(facts, func(f Fact) bool { return f.Name == "throughput_mbps" }) {
		facts.addResult("throughput_mbps", r.ThroughputMbps)
	}
	facts.addResult("use_percent", r.UsePercent)
	facts.addResult("busiest_hour_percent", r.BusiestHourPercent)
	facts.addText("throughput_needed_mbps", "Throughput needed", NeedText(r))
	facts.addText("headroom_percent", "Reserve", FormatHeadroom(r.HeadroomPercent))
	a.facts = facts
}
