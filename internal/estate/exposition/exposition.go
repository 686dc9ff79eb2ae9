// Package exposition writes the compliance of an estate as OpenMetrics, JSON or text, for monitoring.
package exposition

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
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
			name: name, rpoMinutes: promise.RPOMinutes, vms: s.Result.Tagged[name], verdicts: make(map[string]int64),
			faults: map[string]int64{faultUnprotected: 0, faultWeaker: 0, faultInViolation: 0, faultSeveral: 0},
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
		faultUnprotected: s.Result.Unprotected, faultWeaker: s.Result.WeakerThanPromised,
		faultInViolation: s.Result.InViolation, faultSeveral: s.Result.SeveralTiers,
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

const maxNames = 10 // per line of text

type jsonDocument struct {
	Version        string              `json:"version"`
	VCenter        string              `json:"vcenter"`
	PairingID      string              `json:"pairing_id"`
	ReadAt         time.Time           `json:"read_at"`
	ReadSeconds    float64             `json:"read_duration_seconds"`
	Compliant      *bool               `json:"compliant"` // null if unknown
	Summary        string              `json:"summary"`
	VMCount        int64               `json:"vm_count"`
	Tiers          map[string]tierJSON `json:"tiers"`
	Unprotected    []string            `json:"unprotected"`
	Weaker         []string            `json:"weaker_than_promised"`
	InViolation    []string            `json:"in_violation"`
	SeveralTiers   []string            `json:"several_tiers"`
	Untagged       []string            `json:"untagged_but_replicated"`
	Templates      []string            `json:"templates"`
	Orphans        []string            `json:"orphaned_replication_ids"`
	Uncovered      []vmName            `json:"uncovered"`
	Unknown        []vmName            `json:"uncovered_unknown"`
	Elsewhere      []vmName            `json:"replicated_elsewhere"`
	Unproven       string              `json:"uncovered_unproven,omitempty"`
	VirtualMachine map[string]vmJSON   `json:"virtual_machines,omitempty"`
}

type tierJSON struct {
	PromisedRPOMinutes int64            `json:"promised_rpo_minutes"`
	VMCount            int64            `json:"vm_count"`
	Verdicts           map[string]int64 `json:"verdicts"`
	Faults             map[string]int64 `json:"faults"`
	OldestSync         *time.Time       `json:"oldest_sync"`
}

type vmName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type vmJSON struct {
	Name               string     `json:"name"`
	Tier               string     `json:"tier"`
	PromisedRPOMinutes int64      `json:"promised_rpo_minutes"`
	ConfiguredRPO      *int64     `json:"configured_rpo_minutes"`
	Status             string     `json:"status,omitempty"`
	Verdict            string     `json:"verdict"`
	LastSync           *time.Time `json:"last_sync"`
}

// WriteJSON writes the snapshot as a JSON object with the attribute names of the data source.
func (s Snapshot) WriteJSON(w io.Writer) error {
	r := s.Result
	d := jsonDocument{
		Version: s.Version, VCenter: s.VCenter, PairingID: s.Scope.PairingID, ReadAt: s.ReadAt.UTC(),
		ReadSeconds: s.ReadDuration.Seconds(), Summary: r.Summary, VMCount: s.vmCount(), Tiers: make(map[string]tierJSON),
		Unprotected: emptyIfNil(r.Unprotected), Weaker: emptyIfNil(r.WeakerThanPromised),
		InViolation: emptyIfNil(r.InViolation), SeveralTiers: emptyIfNil(r.SeveralTiers),
		Untagged: emptyIfNil(r.UntaggedButReplicated), Templates: emptyIfNil(r.Templates), Orphans: emptyIfNil(r.Orphans),
		Uncovered: vmNames(s.Uncovered.VMs), Unknown: vmNames(s.Uncovered.Unknown),
		Elsewhere: vmNames(s.Uncovered.ReplicatedElsewhere), Unproven: s.Uncovered.UnprovenReason,
	}
	if !r.Compliant || s.isCompliant() {
		d.Compliant = &r.Compliant
	}
	for _, t := range s.tiers() {
		d.Tiers[t.name] = tierJSON{
			PromisedRPOMinutes: t.rpoMinutes, VMCount: t.vms, Verdicts: t.verdicts, Faults: t.faults,
			OldestSync: timeOrNil(t.oldestSync),
		}
	}
	if s.PerVM {
		d.VirtualMachine = make(map[string]vmJSON)
		for _, v := range s.vms() {
			one := vmJSON{
				Name: v.Name, Tier: v.Tier, PromisedRPOMinutes: v.PromisedRPOMinutes, Status: v.Status,
				Verdict: v.Verdict, LastSync: timeOrNil(s.LastSyncs[v.ID]),
			}
			if v.ConfiguredRPOMinutes > 0 {
				one.ConfiguredRPO = &v.ConfiguredRPOMinutes
			}
			d.VirtualMachine[v.ID] = one
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(d)
}

func emptyIfNil(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

func vmNames(vms []vsphere.VMReference) []vmName {
	all := make([]vmName, 0, len(vms))
	for _, vm := range sortedByID(vms) {
		all = append(all, vmName(vm))
	}
	return all
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// WriteText writes the snapshot as plain text.
func (s Snapshot) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", s.Result.Summary)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TIER\tRPO\tVMS\tCOMPLIANT\tUNPROTECTED\tIN VIOLATION\tOLDEST SYNC")
	for _, t := range s.tiers() {
		oldest := "-"
		if !t.oldestSync.IsZero() {
			oldest = t.oldestSync.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(table, "%s\t%d min\t%d\t%d\t%d\t%d\t%s\n", oneLine(t.name), t.rpoMinutes, t.vms,
			t.verdicts["compliant"], t.faults[faultUnprotected], t.faults[faultInViolation], oldest)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, group := range []struct {
		what string
		vms  []vsphere.VMReference
	}{
		{"Powered on, without a tier or replication", s.Uncovered.VMs},
		{"Replicated elsewhere, without a tier", s.Uncovered.ReplicatedElsewhere},
		{"Without a tier, replication unknown", s.Uncovered.Unknown},
	} {
		if len(group.vms) > 0 {
			fmt.Fprintf(w, "%s: %s (%s).\n", group.what, plan.Count(float64(len(group.vms)), "VM"), firstNames(group.vms))
		}
	}
	if s.Uncovered.UnprovenReason != "" {
		fmt.Fprintf(w, "The list may be incomplete, because the account may be unable to read all objects: %s.\n",
			s.Uncovered.UnprovenReason)
	}
	if s.PerVM {
		for _, v := range s.vms() {
			fmt.Fprintf(w, "%s (%s), %s: %s.\n", oneLine(v.Name), v.ID, oneLine(v.Tier), v.Verdict)
		}
	}
	_, err := fmt.Fprintf(w, "Read from %s at %s in %.1f s.\n", s.VCenter, s.ReadAt.UTC().Format(time.RFC3339),
		s.ReadDuration.Seconds())
	return err
}

func firstNames(vms []vsphere.VMReference) string {
	return quantity.ListOf(sortedByID(vms), maxNames, func(vm vsphere.VMReference) string { return oneLine(vm.Name) })
}

func oneLine(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
