package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fatih/color"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

func (p Program) printTable(c *calculator.Calculator, result map[string]any) error {
	judged := ""
	for _, name := range []string{"verdict", verdictFlag(c)} {
		if value, ok := result[name]; ok && judged == "" {
			judged = name
			text := p.colorVerdict(p.onTerminal(), c.Judge(result), formatValue(name, value))
			fmt.Fprintf(p.Out, "%s: %s\n", name, text)
		}
	}
	if summary, ok := result["summary"].(string); ok {
		fmt.Fprintf(p.Out, "%s\n\n", p.wrapOnTerminal(summary, 0))
	}
	if explanations, ok := result["explanations"].([]any); ok && len(explanations) > 0 {
		p.printItems("", explanations)
		fmt.Fprintln(p.Out)
	}
	promises, _ := result[promisesResult].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(promises)) {
		one, _ := promises[name].(map[string]any)
		p.printPromise(c, name, one)
	}
	rows := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(result)) {
		if name != "summary" && name != "explanations" && name != promisesResult && name != judged {
			printRow(rows, name, name, result[name])
		}
	}
	return rows.Flush()
}

// printRow prints a result, or a row for each part of an object or of a few objects. An empty part and a
// list of numbers, such as one for each hour, are omitted.
func printRow(w io.Writer, label, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 && (len(v) <= maxNumbers || label != name) {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				printPart(w, label+"."+key, key, v[key])
			}
			return
		}
	case []any:
		if _, objects := first(v).(map[string]any); objects && len(v) <= maxNumbers {
			for i, element := range v {
				printPart(w, label+"."+strconv.Itoa(i), name, element)
			}
			return
		}
	}
	fmt.Fprintf(w, "%s\t%s\n", label, formatValue(name, v))
}

func printPart(w io.Writer, label, name string, v any) {
	list, _ := v.([]any)
	if _, numbers := first(list).(float64); v == nil || v == "" || numbers {
		return
	}
	printRow(w, label, name, v)
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// promisesResult is the name of the result that is printed in full, one promise after the other.
const promisesResult = "promises"

func (p Program) printPromise(c *calculator.Calculator, name string, one map[string]any) {
	verdict := formatValue("verdict", one["verdict"])
	fmt.Fprintf(p.Out, "promise %s: %s\n", name, p.colorVerdict(p.onTerminal(), c.Judge(one), verdict))
	margin := strings.Repeat(" ", indent)
	fmt.Fprintf(p.Out, "%s%s\n", margin,
		strings.TrimLeft(p.wrapOnTerminal(formatValue("summary", one["summary"]), indent), " "))
	explanations, _ := one["explanations"].([]any)
	p.printItems(margin, explanations)
	if late, _ := one["late_virtual_machines"].([]any); len(late) > 0 {
		text := "late_virtual_machines: " + quantity.ListOf(late, len(late), lateText)
		if count, _ := one["late_vm_count"].(float64); int(count) > len(late) {
			text += " and " + plan.Thousands(count-float64(len(late)), 0) + " more"
		}
		fmt.Fprintf(p.Out, "%s%s\n", margin, strings.TrimLeft(p.wrapOnTerminal(text, indent), " "))
	}
	fmt.Fprintln(p.Out)
}

func lateText(late any) string {
	vm, _ := late.(map[string]any)
	return fmt.Sprintf("%v (within its RPO for %s%% of the time)", vm["name"],
		formatValue("within_rpo_percent", vm["within_rpo_percent"]))
}

func (p Program) printItems(margin string, items []any) {
	for _, item := range items {
		text := p.wrapOnTerminal(fmt.Sprint(item), len(margin)+indent)
		fmt.Fprintf(p.Out, "%s- %s\n", margin, strings.TrimLeft(text, " "))
	}
}

func verdictFlag(c *calculator.Calculator) string {
	if c.Flag == nil {
		return ""
	}
	return c.Flag.Name
}

func (p Program) wrapOnTerminal(text string, indentation int) string {
	if !p.onTerminal() {
		return text
	}
	return wrap(text, p.columns(), indentation)
}

func formatValue(name string, v any) string {
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
				return itemsText(len(v))
			}
			parts = append(parts, s)
		}
		if len(parts) == 0 {
			return "none"
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return mapText(v)
	}
	return fmt.Sprint(v)
}

// maxNumbers is the maximum number of map entries printed on one line.
const maxNumbers = 6

func mapText(m map[string]any) string {
	parts := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, ok := m[name].(float64)
		if !ok || len(m) > maxNumbers {
			return itemsText(len(m))
		}
		parts = append(parts, name+" "+formatValue("", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func itemsText(n int) string { return plan.Count(float64(n), "item") + ", in full with --json" }

var levelColors = map[plan.Level]color.Attribute{
	plan.Meets:   color.FgGreen,
	plan.AtRisk:  color.FgYellow,
	plan.Unknown: color.FgYellow,
	plan.Misses:  color.FgRed,
}

// colorVerdict colors a verdict on a terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb".
func (p Program) colorVerdict(terminal bool, level plan.Level, text string) string {
	attribute, ok := levelColors[level]
	if !ok || !terminal || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return text
	}
	c := color.New(attribute)
	c.EnableColor()
	return c.Sprint(text)
}

func (p Program) onTerminal() bool { return p.Columns > 0 }
