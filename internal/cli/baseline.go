package cli

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

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
