// Comparison with a baseline.

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

// commentBytes is the longest comment that GitHub accepts, and GitLab as well.
const commentBytes = 65536

// failWorse is the level of --fail-on that compares with the baseline.
const failWorse = "worse"

// addBaseline adds the flags of a comparison with a kind of file.
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

// checkBaseline checks the flags that go with a baseline.
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

// readReview reads the document and its baseline, and reviews it. The difference is nil without a baseline.
func readReview(
	o reportOptions, stdin io.Reader, cover report.Cover,
) (*report.Review, *difference.Difference, []waves.Plan, error) {
	document, err := readDocument(o.in, stdin)
	if err != nil {
		return nil, nil, nil, err
	}
	moves := migrations(document)
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

// fails reports whether a review or its difference is as bad as --fail-on.
func (o *reportOptions) fails(review *report.Review, d *difference.Difference) bool {
	switch o.failOn {
	case "":
		return false
	case failWorse:
		return d.GetsWorse()
	}
	return review.Fails(wording.Level(o.failOn))
}
