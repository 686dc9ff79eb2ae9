package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/plan/calculator"
)

// inputFlag sets an input of a calculator.
type inputFlag struct {
	name  string
	field calculator.Field
	// kind is the placeholder of the value in the help.
	kind  string
	usage string
	// example has values with a unit, which the flag requires; empty if it accepts plain numbers.
	example string
	text    string
	given   bool
}

// String returns the text that was given.
func (f *inputFlag) String() string { return f.text }

// Set stores the text. It is parsed after all flags.
func (f *inputFlag) Set(text string) error {
	f.text, f.given = text, true
	return nil
}

// Type returns the placeholder of the value in the help.
func (f *inputFlag) Type() string { return f.kind }

// withUnits are the units whose inputs have a second flag for a value with a unit; its name lacks the suffix.
var withUnits = map[calculator.Unit]struct{ kind, examples string }{
	calculator.Mbps: {"RATE", "1Gbps or 125MB/s"},
	calculator.GiB:  {"SIZE", "100GB or 1.5TiB"},
}

// simple reports whether a flag can carry the input.
func simple(f calculator.Field) bool {
	return f.Kind == calculator.Number || f.Kind == calculator.Text || f.Kind == calculator.Bool ||
		f.Kind == calculator.NumberOrSpread || f.Kind == calculator.Texts
}

func flagName(input string) string { return strings.ReplaceAll(input, "_", "-") }

func flagsOf(c *calculator.Calculator) []*inputFlag {
	var all []*inputFlag
	for _, in := range c.Inputs() {
		if !simple(in) {
			continue
		}
		name := flagName(in.Name)
		all = append(all, &inputFlag{
			name: name, field: in, kind: kindOf(in), usage: withFlags(c, in.Documentation()),
		})
		bare, unit := calculator.UnitOf(in.Name)
		u, ok := withUnits[unit]
		if _, taken := c.Field(bare); ok && !taken {
			kind := u.kind
			if in.Kind == calculator.NumberOrSpread {
				kind += " or LOW,LIKELY,HIGH"
			}
			all = append(all, &inputFlag{
				name: flagName(bare), field: in, kind: kind, example: u.examples,
				usage: "In place of --" + name + ", with a unit: " + u.examples + ".",
			})
		}
	}
	return all
}

func kindOf(f calculator.Field) string {
	switch f.Kind {
	case calculator.Bool:
		return "true|false"
	case calculator.Text:
		return "TEXT"
	case calculator.Texts:
		return "TEXT,TEXT"
	case calculator.NumberOrSpread:
		return "NUMBER or LOW,LIKELY,HIGH"
	default:
		return "NUMBER"
	}
}

var quoted = regexp.MustCompile("`([^`]*)`")

// withFlags replaces names of inputs in Markdown by names of flags.
func withFlags(c *calculator.Calculator, doc string) string {
	return quoted.ReplaceAllStringFunc(doc, func(name string) string {
		name = strings.Trim(name, "`")
		if f, ok := c.Field(name); ok && f.Input && simple(f) {
			return "--" + flagName(name)
		}
		return name
	})
}

func (f *inputFlag) addTo(cmd *cobra.Command) {
	flag := cmd.Flags().VarPF(f, f.name, "", f.usage)
	if f.field.Required {
		flag.Annotations = map[string][]string{requiredAnnotation: {"true"}}
	}
	values := f.field.OneOf
	if f.field.Kind == calculator.Bool {
		values = []string{"true", "false"}
	}
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	// The only error is that the flag has not been added.
	_ = cmd.RegisterFlagCompletionFunc(f.name, complete)
}
