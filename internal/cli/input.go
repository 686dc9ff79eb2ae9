package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// input is the input of a calculator with the origin of its values.
type input struct {
	calculator *calculator.Calculator
	values     map[string]any
	// flags are the given flags by input.
	flags    map[string]*inputFlag
	fromJSON bool
}

// read reads flags, and a JSON object from standard input for a -. Flags take precedence.
func read(c *calculator.Calculator, flags []*inputFlag, args []string, stdin io.Reader) (*input, error) {
	in := &input{calculator: c, values: make(map[string]any), flags: make(map[string]*inputFlag)}
	for _, arg := range args {
		switch {
		case arg != "-":
			return nil, fmt.Errorf(
				"unexpected argument %q; flags set the inputs, and - reads a JSON object from standard input", arg)
		case in.fromJSON:
			return nil, errors.New("standard input can only be read once: give a single -")
		}
		in.fromJSON = true
	}
	if in.fromJSON {
		var err error
		if in.values, err = object(stdin); err != nil {
			return nil, err
		}
	}
	for _, f := range flags {
		if err := in.take(f); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (in *input) take(f *inputFlag) error {
	if !f.given {
		return nil
	}
	name := f.field.Name
	if other := in.flags[name]; other != nil {
		return fmt.Errorf("--%s and --%s set the same input; give one of them", other.name, f.name)
	}
	in.flags[name] = f
	v, err := f.value()
	if err != nil {
		return fmt.Errorf("--%s: %w", f.name, err)
	}
	in.values[name] = v
	return nil
}

// value parses a value, or a range LOW,LIKELY,HIGH.
func (f *inputFlag) value() (any, error) {
	if f.field.Kind == calculator.Texts {
		var list []any
		for part := range strings.SplitSeq(f.text, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		return list, nil
	}
	if f.field.Kind != calculator.NumberOrSpread || !strings.Contains(f.text, ",") {
		return f.single(f.text)
	}
	parts := strings.Split(f.text, ",")
	if len(parts) != len(spreadMembers) {
		return nil, fmt.Errorf("a range must be LOW,LIKELY,HIGH, got %q", f.text)
	}
	members := make(map[string]any, len(parts))
	for i, name := range spreadMembers {
		var err error
		if members[name], err = f.single(strings.TrimSpace(parts[i])); err != nil {
			return nil, err
		}
	}
	return members, nil
}

var spreadMembers = []string{"low", "likely", "high"}

func (f *inputFlag) single(text string) (any, error) {
	v, given, err := calculator.WithUnit(f.field.Name, text)
	switch {
	case given || err != nil:
		return v, err
	case f.example != "":
		return nil, fmt.Errorf("must be a number with a unit, such as %s, got %q", f.example, text)
	}
	return text, nil
}

// inputName matches names of inputs in error messages.
var inputName = regexp.MustCompile(`\b[a-z]+(?:_[a-z0-9]+)+\b`)

// asEntered returns the errors of a calculator with names of flags, or paths in the JSON object.
func (in *input) asEntered(err error) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok {
		return err
	}
	var all []error
	for _, e := range problems {
		at := e.Path.String()
		if len(e.Path) == 1 {
			at = in.name(at)
		}
		text := at + " " + inputName.ReplaceAllStringFunc(e.Reason, in.name)
		if f, ok := in.calculator.Field(e.Path[0].Name); ok && !in.fromJSON && !simple(f) {
			text += "; give it in a JSON object on standard input, with - as argument"
		}
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

// name returns the flag of an input, or its name in the JSON object.
func (in *input) name(input string) string {
	if f := in.flags[input]; f != nil {
		return "--" + f.name
	}
	if f, ok := in.calculator.Field(input); ok && f.Input && simple(f) && !in.fromJSON {
		return "--" + flagName(input)
	}
	return input
}
