package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/quantity"
)

// inventoryFlags are the flags of inventoryOptions.
var inventoryFlags = []string{"allow-duplicate-names", "column"}

type inventoryOptions struct {
	options inventoryfile.Options
	cmd     *cobra.Command
	columns []string
}

func (o *inventoryOptions) addTo(cmd *cobra.Command) {
	o.cmd = cmd
	flags := cmd.Flags()
	flags.StringArrayVar(&o.columns, "column", nil,
		"Header of a field in any other CSV or xlsx file, as `FIELD=HEADER`. Can be repeated. name and a size such as "+
			"used_gib are required, unless the headers of a CSV file are the names of the fields. Fields: "+
			inventoryfile.FieldsText()+".")
	flags.BoolVar(&o.options.DuplicateNames, "allow-duplicate-names", false,
		"Read rows with the same name as different VMs if the file has no IDs.")
}

func (o *inventoryOptions) complete() error {
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
	words := []string{commandLine(o.cmd)}
	for _, field := range slices.Sorted(maps.Keys(file.Columns)) {
		words = append(words, "--column", shellWord(field+"="+file.Columns[field]))
	}
	return ":\n\n  " + strings.Join(words, " ")
}
