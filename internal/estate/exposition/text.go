package exposition

import (
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

const maxNames = 10 // per line of text

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
			fmt.Fprintf(
				w,
				"%s: %s (%s).\n",
				group.what,
				plan.Count(float64(len(group.vms)), "VM"),
				firstNames(group.vms),
			)
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
