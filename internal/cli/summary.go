package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// summarize prints the number and sizes of the VMs of an inventory file.
func (p Program) summarize(o reviewOptions) error {
	if o.format != "" && o.format != "json" {
		return fmt.Errorf("--format of --summary must be json, got %q", o.format)
	}
	var found inventoryfile.Inventory
	var err error
	p.withProgress("Reading "+o.in, func() { found, err = o.inventory.read(o.in) })
	if err == nil {
		err = p.write(o.out, func(w io.Writer) error { return writeSummary(w, o, found) })
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	return nil
}

func writeSummary(w io.Writer, o reviewOptions, found inventoryfile.Inventory) error {
	if o.format != "json" {
		return printSummary(w, found)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(estate.InventoryValues(o.in, found))
}

func printSummary(w io.Writer, found inventoryfile.Inventory) error {
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(found.VMs) > 0 {
		printSums(rows, found)
	} else {
		fmt.Fprintf(rows, "0 VMs (%s).\n", found.Format)
	}
	skipped := map[string]int{}
	for _, s := range found.Skipped {
		skipped[s.Reason]++
	}
	if len(skipped) > 0 {
		fmt.Fprintln(rows, "\nskipped\trows")
	}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(rows, "%s\t%s\n", reason, plan.Thousands(float64(skipped[reason]), 0))
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	printNotes(w, found)
	return nil
}

// printNotes prints what is unusual in the file.
func printNotes(w io.Writer, found inventoryfile.Inventory) {
	var unsized, blocked []string
	for _, s := range found.Skipped {
		if s.Reason == inventoryfile.SkippedNoSize {
			unsized = append(unsized, fmt.Sprintf("%s (row %d)", s.Name, s.Row))
		}
	}
	for i := range found.VMs {
		if len(found.VMs[i].Blockers) > 0 {
			blocked = append(blocked, found.VMs[i].BlockerText())
		}
	}
	const most = 10
	notes := slices.Clone(found.Notes)
	note := func(what string, names []string) {
		if len(names) > 0 {
			slices.Sort(names)
			notes = append(notes, what+": "+quantity.List(names, most)+".")
		}
	}
	note("Without a used size", unsized)
	note("Cannot be replicated", blocked)
	for _, cell := range found.Unknown[:min(len(found.Unknown), most)] {
		notes = append(notes, "Unknown: "+cell.Error()+".")
	}
	if more := len(found.Unknown) - most; more > 0 {
		notes = append(notes, fmt.Sprintf("%s more numbers are unknown.", plan.Thousands(float64(more), 0)))
	}
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, text := range notes {
		fmt.Fprintln(w, text)
	}
}

func printSums(rows io.Writer, found inventoryfile.Inventory) {
	fmt.Fprintf(rows, "%s\n\n", headline(found))
	for _, size := range []struct {
		name  string
		bytes *int64
	}{{"memory", found.MemoryBytes}, {"virtual disks", found.DiskBytes}, {"used by the guests", found.GuestUsedBytes}} {
		if size.bytes != nil {
			fmt.Fprintf(rows, "%s\t%s\n", size.name, quantity.Size(*size.bytes))
		}
	}
	if found.MemoryBytes != nil || found.DiskBytes != nil || found.GuestUsedBytes != nil {
		fmt.Fprintln(rows)
	}
	printClusters(rows, found)
}

// headline returns the number and the size of the VMs, and the format of the file.
func headline(found inventoryfile.Inventory) string {
	provisioned := ""
	if found.ProvisionedBytes != nil {
		provisioned = fmt.Sprintf(" of %s provisioned", quantity.Size(*found.ProvisionedBytes))
	}
	format := found.Format
	if found.Encoding != "" {
		format += ", read as " + found.Encoding
	}
	off := 0
	for i := range found.VMs {
		if found.VMs[i].PowerState == "poweredOff" {
			off++
		}
	}
	vms := plan.Count(float64(len(found.VMs)), "VM")
	if off > 0 {
		vms += fmt.Sprintf(" (%s powered off)", plan.Thousands(float64(off), 0))
	}
	used := "an unknown size in use"
	if found.UsedBytes != nil {
		used = quantity.Size(*found.UsedBytes).String() + " in use"
	}
	return fmt.Sprintf("%s with %s%s (%s).", vms, used, provisioned, format)
}

func printClusters(rows io.Writer, found inventoryfile.Inventory) {
	inUse, hasUsed := "\tin use", found.UsedBytes != nil
	if !hasUsed {
		inUse = ""
	}
	fmt.Fprintln(rows, "cluster\tVMs"+inUse)
	const most = 20
	clusters := estate.Clusters(found)
	for _, c := range clusters[:min(len(clusters), most)] {
		name := c.Name
		if name == "" {
			name = "(none)"
		}
		if hasUsed {
			inUse = "\t" + quantity.Size(c.UsedBytes).String()
		}
		fmt.Fprintf(rows, "%s\t%s%s\n", name, plan.Thousands(float64(c.VMs), 0), inUse)
	}
	if more := len(clusters) - most; more > 0 {
		fmt.Fprintf(rows, "and %s more\n", plan.Thousands(float64(more), 0))
	}
}
