package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

const estimateCodes = `  0  result printed
  1  the result could not be written
  2  invalid flags or input
  3  result printed, and the verdict is a miss
`

func (p Program) estimateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "estimate CALCULATOR",
		Short: "Run a calculator",
		Long: "Runs a calculator. Flags have the names and units of the data source's arguments. If the argument is " +
			"-, a JSON object with the arguments is read from standard input; this is the only way to set lists and " +
			"maps. Flags override the JSON object.",
		Args:        rejectArguments("calculator"),
		RunE:        func(cmd *cobra.Command, _ []string) error { return printHelp(cmd) },
		Annotations: map[string]string{codesAnnotation: estimateCodes},
		// Accept unknown flags, so that the error points out the misspelled calculator rather than a flag.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	for _, c := range registry.Calculators() {
		cmd.AddCommand(p.calculatorCommand(c))
	}
	return cmd
}

func (p Program) calculatorCommand(c *calculator.Calculator) *cobra.Command {
	flags := flagsOf(c)
	asJSON, list := false, ""
	cmd := &cobra.Command{
		Use:               c.Command + " [flags] [-]",
		Short:             c.Summary,
		Long:              strings.ReplaceAll(c.Description, "`", ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		Annotations:       map[string]string{codesAnnotation: estimateCodes, inputAnnotation: c.Command},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := readInput(c, flags, args, p.In)
			if err != nil {
				return err
			}
			in.warnOfFractions(cmd.ErrOrStderr())
			return p.compute(cmd.Context(), c, in, asJSON, list)
		},
	}
	for _, f := range flags {
		f.addTo(cmd)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print the result as JSON.")
	if c.DataSource() == waves.DataSource {
		cmd.Flags().StringVar(&list, "waves", "", wavesUsage)
	}
	return cmd
}

func flagsOf(c *calculator.Calculator) []*inputFlag {
	var all []*inputFlag
	for _, in := range c.Inputs() {
		if !hasFlag(in) {
			continue
		}
		name := flagName(in.Name)
		all = append(
			all,
			&inputFlag{name: name, field: in, placeholder: kindOf(in), usage: withFlags(c, in.Documentation())},
		)
		bare, unit := calculator.UnitOf(in.Name)
		u, ok := unitFlags[unit]
		if _, taken := c.Field(bare); ok && !taken {
			all = append(all, &inputFlag{
				name:        flagName(bare),
				field:       in,
				placeholder: u.kind,
				example:     u.examples,
				usage:       "In place of --" + name + ", with a unit: " + u.examples + ".",
			})
		}
	}
	return all
}

func (p Program) writeMoves(c *calculator.Calculator, name string, given, result map[string]any) error {
	values := maps.Clone(given)
	maps.Copy(values, result)
	answer, err := c.Read(values)
	if err != nil {
		return err
	}
	moves, _ := answer.(waves.Moves) // only the migration calculator has --waves
	return p.write(name, func(w io.Writer) error { return waves.Write(w, []waves.Plan{{Name: c.Title, Moves: moves}}) })
}

func (p Program) compute(ctx context.Context, c *calculator.Calculator, in *input, asJSON bool, list string) error {
	what := "Computing the " + strings.ToLower(c.Title)
	if c.Slow(in.values) {
		what += fmt.Sprintf(", longer than %d s", calculator.SlowSeconds)
	}
	result, err := interruptible(ctx, p, what, func(ctx context.Context) (map[string]any, error) {
		return c.EvaluateContext(ctx, in.values)
	})
	if errors.Is(err, errInterrupted) {
		return err
	}
	if err != nil {
		return &failure{code: ExitUsage, err: in.withFlagNames(err)}
	}
	if err := p.printResult(c, result, asJSON); err != nil {
		return &failure{code: ExitError, err: err}
	}
	if list != "" {
		if err := p.writeMoves(c, list, in.values, result); err != nil {
			return &failure{code: ExitError, err: err}
		}
	}
	if c.Judge(result) == plan.Misses {
		return errMiss
	}
	return nil
}

func (p Program) printResult(c *calculator.Calculator, result map[string]any, asJSON bool) error {
	if !asJSON {
		return p.printTable(c, result)
	}
	encoder := json.NewEncoder(p.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}
