// A result as a person reads it.

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// table prints the verdict, the summary, a line for each explanation, and a line for each other value. On a terminal
// sentences wrap, and the verdict has a color.
func (p Program) table(c *calculator.Calculator, result map[string]any) error {
	level, _ := c.Judge(result)
	judged := ""
	for _, name := range []string{"verdict", flagOf(c)} {
		if value, ok := result[name]; ok && judged == "" {
			judged = name
			fmt.Fprintf(p.Out, "%s: %s\n", name, p.colored(p.onTerminal(), wording.Level(level), cell(name, value)))
		}
	}
	if summary, ok := result["summary"].(string); ok {
		fmt.Fprintf(p.Out, "%s\n\n", p.sentence(summary, 0))
	}
	if explanations, ok := result["explanations"].([]any); ok && len(explanations) > 0 {
		for _, e := range explanations {
			fmt.Fprintf(p.Out, "- %s\n", strings.TrimLeft(p.sentence(fmt.Sprint(e), indent), " "))
		}
		fmt.Fprintln(p.Out)
	}
	rows := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(result)) {
		if name != "summary" && name != "explanations" && name != judged {
			fmt.Fprintf(rows, "%s\t%s\n", name, cell(name, result[name]))
		}
	}
	return rows.Flush()
}

// flagOf returns the name of the result that is the verdict of a calculator without the word.
func flagOf(c *calculator.Calculator) string {
	if c.Flag == nil {
		return ""
	}
	return c.Flag.Name
}

// sentence wraps a text on a terminal; anywhere else it stays one line, for programs.
func (p Program) sentence(text string, indentation int) string {
	if !p.onTerminal() {
		return text
	}
	return wrap(text, p.columns(), indentation)
}

func cell(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		_, unit := calculator.UnitOf(name)
		write := plan.Thousands
		if unit == calculator.Percent {
			write = plan.Percent
		}
		text := strings.TrimSuffix(strings.TrimRight(write(calculator.RoundingOf(name).Round(v, 3), 3), "0"), ".")
		if unit == calculator.Seconds {
			text += " (" + quantity.Duration(v).Ceil() + ")"
		}
		return text
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return items(len(v))
			}
			parts = append(parts, s)
		}
		if len(parts) == 0 {
			return "none"
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return numbers(v)
	}
	return fmt.Sprint(v)
}

// maxNumbers is how many numbers of a map stand in a line.
const maxNumbers = 6

func numbers(m map[string]any) string {
	parts := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, ok := m[name].(float64)
		if !ok || len(m) > maxNumbers {
			return items(len(m))
		}
		parts = append(parts, name+" "+cell("", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func items(n int) string { return plan.Count(float64(n), "item") + ", in full with --json" }
