package judge

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

type compliance struct {
	Pairing   text                               `json:"pairing_id"`
	Compliant tfplan.Value[bool]                 `json:"compliant"`
	VMs       tfplan.Value[map[string]checkedVM] `json:"virtual_machines"`
	Tiers     map[string]struct {
		RPO     figure `json:"rpo_minutes"`
		Percent figure `json:"compliance_percent"`
	} `json:"tiers"`
	Periods          tfplan.Value[map[string]period] `json:"periods"`
	Folder           text                            `json:"folder"`
	Cluster          text                            `json:"cluster"`
	Unprotected      tfplan.Value[[]string]          `json:"unprotected"`
	Weaker           tfplan.Value[[]string]          `json:"weaker_than_promised"`
	Violating        tfplan.Value[[]string]          `json:"in_violation"`
	SeveralTiers     tfplan.Value[[]string]          `json:"several_tiers"`
	Uncovered        tfplan.Value[[]string]          `json:"uncovered"`
	UncoveredUnknown tfplan.Value[[]string]          `json:"uncovered_unknown"`
}

type checkedVM struct {
	Tier     text   `json:"tier"`
	Promised figure `json:"promised_rpo_minutes"`
	Verdict  text   `json:"verdict"`
}

// period is the compliance of a tier in the past.
type period struct {
	Verdict   text   `json:"verdict"`
	VMs       figure `json:"vm_count"`
	UnknownVM figure `json:"unknown_vm_count"`
	Promised  figure `json:"promised_compliance_percent"`
	Percent   figure `json:"compliance_percent"`
	Violation figure `json:"violation_minutes"`
	Known     figure `json:"known_minutes"`
	Unknown   figure `json:"unknown_minutes"`
}

// isSound reports whether the verdict of a period agrees with its figures. Up to 5% of the time may be unknown.
func (p period) isSound() bool {
	const knownEnough = 0.95
	switch p.Verdict.V {
	case "kept":
		all := p.Known.V + p.Unknown.V
		return p.Promised.Set && p.Percent.Set && p.Percent.V >= p.Promised.V && p.Percent.V <= 100 &&
			tfplan.Is(p.UnknownVM, 0) && p.Known.Set &&
			100*(p.Known.V-p.Violation.V) >= knownEnough*all*p.Promised.V
	case "broken":
		return p.Promised.Set && p.Percent.Set && p.Percent.V < p.Promised.V
	case "unknown":
		return p.Promised.Set
	case "not_promised":
		return !p.Promised.Set
	case "no_vms":
		return tfplan.Is(p.VMs, 0)
	}
	return false
}

func (c compliance) isSound() bool {
	broken := len(c.Unprotected.V) + len(c.Weaker.V) + len(c.Violating.V) + len(c.SeveralTiers.V)
	for name, t := range c.Tiers {
		if t.Percent.Set && c.Periods.V[name].Promised != t.Percent {
			return false
		}
	}
	for _, p := range c.Periods.V {
		if !p.isSound() {
			return false
		}
		if p.Verdict.V == "broken" || p.Verdict.V == "unknown" {
			broken++
		}
	}
	return c.Compliant.Set && len(c.VMs.V) > 0 && c.Unprotected.Set && c.Weaker.Set && c.Violating.Set &&
		c.SeveralTiers.Set && c.Compliant.V == (broken == 0)
}

// scope is what a compliance checks. Without a folder and a cluster, it checks all VMs.
var scope = []calculator.Field{
	{Name: "folder", AbsentWorst: true},
	{Name: "cluster", AbsentWorst: true},
	{Name: "lookback_hours", Direction: calculator.Lower},
}

// judgeCompliance judges a result of vsla_sla_compliance.
func (j *judge) judgeCompliance(r *tfplan.Resource, bounds settings.Bounds) {
	c, err := tfplan.Decode[compliance](r.Values)
	if err != nil || !c.isSound() {
		j.add(finding.Unknown, r.Address, r.Address, unreliable)
		if err != nil {
			return
		}
	}
	for _, id := range c.Unprotected.V {
		j.add(finding.Unprotected, id, r.Address, "is not replicated as promised: %s", c.VMs.V[id].Verdict.V)
	}
	// What is not protected has its finding, even if it is late as well.
	late := slices.DeleteFunc(slices.Clone(c.Violating.V), func(id string) bool {
		return slices.Contains(c.Unprotected.V, id)
	})
	for _, list := range []struct {
		code finding.Code
		says string
		vms  []string
	}{
		{finding.Weaker, "has VMs that are replicated with a longer RPO than promised", c.Weaker.V},
		{finding.RPOMissed, "has VMs in violation of their RPO", late},
		{finding.SeveralTiers, "has VMs with several tiers", c.SeveralTiers.V},
	} {
		if len(list.vms) > 0 {
			j.add(list.code, r.Address, r.Address, "%s: %s", list.says, quantity.List(list.vms, namesListed))
		}
	}
	j.judgePeriods(r, c)
	j.checkPromises(r, c)
	j.checkFilter(r, "folder", c.Folder, bounds)
	j.checkFilter(r, "cluster", c.Cluster, bounds)
	j.checkUncovered(r, c, bounds)
	j.checkLimits(part{r.Address, r.Address, r.Type, "", r.Values, r.Values, bounds}, scope)
}

// judgePeriods finds the tiers whose promise was broken in the past, or might have been.
func (j *judge) judgePeriods(r *tfplan.Resource, c compliance) {
	for _, name := range slices.Sorted(maps.Keys(c.Periods.V)) {
		switch p := c.Periods.V[name]; p.Verdict.V {
		case "broken":
			j.add(finding.PeriodBroken, r.Address, r.Address,
				"has a VM of tier %s that was within its RPO for only %v%% of the time; the tier promises %v%%",
				name, p.Percent.V, p.Promised.V)
		case "unknown":
			j.add(finding.NotMeasured, r.Address, r.Address, "knows too little about the period of tier %s", name)
		}
	}
}

// checkPromises finds the tiers that are checked for less than the settings promise.
func (j *judge) checkPromises(r *tfplan.Resource, c compliance) {
	for _, name := range slices.Sorted(maps.Keys(c.Tiers)) {
		t := c.Tiers[name]
		if p, bounded := j.settings.For(name); !bounded {
			j.add(finding.Unbounded, name, r.Address, "is not in promises of the settings")
		} else if p.RPO > 0 && (!t.RPO.Set || t.RPO.V > p.RPO) {
			j.add(finding.Weaker, name, r.Address, "is checked for an RPO of %v minutes; the settings promise %v",
				t.RPO.V, p.RPO)
		}
	}
}

// checkFilter finds a filter of VMs that the settings do not name.
func (j *judge) checkFilter(r *tfplan.Resource, name string, filter text, bounds settings.Bounds) {
	if filter.Set && !bounds.Fixes(name) {
		j.add(finding.Unbounded, r.Address, r.Address, "checks only the VMs of one %s: write %s", name, name)
	}
}

func (j *judge) checkUncovered(r *tfplan.Resource, c compliance, bounds settings.Bounds) {
	for _, limit := range bounds.Limits {
		most, ok := limit.Value.(float64)
		if limit.Name != "uncovered" || !ok {
			continue
		}
		found := len(c.Uncovered.V) + len(c.UncoveredUnknown.V)
		switch {
		case !c.Uncovered.Set || !c.UncoveredUnknown.Set:
			j.add(finding.Unknown, r.Address, r.Address, "does not show which VMs are not covered by a tier")
		case float64(found) > most:
			j.add(finding.Uncovered, r.Address, r.Address,
				"has %s without a tier and a replication; the settings allow %v", wording.Count(found, "VM"), most)
		}
	}
}

// judgeHistory judges a result of vsla_replication_history.
func (j *judge) judgeHistory(r *tfplan.Resource, bounds settings.Bounds) {
	h, err := tfplan.Decode[struct {
		Total struct {
			Percent figure `json:"compliance_percent"`
			Known   figure `json:"known_minutes"`
			Unknown figure `json:"unknown_minutes"`
		} `json:"total"`
	}](r.Values)
	t := h.Total
	least := 0.0
	for _, limit := range bounds.Limits {
		if value, ok := limit.Value.(float64); ok && limit.Name == "compliance_percent" {
			least = value
		}
	}
	switch {
	case err != nil, !t.Known.Set, !t.Unknown.Set, t.Percent.Set != (t.Known.V > 0), t.Percent.V > 100:
		j.add(finding.Unknown, r.Address, r.Address, unreliable)
	case !t.Percent.Set:
		j.add(finding.NotMeasured, r.Address, r.Address, "has no known time in its period")
	case t.Percent.V < least:
		j.add(finding.PeriodBroken, r.Address, r.Address,
			"was within the RPO for %v%% of the known time; the settings require %v%%", t.Percent.V, least)
	}
}
