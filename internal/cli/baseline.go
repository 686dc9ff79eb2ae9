package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

const failWorse = "worse"

func (o *reportOptions) addBaseline(cmd *cobra.Command, kind string) {
	cmd.Flags().StringVar(&o.baseline, "baseline", "",
		"Compare with this `FILE`, "+kind+". The review lists the changes.")
}

// addConditions adds what a pipeline needs that reviews files without Terraform.
func (o *reportOptions) addConditions(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.failOn, "fail-on", "",
		"Exit with code 3 at this `LEVEL`. misses: a promise is missed. at_risk: as misses, or a promise is at risk, not "+
			"known before apply or withheld. unknown: as at_risk, or the file has no results. worse: a promise gets worse "+
			"than in --baseline or is weakened, a new promise does not hold, or a promise or a VM is no longer checked.")
	cmd.Flags().StringVar(&o.comment, "comment", "",
		"Write the changes since --baseline to this `FILE` as a Markdown comment of less than 65,536 bytes for a pull "+
			"request, or to standard output (-).")
	completeFlag(cmd, "fail-on", failLevels)
}

func (o *reportOptions) checkBaseline() error {
	switch {
	case o.baseline == "" && o.failOn == failWorse:
		return errors.New("--fail-on worse requires --baseline, the file to compare with")
	case o.baseline == "-" && o.in == "-":
		return errors.New("only one of the file and --baseline can be read from standard input")
	}
	if o.comment == "-" && o.out == "-" {
		return errors.New("only one of --output and --comment can write to standard output")
	}
	if o.comment != "" && o.baseline == "" {
		return errors.New("--comment requires --baseline, the file to compare with")
	}
	return nil
}

// readReview returns the review, the difference from the baseline (nil without a baseline), and the migration plans.
func readReview(
	o reportOptions, stdin io.Reader, cover report.Cover,
) (*report.Review, *difference.Difference, []waves.Plan, error) {
	text, err := readAll(o.in, stdin)
	if err != nil {
		return nil, nil, nil, err
	}
	document, err := readDocument(o.in, bytes.NewReader(text))
	if err != nil {
		return nil, nil, nil, err
	}
	moves := migrationPlans(document)
	if o.baseline == "" {
		return cover.Build(document), nil, moves, nil
	}
	former, err := readAll(o.baseline, stdin)
	if err != nil {
		return nil, nil, nil, err
	}
	before, err := readDocument(o.baseline, bytes.NewReader(former))
	if err != nil {
		return nil, nil, nil, err
	}
	weaker, err := weakened(o.in, text, document)
	if err != nil {
		return nil, nil, nil, err
	}
	d := difference.New(before, document, weaker...)
	cover.Changes = d.Review(filepath.Base(o.baseline))
	return cover.Build(document), d, moves, nil
}

// weakened returns what a plan protects less. A state protects what it protects.
func weakened(name string, text []byte, d *document.Document) ([]finding.Finding, error) {
	if d.Source().Kind != "plan" {
		return nil, nil
	}
	plan, err := tfplan.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	table := protection.Compare(plan, func(string) (float64, bool) { return 0, false })
	return append(table.Findings(), table.Lost()...), nil
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
