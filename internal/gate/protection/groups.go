package protection

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

// group contains what a vsla_protection_group protects its members with.
type group struct {
	ID              text                            `json:"id"`
	Cluster         text                            `json:"cluster_id"`
	Adopt           boolean                         `json:"adopt_existing"`
	Paused          boolean                         `json:"paused"`
	Locked          boolean                         `json:"locked"`
	DeleteSnapshots boolean                         `json:"delete_snapshots_on_destroy"`
	MaxRemoves      figure                          `json:"max_removes"`
	Removes         tfplan.Value[[]string]          `json:"removes"`
	Members         tfplan.Value[[]text]            `json:"member_vm_ids"`
	Listed          tfplan.Value[[]text]            `json:"vm_ids"`
	Replication     tfplan.Value[groupReplication]  `json:"replication"`
	Snapshots       tfplan.Value[map[string]policy] `json:"snapshot_policies"`
}

type groupReplication struct {
	RPO         figure                                        `json:"rpo_minutes"`
	KeepLast    figure                                        `json:"keep_last"`
	ClusterPair text                                          `json:"cluster_pair_id"`
	LongTerm    tfplan.Value[map[string]tfplan.Value[policy]] `json:"long_term"`
}

// policy is how often recovery points are taken, and how long they are kept.
type policy struct {
	EveryMinutes figure `json:"every_minutes"`
	EveryHours   figure `json:"every_hours"`
	EveryDays    figure `json:"every_days"`
	EveryWeeks   figure `json:"every_weeks"`
	EveryMonths  figure `json:"every_months"`
	KeepHours    figure `json:"keep_hours"`
	KeepDays     figure `json:"keep_days"`
	KeepWeeks    figure `json:"keep_weeks"`
	KeepMonths   figure `json:"keep_months"`
	KeepYears    figure `json:"keep_years"`
}

var groupRules = []rule[group]{
	{finding.Removed, "loses its replication: its members keep only local snapshots, if any", func(b, a group) bool {
		return b.Replication.Set && !a.Replication.Set && !a.Replication.Unknown
	}},
	{finding.Weaker, "keeps fewer latest replicas", func(b, a group) bool {
		return a.Replication.Set && fewer(b.Replication.V.KeepLast, a.Replication.V.KeepLast)
	}},
	{finding.Weaker, "replicates to another cluster", func(b, a group) bool {
		return a.Replication.Set && changed(b.Replication.V.ClusterPair, a.Replication.V.ClusterPair)
	}},
	{finding.GuardOff, "deletes its snapshots when it is destroyed", func(b, a group) bool {
		return turnedOn(b.DeleteSnapshots, a.DeleteSnapshots)
	}},
	{finding.GuardOff, "allows more members to be removed", func(b, a group) bool {
		return raised(b.MaxRemoves, a.MaxRemoves)
	}},
}

func raised(before, after tfplan.Value[float64]) bool {
	return before.Set && (!after.Set || after.V > before.V)
}

// period is a length of time, either in minutes or in months. The other field is 0.
type period struct{ minutes, months float64 }

func (p policy) keep() period {
	const day = 24 * 60
	return period{
		60*p.KeepHours.V + day*p.KeepDays.V + 7*day*p.KeepWeeks.V, p.KeepMonths.V + 12*p.KeepYears.V,
	}
}

func (p policy) every() period {
	const day = 24 * 60
	return period{
		p.EveryMinutes.V + 60*p.EveryHours.V + day*p.EveryDays.V + 7*day*p.EveryWeeks.V, p.EveryMonths.V,
	}
}

// isAtLeast reports whether p is at least as long as other. If only one of them is in months, a month counts as 28 days
// in p and as 31 days in other.
func (p period) isAtLeast(other period) bool {
	const day = 24 * 60
	switch {
	case p.months > 0 && other.months > 0:
		return p.months >= other.months
	case p.months > 0:
		return p.months*28*day >= other.minutes
	}
	return p.minutes >= other.minutes+other.months*31*day
}

// isAsOften reports whether p takes recovery points at least as often as before.
func (p policy) isAsOften(before policy) bool {
	return before.every() == (period{}) || p.every() != (period{}) && before.every().isAtLeast(p.every())
}

const snapshots = "snapshot_policies."

func (g group) policies() map[string]policy {
	all := make(map[string]policy)
	for name, p := range g.Snapshots.V {
		all[snapshots+name] = p
	}
	for name, p := range g.Replication.V.LongTerm.V {
		if p.Set {
			all["long_term."+name] = p.V
		}
	}
	return all
}

func (t *Table) compareGroups(s states) {
	before, broken := recordsOf[group](s.before, typeGroup)
	after, alsoBroken := recordsOf[group](s.after, typeGroup)
	for _, one := range slices.Concat(broken, alsoBroken) {
		one.Message = "has an RPO, a retention or a member that is not known during plan"
		t.add(one)
	}
	now := make(map[string][]record[group])
	for _, a := range after {
		now[groupKey(a)] = append(now[groupKey(a)], a)
	}
	kept := keptGroups(after)
	for _, b := range before {
		same := now[groupKey(b)]
		if len(keptGroups(same)) < max(1, len(same)) {
			t.add(finding.New(finding.Removed, b.address,
				"is removed, replaced or forgotten: its members are no longer protected or no longer managed"))
		}
		for _, a := range keptGroups(same) {
			t.compareGroup(b.is, a, kept)
		}
	}
	for _, c := range t.plan.Changes {
		if c.Type == typeGroup && c.Has(tfplan.Delete) && c.Change.Before["delete_snapshots_on_destroy"] != false {
			t.add(finding.New(finding.SnapshotsDeleted, c.Address,
				"is deleted with its snapshots: delete_snapshots_on_destroy is set"))
		}
	}
	for _, a := range after {
		t.checkGroup(a, before)
	}
}

func (t *Table) compareGroup(before group, a record[group], kept []record[group]) {
	if was, is := before.Replication.V.RPO, a.is.Replication.V.RPO; a.is.Replication.Set && longer(was, is) {
		t.add(finding.New(finding.Weaker, a.address, longerRPO(was, is)))
	}
	for _, r := range worsened(groupRules, before, a.is) {
		t.add(finding.New(r.code, a.address, r.says))
	}
	t.comparePolicies(before, a)
	t.compareMembers(before, a, kept)
}

// groupKey identifies a group: by its ID, which a move and an import keep, else by its address.
func groupKey(r record[group]) string {
	if r.is.ID.Set {
		return r.is.ID.V
	}
	if r.change != nil && r.change.Previous != "" {
		return r.change.Previous
	}
	return r.address
}

func keptGroups(after []record[group]) []record[group] {
	return slices.DeleteFunc(slices.Clone(after), func(r record[group]) bool {
		return r.change != nil && r.change.Has(tfplan.Delete)
	})
}

func (t *Table) comparePolicies(before group, a record[group]) {
	if a.is.Snapshots.Unknown || a.is.Replication.Unknown || a.is.Replication.V.LongTerm.Unknown {
		t.add(finding.New(finding.Unknown, a.address, "has an RPO or a retention that is not known during plan"))
		return
	}
	after := a.is.policies()
	was := before.policies()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		switch {
		case !after[name].keep().isAtLeast(was[name].keep()):
			t.add(finding.New(finding.Weaker, a.address,
				"keeps the recovery points of "+name+" for a shorter time or not at all"))
		case !after[name].isAsOften(was[name]):
			t.add(finding.New(finding.Weaker, a.address, "takes recovery points for "+name+" less often"))
		}
	}
}

// compareMembers finds members that a group loses. A VM that another group protects as well as before loses nothing.
func (t *Table) compareMembers(before group, a record[group], kept []record[group]) {
	if !a.is.Removes.Set && a.change != nil && !a.change.Has("no-op") {
		t.add(finding.New(finding.Unknown, a.address, "does not show during plan what it removes"))
		return
	}
	for _, vm := range a.is.Removes.V {
		others := slices.DeleteFunc(slices.Clone(kept), func(o record[group]) bool { return !o.is.contains(vm) })
		switch {
		case len(others) == 0:
			t.lost = append(t.lost, finding.Of(finding.Removed, vm, a.address, "leaves its protection group"))
		case !slices.ContainsFunc(others, func(o record[group]) bool { return o.is.protectsLike(before) }):
			t.add(finding.Of(finding.Weaker, vm, a.address, fmt.Sprintf(
				"moves to a group with weaker protection: %s", others[0].address)))
		}
	}
}

func (g group) contains(vm string) bool {
	is := func(id text) bool { return tfplan.Is(id, vm) }
	return !slices.Contains(g.Removes.V, vm) &&
		(slices.ContainsFunc(g.Members.V, is) || slices.ContainsFunc(g.Listed.V, is))
}

func (g group) protectsLike(before group) bool {
	if before.Replication.Set {
		was, is := before.Replication.V, g.Replication.V
		if !is.RPO.Set || longer(was.RPO, is.RPO) || keepLast(is) < keepLast(was) || is.ClusterPair != was.ClusterPair {
			return false
		}
	}
	if tfplan.Is(g.Paused, true) {
		return false
	}
	after := g.policies()
	for name, was := range before.policies() {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(after)), func(other string) bool {
			own := strings.HasPrefix(name, snapshots) && strings.HasPrefix(other, snapshots)
			return (own || name == other) && after[other].keep().isAtLeast(was.keep()) && after[other].isAsOften(was)
		}) {
			return false
		}
	}
	return true
}

func keepLast(r groupReplication) float64 {
	if r.KeepLast.Set {
		return r.KeepLast.V
	}
	return 1
}

// Group is a protection group after the plan that starts to replicate, or that replicates.
type Group struct {
	Address string
	VMs     []string
	RPO     float64
	New     bool
}

// checkGroup finds what no group may be after a plan: paused, or locked by this plan.
func (t *Table) checkGroup(a record[group], before []record[group]) {
	if a.is.Paused.Unknown || tfplan.Is(a.is.Paused, true) {
		t.add(finding.New(finding.Removed, a.address,
			"is or might be paused: no RPO is guaranteed while it is paused"))
	}
	at := slices.IndexFunc(before, func(b record[group]) bool { return groupKey(b) == groupKey(a) })
	if !tfplan.Is(a.is.Locked, false) && (at < 0 || !tfplan.Is(before[at].is.Locked, true)) {
		t.add(finding.New(finding.Locks, a.address, "is or might be locked permanently: it can never be changed again"))
	}
	if rpo := a.is.Replication.V.RPO; rpo.Set {
		g := Group{Address: a.address, RPO: rpo.V, New: at < 0 || !before[at].is.Replication.V.RPO.Set}
		for _, id := range a.is.Listed.V {
			g.VMs = append(g.VMs, id.V)
		}
		t.Groups = append(t.Groups, g)
	} else if rpo.Unknown || a.is.Replication.Unknown {
		t.add(finding.New(finding.Unknown, a.address, "has an RPO or a retention that is not known during plan"))
	}
}
