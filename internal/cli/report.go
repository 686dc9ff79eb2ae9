package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

var formats = map[string]func(*report.Review, io.Writer) error{
	"html": (*report.Review).WriteHTML,
	"md":   (*report.Review).WriteMarkdown,
	"json": (*report.Review).WriteJSON,
}

var failLevels = []string{string(wording.Misses), string(wording.AtRisk), string(wording.Unknown)}

type reportOptions struct {
	in, out, format, failOn       string
	title, author, date, decision string
	// baseline is the plan or state to compare with. It can be empty.
	baseline string
	// comment is the file for the pull request comment. It can be empty.
	comment string
	// gate is the file with the gate's result. It can be empty.
	gate string
	// waves is the CSV file for the moves of the migration plans. It can be empty.
	waves string
}

const wavesUsage = "Write the migration schedule to this CSV `FILE`: window, wave, start, end, method and downtime."

func (p Program) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report FILE|- [flags]",
		Short: "Write a capacity review of a plan or a state",
		Long: "Writes a capacity review of a plan or a state: which promises hold, which do not, and why. FILE is the " +
			"output of `terraform show -json`, or - for standard input. If --baseline is set, the review also lists the " +
			"changes since that plan or state: promises that are newly broken, kept again, added or removed, with the reason.",
		Example: "  terraform show -json tfplan > plan.json\n" +
			"  " + programName + " report plan.json -o review.html\n" +
			"  " + programName + " report plan.json --fail-on at_risk\n" +
			"  " + programName + " report plan.json --baseline state.json --comment comment.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report requires one file, or - for standard input, got %d arguments", len(args))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  review written
  1  a file cannot be read or written, or is not the JSON of a plan or a state
  2  invalid flags
  3  review written, and a result reaches the level of --fail-on
`},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.in = args[0]
			if err := o.complete(); err != nil {
				return err
			}
			return p.reviewDocument(cmd.Context(), o)
		},
	}
	o.addTo(cmd)
	o.addBaseline(cmd, "a plan or a state as JSON")
	return cmd
}

func (o *reportOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "",
		"Write to this `FILE`. The extension .html, .md or .json sets the format. Default: Markdown on standard output (-).")
	flags.StringVar(&o.format, "format", "", "Output format: `html|md|json`. Overrides the file extension.")
	flags.StringVar(&o.failOn, "fail-on", "",
		"Exit with code 3 at this `LEVEL`. misses: a promise is missed. at_risk: as misses, or a promise is at risk, not "+
			"known before apply or withheld. unknown: as at_risk, or the file has no results.")
	flags.StringVar(&o.waves, "waves", "", wavesUsage)
	flags.StringVar(&o.title, "title", "", "Title of the review. Default `TEXT`: Capacity review.")
	flags.StringVar(&o.author, "author", "", "Name of the presenter, any `TEXT`.")
	flags.StringVar(&o.date, "date", "",
		"Date of the review, as `YYYY-MM-DD`. Default: the date of the plan. A state or an inventory file has no date.")
	flags.StringVar(&o.decision, "decision", "",
		"Decision to be made, as `TEXT`. It is printed before the decisions that the results require.")
	fixed := func(values []string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	// These calls fail only if a flag does not exist.
	_ = cmd.RegisterFlagCompletionFunc("format", fixed(slices.Sorted(maps.Keys(formats))))
	_ = cmd.RegisterFlagCompletionFunc("fail-on", fixed(failLevels))
}

func (o *reportOptions) complete() error {
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

func (p Program) cover(o reportOptions) report.Cover {
	// Ignore the error, because complete rejects invalid dates. For an empty date, the result is the zero time.
	date, _ := time.Parse(time.DateOnly, o.date)
	return report.Cover{Title: o.title, Author: o.author, Date: date, Version: p.Version, Decision: o.decision}
}

func (p Program) reviewDocument(ctx context.Context, o reportOptions) error {
	var review *report.Review
	var d *difference.Difference
	var err error
	var moves []waves.Plan
	read := func(context.Context) { review, d, moves, err = readReview(o, p.In, p.cover(o)) }
	if err := p.interruptible(ctx, "Reviewing "+o.in, read); err != nil {
		return err
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	return p.writeReview(review, d, moves, o)
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

func (p Program) writeReview(
	review *report.Review, d *difference.Difference, moves []waves.Plan, o reportOptions,
) error {
	var err error
	if o.waves != "" && len(moves) == 0 {
		err = errors.New("--waves: there is no migration plan with a known schedule")
	} else if o.waves != "" {
		err = p.write(o.waves, func(w io.Writer) error { return waves.Write(w, moves) })
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if o.out != "" || o.comment == "" {
		err = p.write(o.out, func(w io.Writer) error { return formats[o.format](review, w) })
	}
	if err == nil && o.gate != "" {
		d.Gate, err = readGate(o.gate)
	}
	if err == nil && o.comment != "" {
		err = p.write(o.comment, func(w io.Writer) error {
			_, err := io.WriteString(w, d.Markdown(maxCommentBytes))
			return err
		})
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	fmt.Fprintln(p.Err, p.colorVerdict(p.After != nil && !p.ProgressLines, review.Verdict, review.Headline))
	if d != nil {
		fmt.Fprintln(p.Err, d.Headline)
	}
	if o.fails(review, d) {
		return errMiss
	}
	return nil
}

func readGate(name string) (*difference.Gate, error) {
	file, err := os.Open(name) //nolint:gosec // the user chooses the file
	if errors.Is(err, fs.ErrNotExist) {
		return &difference.Gate{NoDecision: true}, nil // the gate stopped before it made a decision
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	gate, err := difference.ReadGate(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return gate, nil
}

func readDocument(name string, stdin io.Reader) (*document.Document, error) {
	in := stdin
	if name == "-" {
		name = "standard input"
	} else {
		file, err := os.Open(name) //nolint:gosec // the user chooses the file
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // nothing was written
		in = file
	}
	digest := sha256.New()
	read, err := document.Read(io.TeeReader(in, digest))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	read.AddFiles(assess.NewFile(name, digest.Sum(nil)))
	return read, nil
}

// maxCommentBytes is the maximum length in bytes of a comment on GitHub and GitLab.
const maxCommentBytes = 65536

const failWorse = "worse"

func (o *reportOptions) addBaseline(cmd *cobra.Command, kind string) {
	cmd.Flags().StringVar(&o.baseline, "baseline", "",
		"Compare with this `FILE`, "+kind+". The review lists the changes, --comment writes them as a pull "+
			"request comment, and --fail-on worse exits with code 3 if a promise gets worse or is weakened, if a new promise "+
			"does not hold, or if a promise or a VM is no longer checked.")
	cmd.Flags().StringVar(&o.comment, "comment", "",
		"Write the changes since --baseline to this `FILE` as a Markdown comment of less than 65,536 bytes for a pull "+
			"request, or to standard output (-).")
	cmd.Flags().StringVar(&o.gate, "gate", "",
		"Add the result of the policies to the comment. `FILE` is the output of conftest test --output json.")
}

func (o *reportOptions) checkBaseline() error {
	switch {
	case o.baseline == "" && o.failOn == failWorse:
		return errors.New("--fail-on worse requires --baseline, the plan or state to compare with")
	case o.baseline == "-" && o.in == "-":
		return errors.New("only one of the file and --baseline can be read from standard input")
	}
	if o.comment == "-" && o.out == "-" {
		return errors.New("only one of --output and --comment can write to standard output")
	}
	if o.gate != "" && o.comment == "" {
		return errors.New("--gate requires --comment")
	}
	if o.comment != "" && o.baseline == "" {
		return errors.New("--comment requires --baseline, the plan or state to compare with; `terraform show -json` " +
			"without a plan file prints the state")
	}
	return nil
}

// readReview returns the review, the difference from the baseline (nil without a baseline), and the migration plans.
func readReview(
	o reportOptions, stdin io.Reader, cover report.Cover,
) (*report.Review, *difference.Difference, []waves.Plan, error) {
	document, err := readDocument(o.in, stdin)
	if err != nil {
		return nil, nil, nil, err
	}
	moves := migrationPlans(document)
	if o.baseline == "" {
		return cover.Build(document), nil, moves, nil
	}
	before, err := readDocument(o.baseline, stdin)
	if err != nil {
		return nil, nil, nil, err
	}
	d := difference.New(before, document)
	cover.Changes = d.Review(filepath.Base(o.baseline))
	return cover.Build(document), d, moves, nil
}

func (o *reportOptions) fails(review *report.Review, d *difference.Difference) bool {
	switch o.failOn {
	case "":
		return false
	case failWorse:
		return d.GetsWorse()
	}
	return review.Fails(wording.Level(o.failOn))
}
