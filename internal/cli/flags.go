// The flags of a calculator, from its description.

package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/plan/calculator"
)

// inputFlag is a flag that sets an input of a calculator. It is a pflag.Value.
type inputFlag struct {
	name  string
	field calculator.Field
	// kind is the name of its value in the help.
	kind  string
	usage string
	// example are values with a unit, which the flag demands; empty where a plain number is in the unit of the input.
	example string
	text    string
	given   bool
}

// String returns the text that was given.
func (f *inputFlag) String() string { return f.text }

// Set takes the text; it is read when all flags are known.
func (f *inputFlag) Set(text string) error {
	f.text, f.given = text, true
	return nil
}

// Type returns the word for the value in the help.
func (f *inputFlag) Type() string { return f.kind }

// withUnits are the inputs that have a second flag, which takes a value with a unit: its name lacks the suffix.
var withUnits = map[calculator.Unit]struct{ kind, examples string }{
	calculator.Mbps: {"RATE", "1Gbps or 125MB/s"},
	calculator.GiB:  {"SIZE", "100GB or 1.5TiB"},
}

// simple reports whether a flag can have the value of an input: a number, a text, a boolean or a list of texts.
func simple(f calculator.Field) bool {
	return f.Kind == calculator.Number || f.Kind == calculator.Text || f.Kind == calculator.Bool ||
		f.Kind == calculator.NumberOrSpread || f.Kind == calculator.Texts
}

func flagName(input string) string { return strings.ReplaceAll(input, "_", "-") }

// flagsOf returns the flags of a calculator.
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

// withFlags replaces the names of inputs in a documentation, which is Markdown, by those of their flags.
func withFlags(c *calculator.Calculator, doc string) string {
	return quoted.ReplaceAllStringFunc(doc, func(name string) string {
		name = strings.Trim(name, "`")
		if f, ok := c.Field(name); ok && f.Input && simple(f) {
			return "--" + flagName(name)
		}
		return name
	})
}

// addTo adds the flag to a command.
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
