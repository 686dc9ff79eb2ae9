package exposition

import (
	"encoding/json"
	"io"
	"time"

	"terraform-provider-vsla/internal/vsphere"
)

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
