package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/cli/waves"
)

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
				const text = "review reads one input, got %d: use --tiers for a tiers file and --baseline to compare"
				return fmt.Errorf(text, len(args))
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

// Flags that apply to some inputs only.
var (
	onlyFlags       = []string{"init", "summary"}
	tiersFlags      = []string{"tiers", "set"}
	comparisonFlags = []string{"baseline-tiers", "comment", "fail-on"}
	coverFlags      = []string{"author", "baseline", "date", "decision", "waves"}
)

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
	if kind != inventoryInput {
		const why = "requires an inventory file"
		if err := refuse(cmd, why, onlyFlags, comparisonFlags, tiersFlags, inventoryFlags); err != nil {
			return err
		}
	}
	if err := o.checkFiles(kind); err != nil {
		return err
	}
	if err := o.checkMode(cmd); err != nil {
		return err
	}
	switch {
	case o.interactive:
		return p.writePage(cmd.Context(), o, kind)
	case o.summary:
		return p.summarize(o)
	case o.initialize:
		return p.writeTiers(o)
	}
	return p.writeReview(cmd.Context(), o, kind)
}

// checkMode returns an error if a flag that replaces the review is combined with a flag that it would ignore.
func (o *reviewOptions) checkMode(cmd *cobra.Command) error {
	switch {
	case o.interactive:
		const why = "cannot be combined with --interactive"
		return refuse(cmd, why, onlyFlags, comparisonFlags, coverFlags, []string{"format"})
	case o.summary:
		const why = "cannot be combined with --summary"
		return refuse(cmd, why, []string{"init", "title"}, comparisonFlags, coverFlags, tiersFlags)
	case o.initialize:
		const why = "cannot be combined with --init, which writes to the file of --tiers"
		return refuse(cmd, why, comparisonFlags, coverFlags, []string{"format", "output", "set", "title"})
	}
	return nil
}

func (p Program) writeReview(ctx context.Context, o reviewOptions, kind inputKind) error {
	if o.baselineTiers != "" && o.baseline == "" {
		o.baseline = o.in
	}
	if err := o.complete(); err != nil {
		return err
	}
	if o.baseline != "" {
		if err := o.checkBaselineKind(kind); err != nil {
			return err
		}
	}
	read := o.readReview
	if kind == inventoryInput {
		read = o.readInventory
	}
	review, err := interruptible(ctx, p, "Reviewing "+o.in, func(ctx context.Context) (reviewed, error) {
		return read(ctx, p.In, p.cover(o))
	})
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if err := p.writeFiles(review, o); err != nil {
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

// checkBaselineKind returns an error if the baseline is of another kind than the input.
func (o *reviewOptions) checkBaselineKind(kind inputKind) error {
	if isTiersFile(o.baseline) {
		return fmt.Errorf("--baseline %s is a tiers file: use --baseline-tiers to compare with it", o.baseline)
	}
	former, err := recognize(o.baseline)
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if former != kind {
		return fmt.Errorf("--baseline %s is %s, but %s is %s", o.baseline, former, o.in, kind)
	}
	return nil
}

// maxCommentBytes is the maximum length in bytes of a comment on GitHub and GitLab.
const maxCommentBytes = 65536

// writeFiles writes the schedule of the moves, the review and the comment. A comment replaces a review on standard
// output.
func (p Program) writeFiles(review reviewed, o reviewOptions) error {
	if o.waves != "" {
		if err := p.writeSchedule(o.waves, review.moves); err != nil {
			return err
		}
	}
	if o.out != "" || o.comment == "" {
		err := p.write(o.out, func(w io.Writer) error { return formats[o.format](review.Review, w) })
		if err != nil {
			return err
		}
	}
	if o.comment == "" {
		return nil
	}
	return p.write(o.comment, func(w io.Writer) error {
		_, err := io.WriteString(w, review.difference.Markdown(maxCommentBytes))
		return err
	})
}

func (p Program) writeSchedule(name string, moves []waves.Plan) error {
	if len(moves) == 0 {
		return errors.New("--waves: there is no migration plan with a known schedule")
	}
	return p.write(name, func(w io.Writer) error { return waves.Write(w, moves) })
}
