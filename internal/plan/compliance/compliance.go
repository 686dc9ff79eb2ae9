// Package compliance compares what tiers promise with what vSphere Replication does: each VM that carries a tier's tag
// has to be replicated, with the RPO that the tier promises or a shorter one, and to be within it now.
//
// It fails closed. Only a replication that runs and has a complete copy protects a VM: one that is paused, in error,
// not active, not configured to the end, not synced for the first time, taken over by a recovery, or in a state that
// is not known here, leaves it unprotected, with the reason in the verdict.
package compliance

import (
	"cmp"
	"maps"
	"slices"
)

// Tier is a promise.
type Tier struct {
	// RPOMinutes is how old the newest recovery point may be.
	RPOMinutes int64
	// CompliancePercent is the promise for a period: the share of time within the RPO; nil without one.
	CompliancePercent *float64
}

// VM carries the tag of at least one tier.
type VM struct {
	ID, Name string
	// Tiers are the names of the tiers whose tags it carries. The one with the shortest RPO counts, the first by name
	// among equals.
	Tiers []string
	// Found reports whether vCenter shows the VM. One that it does not show was deleted since, or is hidden from the user.
	Found bool
	// Template cannot be replicated, and is judged only where it is nevertheless.
	Template bool
}

// Replication is one replication that leaves the vCenter whose tags are judged. The others are the other site's to
// judge.
type Replication struct {
	ID string
	// VMID is empty where vSphere Replication does not know the VM any more.
	VMID, Name string
	RPOMinutes int64
	// Status and ConfigurationState are the words of the API. New ones may come with any release.
	Status, ConfigurationState string
	// Violation reports that the replica is older now than the configured RPO allows.
	Violation bool
	// Synced reports whether a first complete copy is at the target.
	Synced bool
	// Recovering reports that a recovery has begun or is done.
	Recovering bool
	// By is the mechanism: VSphereReplication, which is the default, or ProtectionGroup.
	By string
	// ViolationUnknown reports that it cannot be known whether the RPO is kept.
	ViolationUnknown bool
}

// The mechanisms that replicate.
const (
	VSphereReplication = "vsphere_replication"
	ProtectionGroup    = "protection_group"
	// BothMechanisms replicate the VM; the one that protects it better counts.
	BothMechanisms = "both"
)

// Verdict is the result for one VM.
type Verdict struct {
	ID, Name string
	// Tier is empty for a VM that is replicated and carries no tier's tag.
	Tier string
	// PromisedRPOMinutes is 0 without a tier, ConfiguredRPOMinutes without a replication.
	PromisedRPOMinutes, ConfiguredRPOMinutes int64
	// Status is the replication's, empty without one.
	Status string
	// ProtectedBy is VSphereReplication, ProtectionGroup, BothMechanisms, or empty without a replication.
	ProtectedBy string
	// Verdict is one of the constants: the first of them that holds.
	Verdict string
}

// Result is the judgement. All lists are sorted, and hold ids.
type Result struct {
	// Compliant reports that the first four lists are empty, and that every tier keeps its promise for the period.
	Compliant bool
	// Periods are the tiers' periods, by name; empty unless JudgePeriods was called.
	Periods map[string]Period
	VMs     map[string]Verdict
	// Unprotected VMs carry a tier's tag, and no replication protects them now.
	Unprotected []string
	// WeakerThanPromised VMs are replicated with a longer RPO than their tier promises.
	WeakerThanPromised []string
	// InViolation VMs have a replica that is older now than even the configured RPO allows.
	InViolation []string
	// SeveralTiers VMs carry the tags of more than one tier.
	SeveralTiers []string
	// UntaggedButReplicated VMs carry no tier's tag. No promise is broken by that.
	UntaggedButReplicated []string
	// Templates carry a tier's tag and are not judged.
	Templates []string
	// Orphans are replications, by their own ids, whose VM is not known any more.
	Orphans []string
	// Tagged is the number of VMs of each tier, each VM counted in the tier that counts for it.
	Tagged  map[string]int64
	Summary string
}

// Judge compares. A VM without any of the tiers is not judged, and one that comes twice counts once.
func Judge(tiers map[string]Tier, vms []VM, replications []Replication) Result {
	r := Result{VMs: make(map[string]Verdict, len(vms)), Tagged: make(map[string]int64, len(tiers))}
	for name := range tiers {
		r.Tagged[name] = 0
	}
	found := r.group(replications)
	for _, m := range vms {
		if _, twice := r.VMs[m.ID]; !twice && len(carried(tiers, m)) > 0 {
			r.judge(tiers, m, found[m.ID])
		}
	}
	for id, of := range found {
		if _, tagged := r.VMs[id]; !tagged {
			of, by := best(of, 0)
			worst := worstOf(of)
			r.VMs[id] = Verdict{
				ID:                   id,
				ProtectedBy:          by,
				Name:                 worst.Name,
				ConfiguredRPOMinutes: longest(of),
				Status:               worst.Status,
				Verdict:              Untagged,
			}
			r.UntaggedButReplicated = append(r.UntaggedButReplicated, id)
		}
	}
	for _, list := range []*[]string{
		&r.Unprotected,
		&r.WeakerThanPromised,
		&r.InViolation,
		&r.SeveralTiers,
		&r.UntaggedButReplicated,
		&r.Templates,
		&r.Orphans,
	} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	r.Compliant = len(r.Unprotected)+len(r.WeakerThanPromised)+len(r.InViolation)+len(r.SeveralTiers) == 0
	r.Summary = r.summary()
	return r
}

// group returns the replications of each VM.
func (r *Result) group(replications []Replication) map[string][]Replication {
	of := make(map[string][]Replication, len(replications))
	for _, one := range replications {
		if one.VMID == "" {
			r.Orphans = append(r.Orphans, one.ID)
			continue
		}
		of[one.VMID] = append(of[one.VMID], one)
	}
	return of
}

// judge adds a VM that carries a tier's tag to the lists that it belongs to.
func (r *Result) judge(tiers map[string]Tier, m VM, of []Replication) {
	if m.Template && len(of) == 0 {
		r.Templates = append(r.Templates, m.ID)
		return
	}
	names := carried(tiers, m)
	v := Verdict{ID: m.ID, Name: m.Name, Tier: names[0], PromisedRPOMinutes: tiers[names[0]].RPOMinutes}
	r.Tagged[v.Tier]++
	v.Verdict = without(m)
	violated, weaker := false, false
	if len(of) > 0 {
		of, v.ProtectedBy = best(of, v.PromisedRPOMinutes)
		worst := worstOf(of)
		v.Name, v.Status, v.ConfiguredRPOMinutes = cmp.Or(m.Name, worst.Name), worst.Status, longest(of)
		v.Verdict = worst.fault()
		violated, weaker = slices.ContainsFunc(of, Replication.late), v.ConfiguredRPOMinutes > v.PromisedRPOMinutes
	}
	if v.Verdict != "" {
		r.Unprotected = append(r.Unprotected, m.ID)
	}
	for _, fault := range []struct {
		holds   bool
		verdict string
		list    *[]string
	}{
		{violated, InViolation, &r.InViolation},
		{weaker, WeakerThanPromised, &r.WeakerThanPromised},
		{len(names) > 1, SeveralTiers, &r.SeveralTiers},
	} {
		if fault.holds {
			*fault.list = append(*fault.list, m.ID)
			v.Verdict = cmp.Or(v.Verdict, fault.verdict)
		}
	}
	v.Verdict = cmp.Or(v.Verdict, Compliant)
	r.VMs[m.ID] = v
}

// carried returns the tiers of a VM, the one that counts first.
func carried(tiers map[string]Tier, m VM) []string {
	set := make(map[string]bool, len(m.Tiers))
	for _, name := range m.Tiers {
		if _, ok := tiers[name]; ok {
			set[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b string) int {
		return cmp.Or(cmp.Compare(tiers[a].RPOMinutes, tiers[b].RPOMinutes), cmp.Compare(a, b))
	})
}

// longest returns the RPO that a VM has in any case. It has one outgoing replication at most, by vSphere Replication's
// documentation; of several the weakest counts.
func longest(of []Replication) int64 {
	rpo := int64(0)
	for _, r := range of {
		rpo = max(rpo, r.RPOMinutes)
	}
	return rpo
}

// best returns the replications of the mechanism that protects a VM better, and which mechanisms there are. Of
// mechanisms that are equally good the one with the shorter RPO counts.
func best(of []Replication, promised int64) (counts []Replication, by string) {
	mechanisms := make(map[string][]Replication, 2)
	for _, r := range of {
		name := cmp.Or(r.By, VSphereReplication)
		mechanisms[name] = append(mechanisms[name], r)
	}
	names := slices.SortedFunc(maps.Keys(mechanisms), func(a, b string) int {
		one, other := mechanisms[a], mechanisms[b]
		return cmp.Or(
			cmp.Compare(rank(other, promised), rank(one, promised)), cmp.Compare(longest(one), longest(other)),
			cmp.Compare(a, b),
		)
	})
	if len(names) > 1 {
		return mechanisms[names[0]], BothMechanisms
	}
	return of, names[0]
}

// rank is the severity of the first fault of a mechanism; the largest is that of one without a fault.
func rank(of []Replication, promised int64) int {
	fault := worstOf(of).fault()
	switch {
	case fault != "":
	case slices.ContainsFunc(of, Replication.late):
		fault = InViolation
	case promised > 0 && longest(of) > promised:
		fault = WeakerThanPromised
	}
	return severity(fault)
}

// worstOf returns the replication that protects least.
func worstOf(of []Replication) Replication {
	return slices.MinFunc(of, func(a, b Replication) int {
		return cmp.Or(cmp.Compare(severity(a.fault()), severity(b.fault())), cmp.Compare(a.ID, b.ID))
	})
}
