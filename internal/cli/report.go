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

// formats maps file extensions to functions that write a review.
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

const wavesUsage = "Write when each VM moves to this `FILE`, as CSV: window, wave, start, end, method and downtime."

func (p Program) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report FILE|- [flags]",
		Short: "Write a capacity review of a plan or a state",
		Long: "Writes a capacity review of a plan or a state: which of vsla's results hold, which do not, and why. FILE is " +
			"the output of `terraform show -json`; - reads it from standard input. With --baseline it also lists what changed " +
			"since that plan or state: which promises break, hold again, are new or gone, and why.",
		Example: "  terraform show -json tfplan > plan.json\n" +
			"  " + programName + " report plan.json -o review.html\n" +
			"  " + programName + " report plan.json --fail-on at_risk\n" +
			"  " + programName + " report plan.json --baseline state.json --comment comment.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report needs one file, or - for standard input, got %d arguments", len(args))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  written
  1  a file cannot be read or written, or a file is not a plan or a state as JSON
  2  wrong flags
  3  written, and a result is as bad as --fail-on
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
		"Write to this `FILE`, as HTML, Markdown or JSON by its ending: .html, .md or .json. Without it, or with -, "+
			"Markdown is printed.")
	flags.StringVar(&o.format, "format", "", "Write as `html|md|json`, whatever the file is called.")
	flags.StringVar(&o.failOn, "fail-on", "",
		"Exit with 3 from this `LEVEL` on: misses; at_risk also for what is at risk, not known before apply, withheld or "+
			"without a promise; unknown also for a file without any result.")
	flags.StringVar(&o.waves, "waves", "", wavesUsage)
	flags.StringVar(&o.title, "title", "", "Title of the review, `TEXT`. Without it, Capacity review.")
	flags.StringVar(&o.author, "author", "", "Who presents it, `TEXT`.")
	flags.StringVar(
		&o.date,
		"date",
		"",
		"Day of the review, as `YYYY-MM-DD`. Without it, the day of the plan; a state and an "+
			"inventory file have none.",
	)
	flags.StringVar(
		&o.decision,
		"decision",
		"",
		"What the meeting is asked to decide, `TEXT`. It is printed before what follows "+
			"from the results.",
	)
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
	// complete has validated the date. An empty date becomes the zero time.
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
		err = errors.New("--waves: there is no migration plan with known moves")
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
		"Compare with this `FILE`, "+kind+": the review lists what changed since, --comment writes it for "+
			"a pull request, and --fail-on worse exits with 3 when a promise gets worse or asks for less, is new and does "+
			"not hold, or is no longer checked.")
	cmd.Flags().StringVar(&o.comment, "comment", "",
		"Write what changed since --baseline to this `FILE` as Markdown, below 65,536 bytes, for the pipeline to post "+
			"into the pull request; - prints it.")
	cmd.Flags().StringVar(&o.gate, "gate", "",
		"Put the answer of the gate into the comment, from this `FILE` of `conftest test --output json`.")
}

func (o *reportOptions) checkBaseline() error {
	switch {
	case o.baseline == "" && o.failOn == failWorse:
		return errors.New("--fail-on worse needs --baseline, the plan or state to compare with")
	case o.baseline == "-" && o.in == "-":
		return errors.New("only one of the file and --baseline can be read from standard input")
	}
	if o.comment == "-" && o.out == "-" {
		return errors.New("only one of --output and --comment can be printed")
	}
	if o.gate != "" && o.comment == "" {
		return errors.New("--gate needs --comment")
	}
	if o.comment != "" && o.baseline == "" {
		return errors.New("--comment needs --baseline, the plan or state to compare with; `terraform show -json` without " +
			"a plan file prints the state")
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
