// Package compliance compares the promises of tiers with the state of vSphere Replication: each VM with a tier's tag
// must be replicated with the promised RPO or a shorter one, and must currently meet that RPO.
//
// The comparison fails closed: a VM counts as protected only if it has a running replication with a complete copy. A
// replication that is paused, failed, inactive, recovered, not fully configured, not yet synced or in an unknown state
// does not protect its VM. The verdict states the reason.
package compliance

import (
	"cmp"
	"maps"
	"slices"
)

// Tier is the promise made to the VMs of a tier.
type Tier struct {
	// RPOMinutes is the maximum age of the newest recovery point.
	RPOMinutes int64
	// ConfiguredRPOMinutes is the longest RPO that a replication may be configured with so that the promise is kept; 0
	// for RPOMinutes, which also applies if it is shorter.
	ConfiguredRPOMinutes int64
	// CompliancePercent is the promised share of time within the RPO; nil if there is no such promise.
	CompliancePercent *float64
}

func (t Tier) longestRPOMinutes() int64 {
	return min(t.RPOMinutes, cmp.Or(t.ConfiguredRPOMinutes, t.RPOMinutes))
}

// VM is a VM with the tag of at least one tier.
type VM struct {
	ID, Name string
	// Tiers contains the names of the VM's tiers. The tier with the shortest RPO applies. If several tiers have that
	// RPO, the first by name applies.
	Tiers []string
	// Found reports whether vCenter returned the VM. If not, the VM was deleted or is not visible to the user.
	Found bool
	// Template reports whether the VM is a template. Templates cannot be replicated and are skipped unless a
	// replication exists.
	Template bool
}

// Replication is an outgoing replication from the vCenter whose tags are read.
type Replication struct {
	ID string
	// VMID is empty if vSphere Replication no longer reports the VM.
	VMID, Name string
	RPOMinutes int64
	// Status and ConfigurationState are values of the vSphere Replication API. Later releases might add others.
	Status, ConfigurationState string
	// Violation reports whether the replica is older than the configured RPO.
	Violation bool
	// Synced reports whether the target has a complete copy.
	Synced bool
	// Recovering reports whether a recovery has started or is complete.
	Recovering bool
	// By is the replication mechanism: VSphereReplication (default) or ProtectionGroup.
	By string
	// ViolationUnknown is set if the replication does not report RPO violations.
	ViolationUnknown bool
}

// Replication mechanisms.
const (
	VSphereReplication = "vsphere_replication"
	ProtectionGroup    = "protection_group"
	// BothMechanisms means that both mechanisms replicate the VM. The one that protects it better determines the
	// verdict.
	BothMechanisms = "both"
)

// Verdict is the verdict on one VM.
type Verdict struct {
	ID, Name string
	// Tier is empty for a replicated VM that has no tier.
	Tier string
	// PromisedRPOMinutes is 0 if the VM has no tier. ConfiguredRPOMinutes is 0 if there is no replication.
	PromisedRPOMinutes, ConfiguredRPOMinutes int64
	// Status is the replication status; empty if there is no replication.
	Status string
	// ProtectedBy is VSphereReplication, ProtectionGroup or BothMechanisms, or empty if there is no replication.
	ProtectedBy string
	// Verdict is the first applicable verdict in the order of Verdicts.
	Verdict string
}

// Result contains the verdicts on all VMs. Its lists contain IDs in ascending order.
type Result struct {
	// Compliant reports whether the lists Unprotected, WeakerThanPromised, InViolation and SeveralTiers are empty and
	// every tier meets its promise for the period.
	Compliant bool
	// Periods contains the verdict on each tier for the period, by tier name. It is nil unless JudgePeriods was called.
	Periods map[string]Period
	VMs     map[string]Verdict
	// Unprotected lists VMs that have a tier but no working replication.
	Unprotected []string
	// WeakerThanPromised lists VMs that are replicated with a longer RPO than the promise of their tier allows.
	WeakerThanPromised []string
	// InViolation lists VMs whose replica is older than the configured RPO.
	InViolation []string
	// SeveralTiers lists VMs that have the tags of more than one tier.
	SeveralTiers []string
	// UntaggedButReplicated lists VMs that are replicated but have no tier. They do not affect Compliant.
	UntaggedButReplicated []string
	// Templates lists templates that have a tier but no replication. They are skipped.
	Templates []string
	// Orphans lists the IDs of replications whose VM is unknown.
	Orphans []string
	// Tagged is the number of VMs per tier. Each VM is counted only in the tier that applies to it.
	Tagged  map[string]int64
	Summary string
}

// Judge compares each VM's replication with the promise of its tier. It skips VMs without a tier and counts duplicates
// once.
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
		&r.Unprotected, &r.WeakerThanPromised, &r.InViolation, &r.SeveralTiers, &r.UntaggedButReplicated,
		&r.Templates, &r.Orphans,
	} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	r.Compliant = len(r.Unprotected)+len(r.WeakerThanPromised)+len(r.InViolation)+len(r.SeveralTiers) == 0
	r.Summary = r.summary()
	return r
}

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
		most := tiers[v.Tier].longestRPOMinutes()
		of, v.ProtectedBy = best(of, most)
		worst := worstOf(of)
		v.Name = cmp.Or(m.Name, worst.Name)
		v.Status = worst.Status
		v.ConfiguredRPOMinutes = longest(of)
		v.Verdict = worst.fault()
		violated = slices.ContainsFunc(of, Replication.late)
		weaker = v.ConfiguredRPOMinutes > most
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

func without(m VM) string {
	if m.Found {
		return Unprotected
	}
	return NotFound
}

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

// longest returns the longest RPO of the replications. According to the documentation, vSphere Replication supports at
// most one outgoing replication per VM.
func longest(of []Replication) int64 {
	rpo := int64(0)
	for _, r := range of {
		rpo = max(rpo, r.RPOMinutes)
	}
	return rpo
}

// best returns the replications of the mechanism that protects the VM better, and the value of Verdict.ProtectedBy. If
// both mechanisms protect the VM equally well, it chooses the one with the shorter RPO. most is the longest RPO in
// minutes that keeps the promise; 0 if there is no promise.
func best(of []Replication, most int64) (counts []Replication, by string) {
	mechanisms := make(map[string][]Replication, 2)
	for _, r := range of {
		name := cmp.Or(r.By, VSphereReplication)
		mechanisms[name] = append(mechanisms[name], r)
	}
	names := slices.SortedFunc(maps.Keys(mechanisms), func(a, b string) int {
		one, other := mechanisms[a], mechanisms[b]
		return cmp.Or(cmp.Compare(rank(other, most), rank(one, most)),
			cmp.Compare(longest(one), longest(other)), cmp.Compare(a, b))
	})
	if len(names) > 1 {
		return mechanisms[names[0]], BothMechanisms
	}
	return of, names[0]
}

func rank(of []Replication, most int64) int {
	fault := worstOf(of).fault()
	switch {
	case fault != "":
	case slices.ContainsFunc(of, Replication.late):
		fault = InViolation
	case most > 0 && longest(of) > most:
		fault = WeakerThanPromised
	}
	return severity(fault)
}

// severity returns the position of a verdict in Verdicts, where 0 is the most severe. An empty verdict comes last.
func severity(verdict string) int {
	if i := slices.Index(Verdicts(), verdict); i >= 0 {
		return i
	}
	return len(Verdicts())
}

func worstOf(of []Replication) Replication {
	return slices.MinFunc(of, func(a, b Replication) int {
		return cmp.Or(cmp.Compare(severity(a.fault()), severity(b.fault())), cmp.Compare(a.ID, b.ID))
	})
}
