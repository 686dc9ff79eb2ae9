// Examples in the help, made from the descriptions of the inputs.

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
)

// exampleOf returns an input that the calculator accepts: the required inputs, those that have an example, and, where
// that is not enough, one optional input more. It is nil when that is not enough either.
func exampleOf(c *calculator.Calculator) map[string]any {
	example := exampleMembers(c.Inputs())
	if accepts(c, example) {
		return example
	}
	for _, f := range c.Inputs() {
		if _, there := example[f.Name]; there || !simple(f) {
			continue
		}
		example[f.Name] = exampleValue(f)
		if accepts(c, example) {
			return example
		}
		delete(example, f.Name)
	}
	return nil
}

func accepts(c *calculator.Calculator, values map[string]any) bool {
	_, err := c.Evaluate(values)
	return err == nil
}

func exampleMembers(fields []calculator.Field) map[string]any {
	members := make(map[string]any)
	for _, f := range fields {
		if f.Input && (f.Required || f.Example != nil) {
			members[f.Name] = exampleValue(f)
		}
	}
	return members
}

// typical are round numbers for inputs without an example, by unit.
var typical = map[calculator.Unit]float64{
	calculator.Mbps: 1000, calculator.GiB: 100, calculator.Percent: 5, calculator.Minutes: 60, calculator.Hours: 8,
	calculator.Millis: 10, calculator.Seconds: 10, calculator.KiB: 64,
}

func exampleValue(f calculator.Field) any {
	if f.Example != nil {
		return f.Example
	}
	switch f.Kind {
	case calculator.Text:
		if len(f.OneOf) > 0 {
			return f.OneOf[0]
		}
		return "a"
	case calculator.Bool:
		return true
	case calculator.Object:
		return exampleMembers(f.Fields)
	case calculator.Objects:
		return map[string]any{strings.TrimSuffix(f.Name, "s") + "_1": exampleMembers(f.Fields)}
	case calculator.Texts:
		return []any{f.OneOf[0]}
	case calculator.Numbers:
		return slices.Repeat([]any{exampleNumber(f)}, calculator.HoursPerDay)
	case calculator.NumberMap:
		return map[string]any{}
	default:
		return exampleNumber(f)
	}
}

func exampleNumber(f calculator.Field) float64 {
	_, unit := calculator.UnitOf(f.Name)
	v, ok := typical[unit]
	if !ok {
		v = 10
	}
	if f.Range == nil {
		return v
	}
	return min(max(v, f.Range.Min), f.Range.Max)
}

// exampleText is a command that can be pasted into a shell: flags where they can carry the example, JSON otherwise.
func exampleText(c *calculator.Calculator, columns int) string {
	example := exampleOf(c)
	if example == nil {
		return ""
	}
	command := programName + " estimate " + c.Command
	for name := range example {
		if f, _ := c.Field(name); !simple(f) {
			return fmt.Sprintf("\nExample:\n  echo '%s' |\n    %s -\n", indented(example), command)
		}
	}
	line, text := "  "+command, ""
	for _, f := range c.Inputs() {
		v, ok := example[f.Name]
		if !ok {
			continue
		}
		word := " --" + flagName(f.Name) + " " + plainText(v)
		if len(line)+len(word)+len(` \`) > columns {
			text, line = text+line+" \\\n", "   "
		}
		line += word
	}
	return "\nExample:\n" + text + line + "\n"
}

// indented returns JSON that lines up below the command. Examples consist of maps, lists, numbers and texts, which
// have no error.
func indented(v any) string {
	text, err := json.MarshalIndent(v, "  ", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func plainText(v any) string {
	if spread, ok := v.(map[string]any); ok {
		parts := make([]string, len(spreadMembers))
		for i, name := range spreadMembers {
			parts[i] = plainText(spread[name])
		}
		return strings.Join(parts, ",")
	}
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
