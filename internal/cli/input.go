package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// input contains the values of one call of a calculator.
type input struct {
	calculator *calculator.Calculator
	values     map[string]any
	// flags maps input names to the flags that set them.
	flags map[string]*inputFlag
	// fromJSON is true if a JSON object on standard input has other values.
	fromJSON bool
}

// readInput reads the values from flags and, if the argument is "-", from a JSON object on standard input. Flags take
// precedence.
func readInput(c *calculator.Calculator, flags []*inputFlag, args []string, stdin io.Reader) (*input, error) {
	in := &input{calculator: c, values: make(map[string]any), flags: make(map[string]*inputFlag)}
	for _, arg := range args {
		if arg != "-" {
			return nil, fmt.Errorf("unexpected argument %q; set the inputs with flags, or use - to read a JSON object "+
				"from standard input", arg)
		}
		if in.fromJSON {
			return nil, errors.New("standard input can only be read once: use a single -")
		}
		in.fromJSON = true
	}
	if in.fromJSON {
		var err error
		if in.values, err = readObject(stdin); err != nil {
			return nil, err
		}
	}
	for _, f := range flags {
		if err := in.addFlag(f); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (in *input) addFlag(f *inputFlag) error {
	if !f.isSet {
		return nil
	}
	name := f.field.Name
	if other := in.flags[name]; other != nil {
		return fmt.Errorf("--%s and --%s set the same input; use only one of them", other.name, f.name)
	}
	in.flags[name] = f
	v, err := f.parse()
	if err != nil {
		return fmt.Errorf("--%s: %w", f.name, err)
	}
	in.values[name] = v
	return nil
}

// inputName matches names of inputs in the texts of errors.
var inputName = regexp.MustCompile(`\b[a-z]+(?:_[a-z0-9]+)+\b`)

// withFlagNames rewrites a calculator error so that it names flags, or paths in the JSON object, instead of inputs.
func (in *input) withFlagNames(err error) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok {
		return err
	}
	var all []error
	for _, e := range problems {
		all = append(all, errors.New(in.describe(e)))
	}
	return errors.Join(all...)
}

// describe formats an error of an input, with flags in place of inputs.
func (in *input) describe(e *plan.InputError) string {
	at := e.Path.String()
	if len(e.Path) == 1 {
		at = in.flagOrName(at)
	}
	text := at + " " + inputName.ReplaceAllStringFunc(e.Reason, in.flagOrName)
	f, isInput := in.calculator.Field(e.Path[0].Name)
	if needsJSON := isInput && !hasFlag(f); needsJSON && !in.fromJSON {
		text += "; give it in a JSON object on standard input, with - as argument"
	}
	return text
}

func (in *input) flagOrName(input string) string {
	if f := in.flags[input]; f != nil {
		return "--" + f.name
	}
	if f, ok := in.calculator.Field(input); ok && f.Input && hasFlag(f) && !in.fromJSON {
		return "--" + flagName(input)
	}
	return input
}
