package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
)

var formats = map[string]func(*report.Review, io.Writer) error{
	"html": (*report.Review).WriteHTML,
	"md":   (*report.Review).WriteMarkdown,
	"json": (*report.Review).WriteJSON,
}

const failWorse = "worse"

var failLevels = []string{plan.Misses, plan.AtRisk, plan.Unknown}

type reviewOptions struct {
	in       string
	out      string
	format   string
	failOn   string
	title    string
	author   string
	date     string
	decision string
	// baseline is the input to compare with, comment the file for the pull request comment, and waves the CSV file for
	// the moves of the migration plans. All can be empty.
	baseline, comment, waves string

	inventory inventoryOptions
	tiers     string
	// set contains replacements for values in the tiers file. baselineTiers is the tiers file to compare with.
	set           []string
	baselineTiers string

	initialize, summary, interactive bool
}

func (p Program) reviewCommand() *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review [INPUT|-] [flags]",
		Short: "Write a capacity review of a plan, a state or an inventory file",
		Long: "Writes a capacity review: which promises hold, which do not, and why. INPUT is the output of " +
			"`terraform show -json` for a plan or a state, or - for standard input, or an inventory file: RVTools " +
			"(xlsx, a CSV, or a folder or zip archive of CSVs), Live Optics or another CSV. Does not connect to a " +
			"server.\n\nThe tiers file of an inventory defines the promise of each tier and selects its VMs by " +
			"regular expression, folder, cluster or column. --init creates one with comments. If a number in it is a " +
			"range {low, likely, high}, the review also shows how certain each promise is. --summary only counts the " +
			"VMs of the inventory.\n\nWith --baseline or --baseline-tiers, the review also lists the changes since " +
			"that plan, state, inventory or tiers file. With --interactive, the output is a page whose inputs can be " +
			"changed in the browser. Without INPUT, that page asks for an inventory file, which it reads itself.",
		Example: "  terraform show -json tfplan | " + programName + " review - -o review.html\n" +
			"  " + programName + " review plan.json --baseline state.json\n" +
			"  " + programName + " review rvtools.xlsx --init\n" +
			"  " + programName + " review rvtools.xlsx --set throughput_mbps=500 --baseline-tiers tiers.yaml\n" +
			"  " + programName + " review rvtools.xlsx --interactive -o vsla.html",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf(
					"review reads one input, got %d: use --tiers for a tiers file and --baseline to compare",
					len(args),
				)
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  review written
  1  a file cannot be read or written, or has the wrong content
  2  invalid flags
  3  review written, and a result reaches the level of --fail-on
`},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.in = args[0]
			}
			return p.review(cmd, o)
		},
	}
	o.addTo(cmd)
	o.inventory.addTo(cmd)
	return cmd
}

const wavesUsage = "Write the migration schedule to this CSV `FILE`: window, wave, start, end, method and downtime."

// Flags that apply to some inputs only.
var (
	tiersFlags      = []string{"tiers", "set"}
	comparisonFlags = []string{"baseline-tiers", "comment", "fail-on"}
	coverFlags      = []string{"author", "baseline", "date", "decision", "waves"}
)

func (o *reviewOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(
		&o.out,
		"output",
		"o",
		"",
		"Write to this `FILE`. The extension .html, .md or .json sets the format. Default: Markdown on standard "+
			"output (-), and with --interactive vsla.html.",
	)
	flags.StringVar(&o.format, "format", "", "Output format: `html|md|json`. Overrides the file extension.")
	flags.BoolVar(&o.interactive, "interactive", false, "Write a page whose inputs can be changed in the browser.")
	flags.StringVar(&o.waves, "waves", "", wavesUsage)
	flags.StringVar(&o.title, "title", "", "Title of the page. Default `TEXT`: Capacity review.")
	flags.StringVar(&o.author, "author", "", "Name of the presenter, any `TEXT`.")
	flags.StringVar(&o.date, "date", "",
		"Date of the review, as `YYYY-MM-DD`. Default: the date of the plan. A state or an inventory file has no date.")
	flags.StringVar(&o.decision, "decision", "",
		"Decision to be made, as `TEXT`. It is printed before the decisions that the results require.")
	flags.StringVar(
		&o.baseline,
		"baseline",
		"",
		"Compare with this `FILE`: a plan or a state as JSON, or an earlier inventory. Default: the inventory itself "+
			"if --baseline-tiers is used.",
	)
	completeFlag(cmd, "format", slices.Sorted(maps.Keys(formats)))

	flags.StringVar(&o.tiers, "tiers", "tiers.yaml", "YAML `FILE` with the tiers of the inventory.")
	flags.BoolVar(&o.initialize, "init", false,
		"Only create a tiers file, with comments and the clusters of the inventory.")
	flags.BoolVar(
		&o.summary,
		"summary",
		false,
		"Only print the number and sizes of the VMs, the clusters, and the skipped rows. With --format json, the "+
			"attributes of vsla_inventory_file.",
	)
	flags.StringArrayVar(&o.set, "set", nil,
		"Override a value of the tiers file, as `KEY=VALUE`. Can be repeated. Examples: throughput_mbps=500, "+
			"defaults.peak_factor=4, or gold.rpo_minutes=30 for the tier gold.")
	flags.StringVar(&o.baselineTiers, "baseline-tiers", "",
		"Compare with this tiers `FILE`, to which --set does not apply. Default: the file of --tiers.")
	flags.StringVar(
		&o.failOn,
		"fail-on",
		"",
		"Exit with code 3 at this `LEVEL` of an inventory; use gate for a plan. misses: a promise is missed. "+
			"at_risk: as misses, or a promise is at risk, not known before apply or withheld. unknown: as at_risk, "+
			"or the file has no results. worse: a promise gets worse than in --baseline or is weakened, a new "+
			"promise does not hold, or a promise or a VM is no longer checked.",
	)
	flags.StringVar(
		&o.comment,
		"comment",
		"",
		"Write the changes of an inventory since --baseline to this `FILE` as a Markdown comment of less than 65,536 "+
			"bytes for a pull request, or to standard output (-); use gate for a plan.",
	)
	completeFlag(cmd, "fail-on", failLevels)
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

func (p Program) review(cmd *cobra.Command, o reviewOptions) error {
	if o.in == "" && !o.interactive {
		return errors.New("review requires an input: a plan or a state as JSON, or an inventory file")
	}
	if err := o.inventory.complete(); err != nil {
		return err
	}
	kind, err := recognize(o.in)
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	only := []string{"init", "summary"}
	if kind != inventoryInput {
		if err := refuse(cmd, "requires an inventory "+
			"file", only, comparisonFlags, tiersFlags, inventoryFlags); err != nil {
			return err
		}
	}
	if err := o.checkFiles(kind); err != nil {
		return err
	}
	switch {
	case o.interactive:
		if err := refuse(cmd, "cannot be combined with --interactive", only, comparisonFlags, coverFlags,
			[]string{"format"}); err != nil {
			return err
		}
		return p.writePage(cmd.Context(), o, kind)
	case o.summary:
		const why = "cannot be combined with --summary"
		err := refuse(cmd, why, []string{"init", "title"}, comparisonFlags, coverFlags, tiersFlags)
		if err != nil {
			return err
		}
		return p.summarize(o)
	case o.initialize:
		if err := refuse(cmd, "cannot be combined with --init, which writes to the file of --tiers", comparisonFlags,
			coverFlags, []string{"format", "output", "set", "title"}); err != nil {
			return err
		}
		return p.writeTiers(o)
	}
	return p.writeReview(cmd.Context(), o, kind)
}

func (o *reviewOptions) checkFiles(kind inputKind) error {
	inputs := []argument{{"the input", o.in}, {"--baseline", o.baseline}, {"--baseline-tiers", o.baselineTiers}}
	if kind == inventoryInput {
		inputs = append(inputs, argument{"--tiers", o.tiers})
	}
	for _, folder := range inputs {
		files, _ := os.ReadDir(folder.file) // none if it is a file
		for _, file := range files {
			if strings.EqualFold(filepath.Ext(file.Name()), ".csv") {
				inputs = append(inputs, argument{folder.as, filepath.Join(folder.file, file.Name())})
			}
		}
	}
	out := o.out
	if out == "" && o.comment == "" {
		out = "-"
	}
	return checkOutputs(
		inputs,
		argument{"--output", out},
		argument{"--comment", o.comment},
		argument{"--waves", o.waves},
	)
}

func (o *reviewOptions) complete() error {
	if err := o.checkBaseline(); err != nil {
		return err
	}
	if o.failOn != "" && o.failOn != failWorse && !slices.Contains(failLevels, o.failOn) {
		return fmt.Errorf("--fail-on must be misses, at_risk or unknown, got %q", o.failOn)
	}
	if _, err := time.Parse(time.DateOnly, o.date); o.date != "" && err != nil {
		return fmt.Errorf("--date must be a day as YYYY-MM-DD, got %q", o.date)
	}
	switch {
	case o.format != "" && formats[o.format] == nil:
		return fmt.Errorf("--format must be html, md or json, got %q", o.format)
	case o.format != "":
		return nil
	case o.out == "" || o.out == "-":
		o.format = "md"
		return nil
	}
	o.format = strings.TrimPrefix(strings.ToLower(filepath.Ext(o.out)), ".")
	if formats[o.format] == nil {
		return fmt.Errorf("--output must end in .html, .md or .json, or --format must be given, got %q", o.out)
	}
	return nil
}

func (o *reviewOptions) checkBaseline() error {
	switch {
	case o.baseline == "" && o.failOn == failWorse:
		return errors.New("--fail-on worse requires --baseline, the file to compare with")
	case o.baseline == "-" && o.in == "-":
		return errors.New("only one of the file and --baseline can be read from standard input")
	}
	if o.comment != "" && o.baseline == "" {
		return errors.New("--comment requires --baseline, the file to compare with")
	}
	return nil
}

func (p Program) cover(o reviewOptions) report.Cover {
	// Ignore the error, because complete rejects invalid dates. For an empty date, the result is the zero time.
	date, _ := time.Parse(time.DateOnly, o.date)
	return report.Cover{Title: o.title, Author: o.author, Date: date, Version: p.Version, Decision: o.decision}
}

// reviewed is a review with its difference from the baseline (nil without a baseline), and the migration plans.
type reviewed struct {
	*report.Review

	difference *difference.Difference
	moves      []waves.Plan
}

func (p Program) writeReview(ctx context.Context, o reviewOptions, kind inputKind) error {
	if o.baselineTiers != "" && o.baseline == "" {
		o.baseline = o.in
	}
	if err := o.complete(); err != nil {
		return err
	}
	if o.baseline != "" {
		switch former, err := recognize(o.baseline); {
		case isTiersFile(o.baseline):
			return fmt.Errorf("--baseline %s is a tiers file: use --baseline-tiers to compare with it", o.baseline)
		case err != nil:
			return &failure{code: ExitError, err: err}
		case former != kind:
			return fmt.Errorf("--baseline %s is %s, but %s is %s", o.baseline, former, o.in, kind)
		}
	}
	read := o.readReview
	if kind == inventoryInput {
		read = o.readInventory
	}
	var review reviewed
	var err error
	if err := p.interruptible(ctx, "Reviewing "+o.in, func(ctx context.Context) {
		review, err = read(ctx, p.In, p.cover(o))
	}); err != nil {
		return err
	}
	if err == nil {
		err = p.writeFiles(review, o)
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	fmt.Fprintln(p.Err, p.colorVerdict(p.After != nil && !p.ProgressLines, review.Verdict, review.Headline))
	if review.difference != nil {
		fmt.Fprintln(p.Err, review.difference.Headline)
	}
	if o.fails(review) {
		return errMiss
	}
	return nil
}

// maxCommentBytes is the maximum length in bytes of a comment on GitHub and GitLab.
const maxCommentBytes = 65536

func (p Program) writeFiles(review reviewed, o reviewOptions) error {
	var err error
	if o.waves != "" && len(review.moves) == 0 {
		err = errors.New("--waves: there is no migration plan with a known schedule")
	} else if o.waves != "" {
		err = p.write(o.waves, func(w io.Writer) error { return waves.Write(w, review.moves) })
	}
	if err == nil && (o.out != "" || o.comment == "") {
		err = p.write(o.out, func(w io.Writer) error { return formats[o.format](review.Review, w) })
	}
	if err == nil && o.comment != "" {
		err = p.write(o.comment, func(w io.Writer) error {
			_, err := io.WriteString(w, review.difference.Markdown(maxCommentBytes))
			return err
		})
	}
	return err
}

func (o *reviewOptions) fails(review reviewed) bool {
	switch o.failOn {
	case "":
		return false
	case failWorse:
		return review.difference.GetsWorse()
	}
	return review.Fails(o.failOn)
}

func migrationPlans(d *document.Document) []waves.Plan {
	var plans []waves.Plan
	for _, a := range d.Results() {
		if moves, ok := assess.As[assess.Migration](a); ok && !a.Hidden() {
			plans = append(plans, waves.Plan{Name: a.Title, Moves: moves})
		}
	}
	return plans
}
