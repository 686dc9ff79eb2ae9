package protection

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

type (
	boolean = tfplan.Value[bool]
	figure  = tfplan.Value[float64]
	text    = tfplan.Value[string]
)

// replication contains what a vsla_replication protects its VM with.
type replication struct {
	VM                   text                          `json:"vm_id"`
	Pairing              text                          `json:"pairing_id"`
	RPO                  figure                        `json:"rpo_minutes"`
	Paused               boolean                       `json:"paused"`
	Disks                tfplan.Value[map[string]disk] `json:"disks"`
	PointInTime          tfplan.Value[pointInTime]     `json:"point_in_time"`
	Encryption           boolean                       `json:"network_encryption"`
	Quiesce              boolean                       `json:"quiesce_guest"`
	NewDisks             boolean                       `json:"auto_replicate_new_disks"`
	Enhanced             boolean                       `json:"enhanced_replication"`
	DataSets             boolean                       `json:"replicate_vm_data_sets"`
	StoragePolicy        text                          `json:"target_storage_policy_id"`
	ManagedDestroy       boolean                       `json:"destroy_when_managed_by_recovery"`
	LocalDestroy         boolean                       `json:"force_local_destroy"`
	RetainDisks          boolean                       `json:"retain_replica_disks_on_destroy"`
	SkipCapabilityChecks boolean                       `json:"skip_capability_check"`
	Adopt                boolean                       `json:"adopt_existing"`
}

type disk struct {
	Enabled       boolean `json:"enabled"`
	StoragePolicy text    `json:"storage_policy_id"`
}

type pointInTime struct {
	Days            figure `json:"days"`
	InstancesPerDay figure `json:"instances_per_day"`
}

var replicationRules = []rule[replication]{
	{finding.Weaker, "sends its data unencrypted", func(b, a replication) bool {
		return turnedOff(b.Encryption, a.Encryption)
	}},
	{finding.Weaker, "no longer quiesces the guest for recovery points", func(b, a replication) bool {
		return turnedOff(b.Quiesce, a.Quiesce)
	}},
	{finding.Weaker, "stops if a disk is added to its VM", func(b, a replication) bool {
		return turnedOff(b.NewDisks, a.NewDisks)
	}},
	{finding.Weaker, "no longer uses enhanced replication", func(b, a replication) bool {
		return turnedOff(b.Enhanced, a.Enhanced)
	}},
	{finding.Weaker, "no longer replicates the VM's data sets", func(b, a replication) bool {
		return turnedOff(b.DataSets, a.DataSets)
	}},
	{finding.Weaker, "stores its copy with another storage policy", func(b, a replication) bool {
		return changed(b.StoragePolicy, a.StoragePolicy)
	}},
	{finding.Weaker, "stores a disk with another storage policy", otherDiskPolicy},
	{finding.Weaker, "no longer keeps points in time", func(b, a replication) bool {
		return b.PointInTime.Set && !a.PointInTime.Set
	}},
	{finding.Weaker, "keeps points in time for fewer days", func(b, a replication) bool {
		return a.PointInTime.Set && fewer(b.PointInTime.V.Days, a.PointInTime.V.Days)
	}},
	{finding.Weaker, "keeps fewer points in time", func(b, a replication) bool {
		return a.PointInTime.Set && fewer(b.PointInTime.V.InstancesPerDay, a.PointInTime.V.InstancesPerDay)
	}},
	{finding.GuardOff, "can be destroyed while a recovery solution manages it", func(b, a replication) bool {
		return turnedOn(b.ManagedDestroy, a.ManagedDestroy)
	}},
	{finding.GuardOff, "can be destroyed at only one site", func(b, a replication) bool {
		return turnedOn(b.LocalDestroy, a.LocalDestroy)
	}},
	{finding.GuardOff, "deletes its replica disks when it is destroyed", func(b, a replication) bool {
		return turnedOff(b.RetainDisks, a.RetainDisks)
	}},
	{finding.GuardOff, "no longer checks whether replication supports its VM", func(b, a replication) bool {
		return turnedOn(b.SkipCapabilityChecks, a.SkipCapabilityChecks)
	}},
}

func turnedOff(before, after tfplan.Value[bool]) bool {
	return tfplan.Is(before, true) && !tfplan.Is(after, true)
}

func otherDiskPolicy(before, after replication) bool {
	for key, d := range before.Disks.V {
		is, kept := after.Disks.V[key]
		if kept && changed(d.StoragePolicy, is.StoragePolicy) {
			return true
		}
	}
	return false
}

// pair is a VM with the pairing to which it is replicated.
type pair struct{ vm, pairing string }

func (r replication) pair() pair { return pair{r.VM.V, r.Pairing.V} }

// VMOf returns the managed object ID in the ID of a replicated VM: vm-1 in VirtualMachine:vm-1:x.
func VMOf(id string) string {
	if parts := strings.Split(id, ":"); len(parts) > 1 {
		return parts[1]
	}
	return id
}

// Replication is a replication after the plan.
type Replication struct {
	Address, VM, Pairing string
	RPO                  tfplan.Value[float64]
}

func (t *Table) compareReplications(s states) {
	before, broken := recordsOf[replication](s.before, typeReplication)
	after, alsoBroken := recordsOf[replication](s.after, typeReplication)
	t.add(slices.Concat(broken, alsoBroken)...)
	now := make(map[pair][]record[replication])
	for _, r := range after {
		now[r.is.pair()] = append(now[r.is.pair()], r)
		t.Replications = append(t.Replications,
			Replication{r.address, VMOf(r.is.VM.V), r.is.Pairing.V, r.is.RPO})
	}
	was := make(map[pair][]record[replication])
	for _, b := range before {
		key := b.is.pair()
		was[key] = append(was[key], b)
		if len(now[key]) == 0 {
			t.add(finding.Of(finding.Removed, VMOf(key.vm), b.address,
				"is no longer replicated, or no longer managed by this configuration"))
		}
		for _, a := range now[key] {
			is := comparableValues(a)
			if longer(b.is.RPO, is.RPO) {
				t.add(finding.Of(finding.Weaker, VMOf(key.vm), a.address, longerRPO(b.is.RPO, is.RPO)))
			}
			for _, r := range worsened(replicationRules, b.is, is) {
				t.add(finding.Of(r.code, VMOf(key.vm), a.address, r.says))
			}
		}
	}
	t.findResyncs(now)
	for _, a := range after {
		t.checkReplication(a, was[a.is.pair()])
	}
}

// comparable returns the values to compare with those before. Unknown values of a created object are defaults.
func comparableValues[T any](r record[T]) T {
	if !r.created() {
		return r.is
	}
	if is, err := tfplan.Decode[T](r.known()); err == nil {
		return is
	}
	return r.is
}

// findResyncs finds replications that are deleted although their VM stays replicated.
func (t *Table) findResyncs(now map[pair][]record[replication]) {
	for _, c := range t.plan.Changes {
		if !isOurs(c.Mode, c.Type) || c.Type != typeReplication || !c.Has(tfplan.Delete) {
			continue
		}
		is, err := tfplan.Decode[replication](c.Change.Before)
		if err == nil && len(now[is.pair()]) > 0 {
			t.add(finding.Of(finding.Resync, VMOf(is.VM.V), c.Address,
				"requires a new initial sync: its replica and recovery points are deleted first"))
		}
	}
}

// checkReplication finds what no replication may be after a plan, whatever it was before: paused, or without disks that
// were replicated.
func (t *Table) checkReplication(a record[replication], was []record[replication]) {
	vm := VMOf(a.is.VM.V)
	switch {
	case !a.is.VM.Set || !a.is.Pairing.Set:
		t.add(finding.New(finding.Unknown, a.address, "does not show during plan which VM it replicates"))
	case !a.is.RPO.Set:
		t.add(finding.Of(finding.Unknown, vm, a.address, "has no RPO that is known during plan"))
	}
	if a.is.Paused.Unknown || tfplan.Is(a.is.Paused, true) {
		t.add(
			finding.Of(finding.Weaker, vm, a.address, "is or might be paused: no RPO is guaranteed while it is paused"),
		)
	}
	if a.is.Disks.Unknown {
		t.add(finding.Of(finding.Unknown, vm, a.address, "does not show during plan which disks it replicates"))
	}
	for _, key := range slices.Sorted(maps.Keys(a.is.Disks.V)) {
		if isLeftOut(a.is.Disks.V[key]) && !slices.ContainsFunc(was, func(b record[replication]) bool {
			return tfplan.Is(b.is.Disks.V[key].Enabled, false)
		}) {
			t.add(finding.Of(finding.DiskExcluded, vm, a.address, "is replicated without disk "+key))
		}
	}
}

func isLeftOut(d disk) bool { return d.Enabled.Unknown || tfplan.Is(d.Enabled, false) }
