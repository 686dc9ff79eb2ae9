package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

type inventoryOptions struct {
	options inventoryfile.Options
	cmd     *cobra.Command
	format  string
	name    string
	columns []string
}

func (o *inventoryOptions) addTo(cmd *cobra.Command) {
	o.cmd = cmd
	flags := cmd.Flags()
	flags.StringVar(&o.format, "inventory-format", inventoryfile.Auto,
		"Format of the file: `auto|rvtools|liveoptics|csv`. auto detects it from the content.")
	flags.StringArrayVar(&o.columns, "column", nil,
		"Header of a field in any other CSV or xlsx file, as `FIELD=HEADER`. Can be repeated. name and a size such as "+
			"used_gib are required, unless the headers of a CSV file are the names of the fields. Fields: "+
			inventoryfile.FieldsText()+".")
	flags.StringVar(&o.name, "name-regex", "", "Only read VMs whose name matches this `REGEX` (Go syntax, unanchored).")
	flags.StringVar(&o.options.PowerState, "power-state", "",
		"Only read VMs in this `STATE`: poweredOn, poweredOff or suspended.")
	flags.StringVar(&o.options.Cluster, "cluster", "", "Only read VMs in the cluster with this `NAME`.")
	flags.StringVar(&o.options.Datacenter, "datacenter", "", "Only read VMs in the datacenter with this `NAME`.")
	flags.StringVar(&o.options.Folder, "folder", "",
		"Only read VMs in this `FOLDER` and its subfolders, spelled as in the file.")
	flags.BoolVar(&o.options.Templates, "templates", false, "Include templates.")
	flags.BoolVar(&o.options.Placeholders, "placeholders", false, "Include placeholder VMs of Site Recovery Manager.")
	flags.BoolVar(&o.options.DuplicateNames, "allow-duplicate-names", false,
		"Read rows with the same name as different VMs if the file has no IDs.")
}

func (o *inventoryOptions) complete() error {
	known := []string{inventoryfile.Auto, inventoryfile.RVTools, inventoryfile.LiveOptics, inventoryfile.CSV}
	if !slices.Contains(known, o.format) {
		return fmt.Errorf("--inventory-format must be %s, got %q", strings.Join(known, ", "), o.format)
	}
	o.options.Format = o.format
	states := []string{"", "poweredOn", "poweredOff", "suspended"}
	if !slices.Contains(states, o.options.PowerState) {
		return fmt.Errorf("--power-state must be poweredOn, poweredOff or suspended, got %q", o.options.PowerState)
	}
	if o.name != "" {
		var err error
		if o.options.Name, err = regexp.Compile(o.name); err != nil {
			return fmt.Errorf("--name-regex must be a regular expression: %w", err)
		}
	}
	for _, column := range o.columns {
		field, header, ok := strings.Cut(column, "=")
		if !ok || header == "" {
			return fmt.Errorf("--column must be FIELD=HEADER, got %q", column)
		}
		if !slices.Contains(inventoryfile.Fields(), field) {
			return fmt.Errorf("--column must name a field, got %q; the fields are %s", field,
				quantity.Nearest(inventoryfile.Fields(), field))
		}
		if o.options.Columns == nil {
			o.options.Columns = map[string]string{}
		}
		o.options.Columns[field] = header
	}
	return nil
}

func (o *inventoryOptions) read(name string) (found inventoryfile.Inventory, err error) {
	found, err = inventoryfile.ReadPath(name, o.options)
	_, isPath := errors.AsType[*fs.PathError](err)
	if err == nil || isPath {
		return found, err
	}
	return found, fmt.Errorf("%s: %w%s", name, err, o.withColumns(err))
}

// withColumns returns the command with additional flags that map the columns of an unknown CSV format. For other
// errors, it returns "".
func (o *inventoryOptions) withColumns(err error) string {
	file, ok := errors.AsType[*inventoryfile.FileError](err)
	if !ok || file.Columns == nil {
		return ""
	}
	words := []string{":\n\n  " + commandLine(o.cmd)}
	for _, field := range slices.Sorted(maps.Keys(file.Columns)) {
		words = append(words, "--column", shellWord(field+"="+file.Columns[field]))
	}
	return strings.Join(words, " ")
}

func commandLine(cmd *cobra.Command, excluded ...string) string {
	words := []string{cmd.CommandPath()}
	for _, arg := range cmd.Flags().Args() {
		words = append(words, shellWord(arg))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch {
			case slices.Contains(excluded, f.Name):
			case f.Value.Type() == "bool":
				words = append(words, "--"+f.Name)
			default:
				words = append(words, "--"+f.Name, shellWord(value))
			}
		}
	})
	return strings.Join(words, " ")
}

func (p Program) inventoryCommand() *cobra.Command {
	var o inventoryOptions
	asJSON := false
	cmd := &cobra.Command{
		Use:   "inventory FILE [flags]",
		Short: "Summarize an inventory file",
		Long: "Reads the VMs of an RVTools, Live Optics or other CSV export, or of a folder or zip archive of CSVs, and " +
			"prints their number and sizes, the clusters, and the number of skipped rows. Does not connect to a server.",
		Example: "  " + programName + " inventory RVTools_export_all.xlsx\n" +
			"  " + programName + " inventory vms.csv --column name=Server --column 'used_gib=Used (GiB)' --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("inventory requires one file, got %d arguments", len(args))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  summary printed
  1  the file cannot be read
  2  invalid flags
`},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			var found inventoryfile.Inventory
			var err error
			p.withProgress("Reading "+args[0], func() { found, err = o.read(args[0]) })
			if err != nil {
				return &failure{code: ExitError, err: err}
			}
			if asJSON {
				encoder := json.NewEncoder(p.Out)
				encoder.SetIndent("", "  ")
				err = encoder.Encode(estate.InventoryValues(args[0], found))
			} else {
				err = p.printSummary(found)
			}
			if err != nil {
				return &failure{code: ExitError, err: err}
			}
			if found.Unmatched != nil {
				fmt.Fprintf(p.Err, "Nothing matches: %v.%s\n", found.Unmatched, quantity.Existing(found.Unmatched))
			}
			return nil
		},
	}
	o.addTo(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print the attributes of vsla_inventory_file as JSON.")
	return cmd
}

func (p Program) printSummary(found inventoryfile.Inventory) error {
	rows := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
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
	printNotes(p.Out, found)
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
		fmt.Fprintln(w, replaceControls(text))
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
		fmt.Fprintf(rows, "%s\t%s%s\n", replaceControls(name), plan.Thousands(float64(c.VMs), 0), inUse)
	}
	if more := len(clusters) - most; more > 0 {
		fmt.Fprintf(rows, "and %s more\n", plan.Thousands(float64(more), 0))
	}
}

func replaceControls(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, name)
}

// readObject reads a single JSON object. Errors contain the path to the invalid member.
func readObject(r io.Reader) (map[string]any, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("standard input cannot be read: %w", err)
	}
	text = document.Decode(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("standard input must be a JSON object, got nothing")
	}
	o := objectReader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	o.decoder.UseNumber()
	v, err := o.value(nil)
	if err != nil {
		return nil, err
	}
	members, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("standard input must be a JSON object, got %s", typeWord(v))
	}
	if _, err := o.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("standard input must be a single JSON object, got more after its end")
	}
	return members, nil
}

// unsupportedNumber matches numbers that JSON does not support.
var unsupportedNumber = regexp.MustCompile(`^[\s,:]*([-+]?(?:NaN|nan|Infinity|Inf|inf))\b`)

func (o objectReader) wrapError(at plan.Path, err error) error {
	if err == nil {
		return nil
	}
	if found := unsupportedNumber.FindSubmatch(o.text[min(int(o.decoder.InputOffset()), len(o.text)):]); found != nil {
		return fmt.Errorf("%s must be a number, got %s, which JSON does not have", at, found[1])
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if len(at) == 0 {
		return fmt.Errorf("standard input must be a JSON object: %w", err)
	}
	return fmt.Errorf("standard input must be a JSON object: %w, at %s", err, at)
}

func typeWord(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "true or false"
	}
	return "a number"
}
