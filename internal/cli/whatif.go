package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
	"terraform-provider-vsla/internal/whatif/source"
)

type whatIfOptions struct {
	in, out, title string
	review         fileReviewOptions
}

func (p Program) whatIfCommand() *cobra.Command {
	var o whatIfOptions
	cmd := &cobra.Command{
		Use:   "what-if [FILE|-] [flags]",
		Short: "Write an interactive page for changing the inputs of a review",
		Long: "Writes a single HTML file that runs the calculators in the browser, without a server or a network. In a " +
			"meeting, you can change tiers, link and growth, see which promises hold, and export the configuration. FILE is " +
			"the output of `terraform show -json` for a plan or a state, or - for standard input. Use --inventory to start " +
			"with an inventory file and its tiers instead. If neither is set, the page asks for an inventory file, which it " +
			"reads itself.",
		Example: "  " + programName + " what-if plan.json -o what-if.html\n" +
			"  " + programName + " what-if --inventory rvtools.xlsx --tiers tiers.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("what-if accepts at most one file, got %d arguments", len(args))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  page written
  1  a file cannot be read or written or has the wrong type, or this program was built without the page
  2  invalid flags
`},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.in = args[0]
			}
			return p.writePage(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "what-if.html", "Write to this `FILE`, or to standard output (-).")
	flags.StringVar(&o.title, "title", "", "Title of the page. Default `TEXT`: What if.")
	flags.StringVar(&o.review.file, "inventory", "",
		"Start with this inventory `FILE`: RVTools (xlsx or CSV), Live Optics (xlsx) or another CSV.")
	flags.StringVar(&o.review.tiers, "tiers", "tiers.yaml", "YAML `FILE` with the tiers of the inventory.")
	o.review.inventory.addTo(cmd)
	return cmd
}

func (p Program) writePage(ctx context.Context, o whatIfOptions) error {
	if o.in != "" && o.review.file != "" {
		return errors.New("--inventory cannot be combined with a plan or a state")
	}
	if ext := strings.ToLower(filepath.Ext(o.in)); ext == ".xlsx" || ext == ".csv" {
		return fmt.Errorf("%s is not a plan; use --inventory %s for an inventory file", o.in, shellWord(o.in))
	}
	if err := o.review.inventory.complete(); err != nil {
		return err
	}
	module, err := page.Embedded()
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if o.in == "" && o.review.file == "" {
		err := p.write(o.out, func(w io.Writer) error { return module.WriteEmpty(w, o.title, p.Version) })
		return p.written(o.out, err)
	}
	var model *whatif.Model
	var view *whatif.View
	compute := func(ctx context.Context) { model, view, err = p.buildModel(ctx, o) }
	if err := p.interruptible(ctx, "Computing the page", compute); err != nil {
		return err
	}
	if err == nil {
		err = p.write(o.out, func(w io.Writer) error { return module.Write(w, model, view) })
	}
	return p.written(o.out, err)
}

// written reports that a page was written, or why it was not.
func (p Program) written(name string, err error) error {
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if name != "-" {
		fmt.Fprintf(p.Err, "Wrote %s. Open it in a browser.\n", name)
	}
	return nil
}

func (p Program) buildModel(ctx context.Context, o whatIfOptions) (*whatif.Model, *whatif.View, error) {
	var model *whatif.Model
	var result *promise.Result
	switch {
	case o.in != "":
		text, err := readAll(o.in, p.In)
		if err != nil {
			return nil, nil, err
		}
		document, err := readDocument(o.in, bytes.NewReader(text))
		if err != nil {
			return nil, nil, err
		}
		name := filepath.Base(o.in)
		if o.in == "-" {
			name = ""
		}
		if model, result = page.FromDocument(name, document); result == nil {
			return nil, nil, fmt.Errorf("%s: contains no result of vsla_sla_plan; add it for the tiers, and plan again", o.in)
		}
	case o.review.file != "":
		computed, _, err := o.review.read(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		text, err := os.ReadFile(o.review.tiers)
		if err != nil {
			return nil, nil, err
		}
		model = source.FromReview(filepath.Base(o.review.file), computed, string(text))
		if model.Files, err = digestFiles(o.review.file, o.review.tiers); err != nil {
			return nil, nil, err
		}
		if result, err = resultOf(computed); err != nil {
			return nil, nil, err
		}
	}
	model.Title, model.Program = o.title, p.Version
	opened, err := whatif.Open(model)
	if err != nil {
		return nil, nil, err
	}
	view, err := opened.View(ctx, *result)
	return model, view, err
}

func resultOf(r *estate.Review) (*promise.Result, error) {
	c := promise.Definition.Calculator()
	i := slices.IndexFunc(r.Results, func(one estate.Result) bool { return one.Type == c.DataSource() })
	answer, err := c.Read(r.Results[i].Values)
	read, _ := answer.(assess.Plan)
	return &read.Result, err
}
