package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/plan/calculator"
)

// requiredAnnotation marks flags of required inputs.
const requiredAnnotation = "required"

type inputFlag struct {
	name        string
	field       calculator.Field
	placeholder string
	usage       string
	// example contains example values with a unit. It is empty if the flag does not require a unit.
	example string
	text    string
	isSet   bool
}

// String implements pflag.Value.
func (f *inputFlag) String() string { return f.text }

// Set implements pflag.Value. The text is parsed only after all flags are set.
func (f *inputFlag) Set(text string) error {
	f.text, f.isSet = text, true
	return nil
}

// Type implements pflag.Value. It returns the placeholder for the value in the help text.
func (f *inputFlag) Type() string { return f.placeholder }

// parse returns the value of the flag: a number in the unit of the input, a list, or a text.
func (f *inputFlag) parse() (any, error) {
	if f.field.Kind == calculator.Texts {
		var list []any
		for part := range strings.SplitSeq(f.text, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		return list, nil
	}
	v, given, err := calculator.WithUnit(f.field.Name, f.text)
	if given || err != nil {
		return v, err
	}
	if f.example != "" {
		return nil, fmt.Errorf("must be a number with a unit, such as %s, got %q", f.example, f.text)
	}
	return f.text, nil
}

// unitFlags contains the units whose inputs have a second flag, which takes a value with a unit. For example, --vm-size
// 100GiB replaces --vm-size-gib 100.
var unitFlags = map[calculator.Unit]struct{ kind, examples string }{
	calculator.Mbps: {"RATE", "1Gbps or 125MB/s"},
	calculator.GiB:  {"SIZE", "100GB or 1.5TiB"},
}

func hasFlag(f calculator.Field) bool {
	return f.Kind == calculator.Number || f.Kind == calculator.Text || f.Kind == calculator.Bool ||
		f.Kind == calculator.Texts
}

func flagName(name string) string { return strings.ReplaceAll(name, "_", "-") }

func kindOf(f calculator.Field) string {
	switch f.Kind {
	case calculator.Bool:
		return "true|false"
	case calculator.Text:
		return "TEXT"
	case calculator.Texts:
		return "TEXT,TEXT"
	default:
		return "NUMBER"
	}
}

var inlineCode = regexp.MustCompile("`([^`]*)`")

func withFlags(c *calculator.Calculator, doc string) string {
	return inlineCode.ReplaceAllStringFunc(doc, func(name string) string {
		name = strings.Trim(name, "`")
		if f, ok := c.Field(name); ok && f.Input && hasFlag(f) {
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
	// Ignore the error, because the flag exists.
	_ = cmd.RegisterFlagCompletionFunc(f.name, complete)
}

func completeFlag(cmd *cobra.Command, name string, values []string) {
	// This call fails only if the flag does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// refuse returns an error if one of the flags is set.
func refuse(cmd *cobra.Command, why string, flags ...[]string) error {
	for _, name := range slices.Concat(flags...) {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s %s", name, why)
		}
	}
	return nil
}
