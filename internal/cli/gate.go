package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/format"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
)

type gateOptions struct {
	in       string
	settings string
	planFile string
	baseline string
	author   string
	today    string
	format   string
	out      string
	init     bool
}

func (p Program) gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate PLAN.json|- --settings FILE [flags]",
		Short: "Decide whether a plan may be applied",
		Long: "Judges a plan by settings that state what a repository promises: whether each promise holds with the " +
			"inputs that the settings allow, whether each VM that gets a tag is counted, and whether protection gets " +
			"weaker. PLAN.json is the output of `terraform show -json PLANFILE`, or - for standard input. What is " +
			"not known is denied.",
		Example: "  terraform show -json tfplan > plan.json\n" +
			"  " + programName + " gate --init plan.json > policy.yaml\n" +
			"  " + programName + " gate plan.json --settings policy.yaml --plan-file tfplan",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("gate requires one plan, or - for standard input, got %d arguments", len(args))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  the plan passes
  1  a file cannot be read or written, or is not the JSON of a plan
  2  invalid flags
  3  the plan is denied
`},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.in = args[0]
			if o.init {
				if err := refuse(cmd, "judges, so it cannot be combined with --init", []string{
					"settings", "format", "baseline", "author", "today",
				}); err != nil {
					return err
				}
			}
			if err := o.check(); err != nil {
				return err
			}
			return p.runGate(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.settings, "settings", "", "YAML `FILE` with the promises.")
	flags.BoolVar(&o.init, "init", false, "Print settings that are made from the plan, instead of judging it. A line "+
		"on standard error says what they deny.")
	flags.StringVar(&o.planFile, "plan-file", "", "The plan `FILE` that the JSON was made from, as `terraform plan "+
		"-out` writes it. It shows programs in removed blocks, and the state before the refresh.")
	flags.StringVar(&o.baseline, "baseline", "",
		"State or plan as JSON in this `FILE`. The Markdown comment shows the changes since then.")
	flags.StringVar(&o.author, "author", "", "`NAME` of the author of the change, who cannot approve a waiver.")
	flags.StringVar(&o.today, "today", "", "Day on which waivers are valid, as `YYYY-MM-DD`. Default: today.")
	names := slices.Sorted(maps.Keys(format.Formats))
	flags.StringVar(&o.format, "format", "text", "Output format: `"+strings.Join(names, "|")+"`.")
	flags.StringVarP(&o.out, "output", "o", "", "Write to this `FILE`. Default: standard output (-).")
	completeFlag(cmd, "format", names)
	return cmd
}

func (o *gateOptions) check() error {
	_, err := time.Parse(time.DateOnly, o.today)
	switch {
	case !o.init && o.settings == "":
		return errors.New("gate requires --settings; `vsla gate --init PLAN.json` writes them from a plan")
	case o.today != "" && err != nil:
		return fmt.Errorf("--today must be a day as YYYY-MM-DD, got %q", o.today)
	case format.Formats[o.format] == nil:
		return fmt.Errorf("--format must be %s, got %q",
			strings.Join(slices.Sorted(maps.Keys(format.Formats)), ", "), o.format)
	case o.in == "-" && o.baseline == "-":
		return errors.New("only one of the plan and --baseline can be read from standard input")
	}
	return checkOutputs([]argument{
		{"the plan", o.in},
		{"--settings", o.settings},
		{"--plan-file", o.planFile},
		{"--baseline", o.baseline},
	}, argument{"--output", o.out})
}

func (p Program) runGate(ctx context.Context, o gateOptions) error {
	var run gateRun
	var err error
	work := func(context.Context) { run, err = p.judgePlan(o) }
	if interrupted := p.interruptible(ctx, "Judging "+o.in, work); interrupted != nil {
		return interrupted
	}
	if err == nil {
		err = p.write(o.out, run.write)
	}
	switch {
	case err != nil:
		return &failure{code: ExitError, err: err}
	case o.init && run.denied:
		fmt.Fprintf(p.Err, "The plan is denied by these settings. %s\n", run.headline)
	case run.denied:
		return errMiss
	}
	return nil
}

type gateRun struct {
	write    func(io.Writer) error
	headline string
	denied   bool
}

func (p Program) judgePlan(o gateOptions) (gateRun, error) {
	text, err := readAll(o.in, p.In)
	if err != nil {
		return gateRun{}, err
	}
	d, err := readDocument(o.in, bytes.NewReader(text))
	if err != nil {
		return gateRun{}, err
	}
	plan, err := tfplan.Read(text)
	if err != nil {
		return gateRun{}, fmt.Errorf("%s: %w", o.in, err)
	}
	if plan.File, err = readPlanFile(o.planFile); err != nil {
		return gateRun{}, err
	}
	var initial []byte
	if o.init {
		if initial, err = judge.Initial(plan); err != nil {
			return gateRun{}, fmt.Errorf("%s: %w", o.in, err)
		}
	}
	s, err := readSettings(o.settings, initial)
	if err != nil {
		return gateRun{}, err
	}
	decision := gate.Evaluate(plan, s, gate.Context{Today: p.today(o), Author: o.author})
	report := format.Report{Decision: decision, Plan: o.in, Settings: o.settings, Version: p.Version}.Withhold(d)
	if o.baseline != "" {
		former, err := readAll(o.baseline, p.In)
		if err != nil {
			return gateRun{}, fmt.Errorf("--baseline: %w", err)
		}
		before, err := readDocument(o.baseline, bytes.NewReader(former))
		if err != nil {
			return gateRun{}, fmt.Errorf("--baseline: %w", err)
		}
		report = report.Compare(before, d)
	}
	run := gateRun{headline: report.Headline, denied: !decision.Passes}
	run.write = func(w io.Writer) error {
		if o.init {
			_, err := w.Write(initial)
			return err
		}
		return format.Formats[o.format](report, w)
	}
	return run, nil
}

func (p Program) today(o gateOptions) time.Time {
	if day, err := time.Parse(time.DateOnly, o.today); err == nil {
		return day
	}
	return p.now().UTC()
}

func readSettings(name string, initial []byte) (*settings.Settings, error) {
	if initial != nil {
		return settings.Read(bytes.NewReader(initial), name)
	}
	file, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return settings.Read(file, name)
}

func readPlanFile(name string) (*tfplan.File, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // the file is optional
	}
	file, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	found, err := tfplan.ReadFile(file, about.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}
