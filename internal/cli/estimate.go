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

	"terraform-provider-vsla/internal/provider/calc"
	"terraform-provider-vsla/internal/provider/calccalibration"
	"terraform-provider-vsla/internal/provider/calclatency"
	"terraform-provider-vsla/internal/provider/calclimits"
	"terraform-provider-vsla/internal/provider/calclink"
	"terraform-provider-vsla/internal/provider/calcmigration"
	"terraform-provider-vsla/internal/provider/calcreplication"
	"terraform-provider-vsla/internal/provider/calcschedule"
	"terraform-provider-vsla/internal/provider/calcvmotion"
)

// The exit codes.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
	// ExitMiss: the calculation went well and its verdict is a miss.
	ExitMiss = 3
)

// calculator is a calc.Calculator of any model.
type calculator interface {
	Inputs() []calc.Input
	Evaluate(ctx context.Context, input map[string]any) (map[string]any, error)
}

// command is one calculator by the name that a person types.
type command struct {
	name, summary string
	calculator    calculator
	// missed reports whether a result is a miss.
	missed func(map[string]any) bool
}

var commands = []command{
	{
		"replication",
		"initial sync, delta and verdict of a group of VMs on a link",
		calcreplication.Calculator,
		verdict("misses"),
	},
	{"schedule", "many groups with different RPOs on one link, simulated", calcschedule.Calculator, verdict("misses")},
	{
		"calibration",
		"what a replication's last sync says about the plan",
		calccalibration.Calculator,
		isTrue("optimistic"),
	},
	{"vmotion", "how long a vMotion takes, and how long the guest stops", calcvmotion.Calculator, verdict("unsupported")},
	{"migration", "in which waves many VMs move", calcmigration.Calculator, never},
	{"link", "what a network path carries", calclink.Calculator, never},
	{"latency", "what distance does to an application that is split", calclatency.Calculator, isTrue("move_together")},
	{"limits", "published limits, compared with numbers in use", calclimits.Calculator, isFalse("within_limits")},
}

func verdict(miss string) func(map[string]any) bool {
	return func(r map[string]any) bool { return r["verdict"] == miss }
}

func isTrue(name string) func(map[string]any) bool {
	return func(r map[string]any) bool { return r[name] == true }
}

func isFalse(name string) func(map[string]any) bool {
	return func(r map[string]any) bool { return r[name] == false }
}

func never(map[string]any) bool { return false }

// IsCommand reports whether the first argument asks for this package and not for the plugin.
func IsCommand(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"estimate", "report", "help", "-h", "-help", "--help"}, args[0])
}

// Run runs a command line without the program's name and returns its exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
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
	for _, c := range commands {
		if c.name == args[1] {
			return c.run(ctx, args[2:], stdin, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "There is no calculator %q. `terraform-provider-vsla estimate --help` lists them.\n", args[1])
	return ExitUsage
}

func isHelp(arg string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, arg)
}

func (c command) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	input, asJSON, err := c.parse(args, stdin)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.usage(stdout)
		return ExitOK
	case err != nil:
		fmt.Fprintf(stderr, "%v\n`terraform-provider-vsla estimate %s --help` lists the flags.\n", err, c.name)
		return ExitUsage
	}
	result, err := c.calculator.Evaluate(ctx, input)
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
	if c.missed(result) {
		return ExitMiss
	}
	return ExitOK
}

// parse reads flags, or with `-` a JSON object from standard input; flags go before what it holds.
func (c command) parse(args []string, stdin io.Reader) (map[string]any, bool, error) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	given := make(map[string]any)
	for _, in := range c.calculator.Inputs() {
		if in.Simple {
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
