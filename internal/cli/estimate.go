// Package cli is what the provider's binary does when a person or a script runs it: the calculators without Terraform.
//
// It has no arithmetic and no names of its own: inputs, units, ranges and results are those of the data sources, and
// so is the function that computes. Standard output carries the result and nothing else.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// The exit codes.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
	// ExitMiss: the calculation went well and its verdict is a miss.
	ExitMiss = 3
)

// command is one calculator on the command line.
type command struct{ *calculator.Calculator }

func commands() []command {
	var all []command
	for _, c := range registry.Calculators() {
		all = append(all, command{c})
	}
	return all
}

// inputs returns the inputs by name, required ones first.
func (c command) inputs() []calculator.Field {
	inputs := c.Inputs()
	slices.SortFunc(inputs, func(a, b calculator.Field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return inputs
}

// simple reports whether an input is a number, a string or a boolean, which a flag can carry.
func simple(f calculator.Field) bool {
	return f.Kind == calculator.Number || f.Kind == calculator.Text || f.Kind == calculator.Bool
}

// IsCommand reports whether the first argument asks for this package and not for the plugin.
func IsCommand(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"estimate", "report", "help", "-h", "-help", "--help"}, args[0])
}

// Run runs a command line without the program's name and returns its exit code.
func Run(_ context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "report" {
		return runReport(args[1:], stdin, stdout, stderr)
	}
	if len(args) < 2 || args[0] != "estimate" || isHelp(args[1]) {
		usage(stdout)
		if len(args) < 2 && len(args) > 0 && args[0] == "estimate" {
			return ExitUsage
		}
		return ExitOK
	}
	for _, c := range commands() {
		if c.Command == args[1] {
			return c.run(args[2:], stdin, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "There is no calculator %q. `terraform-provider-vsla estimate --help` lists them.\n", args[1])
	return ExitUsage
}

func isHelp(arg string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, arg)
}

func (c command) run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	input, asJSON, err := c.parse(args, stdin)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.usage(stdout)
		return ExitOK
	case err != nil:
		fmt.Fprintf(stderr, "%v\n`terraform-provider-vsla estimate %s --help` lists the flags.\n", err, c.Command)
		return ExitUsage
	}
	result, err := c.Evaluate(input)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	if asJSON {
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(result)
	} else {
		err = table(stdout, result)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitError
	}
	if level, _ := c.Judge(result); level == calculator.Misses {
		return ExitMiss
	}
	return ExitOK
}

// parse reads flags, or with `-` a JSON object from standard input; flags go before what it holds.
func (c command) parse(args []string, stdin io.Reader) (map[string]any, bool, error) {
	flags := flag.NewFlagSet(c.Command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	given := make(map[string]any)
	for _, in := range c.inputs() {
		if simple(in) {
			flags.Func(flagName(in.Name), "", func(text string) error {
				given[in.Name] = text
				return nil
			})
		}
	}
	if err := flags.Parse(args); err != nil {
		return nil, false, err
	}
	switch {
	case flags.NArg() == 0:
		return given, *asJSON, nil
	case flags.NArg() > 1 || flags.Arg(0) != "-":
		return nil, false, fmt.Errorf(
			"%q is not a flag; `-` at the end reads a JSON object from standard input",
			flags.Arg(0),
		)
	}
	decoder := json.NewDecoder(stdin)
	decoder.UseNumber()
	input := make(map[string]any)
	if err := decoder.Decode(&input); err != nil {
		return nil, false, fmt.Errorf("standard input is not a JSON object: %w", err)
	}
	maps.Copy(input, given)
	return input, *asJSON, nil
}

func flagName(attribute string) string { return strings.ReplaceAll(attribute, "_", "-") }
