// Package exposition writes the compliance of an estate as OpenMetrics or text, for monitoring.
package exposition

import (
	"maps"
	"slices"
	"time"

	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/plan/compliance"
)

// Snapshot is the compliance of an estate at a point in time.
type Snapshot struct {
	// Version is the version of vsla.
	Version string
	// VCenter is the vCenter's host name.
	VCenter string
	Scope   audit.Scope
	// ReadAt is the time at which the read started; ReadDuration is how long it took.
	ReadAt       time.Time
	ReadDuration time.Duration
	Result       compliance.Result
	Uncovered    audit.Uncovered
	// LastSyncs contains the last sync time by VM ID.
	LastSyncs map[string]time.Time
	// PerVM adds each VM that has a tier to the output.
	PerVM bool
}

// New returns the snapshot of a reading. The caller sets the other fields.
func New(scope audit.Scope, r audit.Reading) Snapshot {
	return Snapshot{Scope: scope, Result: r.Judge(), Uncovered: r.Uncovered, LastSyncs: r.LastSyncs()}
}

// IsBroken reports whether a target is violated or unknown, or whether no VM has a tier. An estate without tags must
// not pass the check.
func (s Snapshot) IsBroken() bool { return !s.isCompliant() || s.vmCount() == 0 }

func (s Snapshot) isCompliant() bool { return s.Result.Compliant && s.Uncovered.UnprovenReason == "" }

func (s Snapshot) vmCount() int64 {
	var n int64
	for _, count := range s.Result.Tagged {
		n += count
	}
	return n
}

type tier struct {
	name       string
	rpoMinutes int64
	vms        int64
	// verdicts counts the VMs by verdict, including verdicts without VMs.
	verdicts map[string]int64
	// faults counts the VMs by fault. A VM may have several faults.
	faults map[string]int64
	// oldestSync is the oldest of the VMs' last syncs, or zero if no VM has been synced.
	oldestSync time.Time
}

// Each fault has the name of the corresponding list in the data source.
const (
	faultUnprotected = "unprotected"
	faultWeaker      = "weaker_than_promised"
	faultInViolation = "in_violation"
	faultSeveral     = "several_tiers"
)

func (s Snapshot) tiers() []tier {
	byName := make(map[string]*tier, len(s.Scope.Tiers))
	for name, promise := range s.Scope.Tiers {
		t := &tier{
			name:       name,
			rpoMinutes: promise.RPOMinutes,
			vms:        s.Result.Tagged[name],
			verdicts:   make(map[string]int64),
			faults:     map[string]int64{faultUnprotected: 0, faultWeaker: 0, faultInViolation: 0, faultSeveral: 0},
		}
		for _, verdict := range compliance.Verdicts() {
			if verdict != compliance.Untagged {
				t.verdicts[verdict] = 0
			}
		}
		byName[name] = t
	}
	for id, v := range s.Result.VMs {
		t := byName[v.Tier]
		if t == nil {
			continue // replicated but without a tier
		}
		t.verdicts[v.Verdict]++
		if at, ok := s.LastSyncs[id]; ok && (t.oldestSync.IsZero() || at.Before(t.oldestSync)) {
			t.oldestSync = at
		}
	}
	for fault, ids := range map[string][]string{
		faultUnprotected: s.Result.Unprotected,
		faultWeaker:      s.Result.WeakerThanPromised,
		faultInViolation: s.Result.InViolation,
		faultSeveral:     s.Result.SeveralTiers,
	} {
		for _, id := range ids {
			if t := byName[s.Result.VMs[id].Tier]; t != nil {
				t.faults[fault]++
			}
		}
	}
	list := make([]tier, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, *byName[name])
	}
	return list
}

func (s Snapshot) vms() []compliance.Verdict {
	var list []compliance.Verdict
	for _, id := range slices.Sorted(maps.Keys(s.Result.VMs)) {
		if v := s.Result.VMs[id]; v.Tier != "" {
			list = append(list, v)
		}
	}
	return list
}
