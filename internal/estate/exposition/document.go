package exposition

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
)

// named is the number of VMs that the text names per line.
const named = 10

type document struct {
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

// WriteJSON writes the snapshot as one JSON object, with the names of the data source.
func (s Snapshot) WriteJSON(w io.Writer) error {
	r := s.Result
	d := document{
		Version: s.Version, VCenter: s.VCenter, PairingID: s.Scope.PairingID, ReadAt: s.ReadAt.UTC(),
		ReadSeconds: s.Took.Seconds(), Summary: r.Summary, VMCount: s.vmCount(),
		Tiers:       make(map[string]tierJSON),
		Unprotected: list(r.Unprotected), Weaker: list(r.WeakerThanPromised), InViolation: list(r.InViolation),
		SeveralTiers: list(r.SeveralTiers), Untagged: list(r.UntaggedButReplicated), Templates: list(r.Templates),
		Orphans: list(r.Orphans), Uncovered: names(s.Uncovered.VMs), Unknown: names(s.Uncovered.Unknown),
		Elsewhere: names(s.Uncovered.ReplicatedElsewhere), Unproven: s.Uncovered.Unproven,
	}
	if !r.Compliant || s.kept() {
		d.Compliant = &r.Compliant
	}
	for _, t := range s.tiers() {
		d.Tiers[t.name] = tierJSON{
			PromisedRPOMinutes: t.rpoMinutes, VMCount: t.vms, Verdicts: t.verdicts, Faults: t.faults,
			OldestSync: moment(t.oldestSync),
		}
	}
	if s.PerVM {
		d.VirtualMachine = make(map[string]vmJSON)
		for _, v := range s.vms() {
			one := vmJSON{
				Name: v.Name, Tier: v.Tier, PromisedRPOMinutes: v.PromisedRPOMinutes, Status: v.Status,
				Verdict: v.Verdict, LastSync: moment(s.LastSyncs[v.ID]),
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

// list returns an empty list instead of nil.
func list(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

func names(vms []vsphere.VMReference) []vmName {
	all := make([]vmName, 0, len(vms))
	for _, vm := range sorted(vms) {
		all = append(all, vmName(vm))
	}
	return all
}

// moment returns nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// WriteText writes the snapshot as text.
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
		{"Powered on, without tier and replication", s.Uncovered.VMs},
		{"Replicated elsewhere, without tier", s.Uncovered.ReplicatedElsewhere},
		{"Without tier, and inaccessible", s.Uncovered.Unknown},
	} {
		if len(group.vms) > 0 {
			fmt.Fprintf(w, "%s: %s (%s).\n", group.what, plan.Count(float64(len(group.vms)), "VM"), first(group.vms))
		}
	}
	if s.Uncovered.Unproven != "" {
		fmt.Fprintf(w, "The list may be incomplete, because the account cannot read all objects: %s.\n",
			s.Uncovered.Unproven)
	}
	if s.PerVM {
		for _, v := range s.vms() {
			fmt.Fprintf(w, "%s (%s), %s: %s.\n", oneLine(v.Name), v.ID, oneLine(v.Tier), v.Verdict)
		}
	}
	_, err := fmt.Fprintf(w, "Read from %s at %s in %.1f s.\n", s.VCenter, s.ReadAt.UTC().Format(time.RFC3339),
		s.Took.Seconds())
	return err
}

func first(vms []vsphere.VMReference) string {
	return quantity.ListOf(sorted(vms), named, func(vm vsphere.VMReference) string { return oneLine(vm.Name) })
}

func oneLine(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
