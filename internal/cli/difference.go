// What changes since a baseline.

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
)

// failWorse is the level of --fail-on that compares with the baseline.
const failWorse = "worse"

// addBaseline adds the flags of a difference.
func (o *reportOptions) addBaseline(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.baseline, "baseline", "",
		"Write what changes since this `FILE`, a plan or a state as JSON. --fail-on worse then exits with 3 when a promise "+
			"gets worse, is new and does not hold, or is no longer checked.")
	flags.StringVar(&o.since, "since", "",
		"Say in the review what changed since this `FILE`, a plan or a state as JSON.")
	o.comment.addTo(cmd)
}

// checkBaseline checks the flags that go with a baseline.
func (o *reportOptions) checkBaseline() error {
	switch {
	case o.baseline == "" && o.failOn == failWorse:
		return errors.New("--fail-on worse needs --baseline, the plan or state to compare with")
	case o.baseline == "-" && o.in == "-":
		return errors.New("only one of the file and --baseline can be read from standard input")
	case o.baseline != "" && o.since != "":
		return errors.New("--baseline writes the changes alone, and --since writes them into the review: give one of them")
	case o.since == "-" && o.in == "-":
		return errors.New("only one of the file and --since can be read from standard input")
	}
	return o.comment.check(o.baseline != "")
}

// difference writes what changes since the baseline, and judges it.
func (p Program) difference(ctx context.Context, o reportOptions) error {
	var d *difference.Difference
	var after *report.Document
	var err error
	p.progress("Comparing "+o.in+" with "+o.baseline, func() {
		var before *report.Document
		if before, err = readDocument(o.baseline, p.In); err != nil {
			return
		}
		if after, err = readDocument(o.in, p.In); err != nil {
			return
		}
		d = difference.New(before, after)
	})
	if err == nil && (o.out != "" || o.comment.forge == "") {
		err = o.write(p.Out, func(w io.Writer) error { return writeDifference(d, o.format, w) })
	}
	if err == nil {
		err = p.post(ctx, d, o.comment)
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	fmt.Fprintln(p.Err, d.Headline)
	switch o.failOn {
	case "":
		return nil
	case failWorse:
		if d.GetsWorse() {
			return errMiss
		}
	default:
		if report.Build(after).Fails(report.Level(o.failOn)) {
			return errMiss
		}
	}
	return nil
}

// maxLines is how many changes the first page of a review has.
const maxLines = 6

// changesSince returns the changes of the results for the first page of a review: turned verdicts first.
func changesSince(name string, d *difference.Difference) *report.Changes {
	c := &report.Changes{Baseline: report.CleanText(filepath.Base(name)), Headline: d.PageHeadline(), Lines: []string{}}
	more := 0
	for _, turned := range []bool{true, false} {
		for i := range d.Results {
			item := &d.Results[i]
			if item.Category == difference.Unchanged || item.Sentence == "" || (item.Turn != "") != turned {
				continue
			}
			if len(c.Lines) == maxLines {
				more++
				continue
			}
			c.Lines = append(c.Lines, item.Heading+": "+item.Sentence)
		}
	}
	if more > 0 {
		c.Lines = append(c.Lines, report.CountOf(more, "more change")+": `report --baseline` lists them.")
	}
	return c
}

func writeDifference(d *difference.Difference, format string, w io.Writer) error {
	switch format {
	case "html":
		return d.WriteHTML(w)
	case "json":
		return d.WriteJSON(w)
	default:
		return d.WriteMarkdown(w, difference.MarkdownOptions{})
	}
}
