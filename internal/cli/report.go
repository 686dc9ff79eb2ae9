package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
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
			"  " + programName + " report plan.json --baseline state.json -o review.html",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report requires one file, or - for standard input, got %d arguments", len(args))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  review written
  1  a file cannot be read or written, or is not the JSON of a plan or a state
  2  invalid flags
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
	flags.StringVar(&o.waves, "waves", "", wavesUsage)
	flags.StringVar(&o.title, "title", "", "Title of the review. Default `TEXT`: Capacity review.")
	flags.StringVar(&o.author, "author", "", "Name of the presenter, any `TEXT`.")
	flags.StringVar(&o.date, "date", "",
		"Date of the review, as `YYYY-MM-DD`. Default: the date of the plan. A state or an inventory file has no date.")
	flags.StringVar(&o.decision, "decision", "",
		"Decision to be made, as `TEXT`. It is printed before the decisions that the results require.")
	completeFlag(cmd, "format", slices.Sorted(maps.Keys(formats)))
}

func completeFlag(cmd *cobra.Command, name string, values []string) {
	// This call fails only if the flag does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
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

func readDocument(name string, in io.Reader) (*document.Document, error) {
	if name == "-" {
		name = "standard input"
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
