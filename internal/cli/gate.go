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

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/format"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan/quantity"
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
	// day is the day of today, on which waivers are valid.
	day time.Time
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
			if err := o.checkInit(cmd); err != nil {
				return err
			}
			if err := o.check(p.now); err != nil {
				return err
			}
			return p.runGate(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.settings, "settings", "", "YAML `FILE` with the promises.")
	flags.BoolVar(&o.init, "init", false, "Print settings that are made from the plan, instead of judging it. A line "+
		"on standard error says what they deny, or what the plan does not show.")
	flags.StringVar(&o.planFile, "plan-file", "", "The plan `FILE` that the JSON was made from, as `terraform plan "+
		"-out` writes it. It shows programs in removed blocks, and the state before the refresh.")
	flags.StringVar(&o.baseline, "baseline", "",
		"State or plan as JSON in this `FILE`. The Markdown comment shows the changes since then.")
	flags.StringVar(&o.author, "author", "", "`NAME` of the author of the change, who cannot approve a waiver.")
	flags.StringVar(&o.today, "today", "", "Day on which waivers are valid, as `YYYY-MM-DD`. Default: today.")
	names := formatNames()
	flags.StringVar(&o.format, "format", "text", "Output format: `"+strings.Join(names, "|")+"`.")
	flags.StringVarP(&o.out, "output", "o", "", "Write to this `FILE`. Default: standard output (-).")
	completeFlag(cmd, "format", names)
	return cmd
}

func formatNames() []string { return slices.Sorted(maps.Keys(format.Formats)) }

// checkInit returns an error if --init is combined with a flag that judges.
func (o *gateOptions) checkInit(cmd *cobra.Command) error {
	if !o.init {
		return nil
	}
	judging := []string{"settings", "format", "baseline", "author", "today"}
	return refuse(cmd, "judges, so it cannot be combined with --init", judging)
}

func (o *gateOptions) check(now func() time.Time) error {
	o.day = now().UTC()
	if o.today != "" {
		var err error
		if o.day, err = time.Parse(time.DateOnly, o.today); err != nil {
			return fmt.Errorf("--today must be a day as YYYY-MM-DD, got %q", o.today)
		}
	}
	switch {
	case !o.init && o.settings == "":
		return errors.New("gate requires --settings; `vsla gate --init PLAN.json` writes them from a plan")
	case format.Formats[o.format] == nil:
		return fmt.Errorf("--format must be %s, got %q", strings.Join(formatNames(), ", "), o.format)
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
	run, err := interruptible(ctx, p, "Judging "+o.in, func(context.Context) (gateRun, error) { return p.judgePlan(o) })
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if err := p.write(o.out, run.write); err != nil {
		return &failure{code: ExitError, err: err}
	}
	for _, note := range run.unseen {
		fmt.Fprintln(p.Err, note)
	}
	switch {
	case o.init && run.denied:
		fmt.Fprintf(p.Err, "The plan is denied by these settings. %s\n", run.headline)
	case run.denied:
		return errMiss
	}
	return nil
}

// gateRun is the outcome of a run: a writer of the decision, or of the initial settings.
type gateRun struct {
	write    func(io.Writer) error
	headline string
	denied   bool
	// unseen are the notes about names that are not in the JSON, from which initial settings are made.
	unseen []string
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
	if o.init {
		return o.initialSettings(plan, d, p.Version)
	}
	s, err := readSettings(o.settings)
	if err != nil {
		return gateRun{}, err
	}
	report := o.evaluate(plan, d, s, p.Version)
	if o.baseline != "" {
		before, err := readFormer(o.baseline, p.In)
		if err != nil {
			return gateRun{}, fmt.Errorf("--baseline: %w", err)
		}
		report = report.Compare(before, d)
	}
	return gateRun{
		headline: report.Headline,
		denied:   !report.Passes,
		write:    func(w io.Writer) error { return format.Formats[o.format](report, w) },
	}, nil
}

// initialSettings makes settings from the plan, and judges the plan by them.
func (o *gateOptions) initialSettings(plan *tfplan.Plan, d *document.Document, version string) (gateRun, error) {
	if withheld := sensitiveAddresses(d); len(withheld) > 0 {
		const most = 5
		return gateRun{}, fmt.Errorf("%s: --init writes the values of the plan, but the plan marks some as sensitive: "+
			"%s. Remove the marks, or write the settings by hand", o.in, quantity.List(withheld, most))
	}
	text, err := judge.Initial(plan)
	if err != nil {
		return gateRun{}, fmt.Errorf("%s: %w", o.in, err)
	}
	s, err := settings.Read(bytes.NewReader(text), o.settings)
	if err != nil {
		return gateRun{}, err
	}
	report := o.evaluate(plan, d, s, version)
	var unseen []string
	for _, note := range report.Noted {
		if note.Code == finding.UnknownInput {
			unseen = append(unseen, note.Subject+" "+note.Message)
		}
	}
	return gateRun{
		headline: report.Headline,
		denied:   !report.Passes,
		unseen:   unseen,
		write: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		},
	}, nil
}

// sensitiveAddresses returns the results and resources of which a document marks values as sensitive.
func sensitiveAddresses(d *document.Document) []string {
	var addresses []string
	for _, a := range d.Results() {
		if a.Withheld() {
			addresses = append(addresses, a.Address)
		}
	}
	for _, r := range d.Resources() {
		if r.Withheld {
			addresses = append(addresses, r.Address)
		}
	}
	return addresses
}

// evaluate judges the plan by the settings. The report withholds what the document marks as sensitive.
func (o *gateOptions) evaluate(
	plan *tfplan.Plan, d *document.Document, s *settings.Settings, version string,
) format.Report {
	return format.Report{
		Decision: gate.Evaluate(plan, s, gate.Context{Today: o.day, Author: o.author}),
		Plan:     o.in,
		Settings: o.settings,
		Version:  version,
	}.Withhold(d)
}

func readFormer(name string, stdin io.Reader) (*document.Document, error) {
	text, err := readAll(name, stdin)
	if err != nil {
		return nil, err
	}
	return readDocument(name, bytes.NewReader(text))
}

func readSettings(name string) (*settings.Settings, error) {
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
