// What a person reads: help, and results as a table.

package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func usage(w io.Writer) {
	fmt.Fprint(w, `vsla's calculators, without Terraform.

Usage:
  terraform-provider-vsla estimate CALCULATOR [flags] [-]
  terraform-provider-vsla report FILE [flags]

Calculators:
`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-12s %s\n", c.Command, c.Summary)
	}
	fmt.Fprint(w, `
report makes a capacity review of a plan or a state; `+"`terraform-provider-vsla report --help`"+` tells how.

Flags carry the names and units of the data sources. A - at the end reads a JSON object with
the same names from standard input; lists and maps are given that way.

Exit codes:
  0  calculated
  1  the result could not be written
  2  wrong flags or input
  3  calculated, and the verdict is a miss

`+"`terraform-provider-vsla estimate CALCULATOR --help` lists the flags.\n")
}

func (c command) usage(w io.Writer) {
	fmt.Fprintf(
		w,
		"%s.\n\nUsage:\n  terraform-provider-vsla estimate %s [flags] [-]\n",
		c.Summary,
		c.Command,
	)
	composed := c.flags(w, "Required flags", true)
	composed = append(composed, c.flags(w, "Optional flags", false)...)
	fmt.Fprintf(w, "      --json\n        Print the result as JSON.\n")
	if len(composed) > 0 {
		fmt.Fprintf(w, "\nIn a JSON object on standard input only: %s.\n", strings.Join(composed, ", "))
	}
}

// flags lists the simple inputs and returns the names of the others.
func (c command) flags(w io.Writer, title string, required bool) []string {
	var composed []string
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, in := range c.inputs() {
		if in.Required != required {
			continue
		}
		if !simple(in) {
			composed = append(composed, in.Name)
			continue
		}
		fmt.Fprintf(w, "      --%s\n        %s\n", flagName(in.Name), strings.ReplaceAll(in.Documentation(), "`", ""))
	}
	return composed
}

// table prints the summary, a line for each explanation, and a line for each value; what has entries of its own is
// counted.
func table(w io.Writer, result map[string]any) error {
	if summary, ok := result["summary"].(string); ok {
		fmt.Fprintf(w, "%s\n\n", summary)
	}
	if explanations, ok := result["explanations"].([]any); ok && len(explanations) > 0 {
		for _, e := range explanations {
			fmt.Fprintf(w, "- %v\n", e)
		}
		fmt.Fprintln(w)
	}
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(result)) {
		if name != "summary" && name != "explanations" {
			fmt.Fprintf(rows, "%s\t%s\n", name, cell(name, result[name]))
		}
	}
	return rows.Flush()
}

func cell(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		text := strings.TrimSuffix(strings.TrimRight(plan.Thousands(v, 3), "0"), ".")
		if strings.HasSuffix(name, "_seconds") {
			text += " (" + quantity.Duration(v).String() + ")"
		}
		return text
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return fmt.Sprintf("%d entries; --json shows them", len(v))
			}
			parts = append(parts, s)
		}
		if len(parts) == 0 {
			return "none"
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return fmt.Sprintf("%d entries; --json shows them", len(v))
	}
	return fmt.Sprint(v)
}
