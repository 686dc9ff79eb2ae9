// The capacity review of an inventory file.

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/report"
)

// fileReviewOptions are the flags of the review of an inventory file.
type fileReviewOptions struct {
	inventory inventoryOptions
	report    reportOptions
	file      string
	tiers     string
	write     bool
}

const inventoryFormat = "inventory-format"

func (p Program) fileReview() *cobra.Command {
	var o fileReviewOptions
	cmd := &cobra.Command{
		Use:   "review --inventory FILE --tiers FILE [flags]",
		Short: "Write a capacity review of an inventory file",
		Long: "Writes a capacity review of an inventory file (RVTools, Live Optics or CSV), without Terraform and without " +
			"a connection. A tiers file says which VMs are in which tier, by regular expression, folder, cluster or column, " +
			"and what each tier promises; --init writes one with comments.",
		Example: "  " + programName + " review --inventory rvtools.xlsx --init\n" +
			"  " + programName + " review --inventory rvtools.xlsx --tiers tiers.yaml -o review.html",
		Args: cobra.NoArgs,
		Annotations: map[string]string{codesAnnotation: `  0  written
  1  a file cannot be read or written, or the tiers file is wrong
  2  wrong flags
  3  written, and a result is as bad as --fail-on
`},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.reviewFile(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(
		&o.file,
		"inventory",
		"",
		"The inventory `FILE`: RVTools (xlsx or CSV), Live Optics (xlsx) or another CSV.",
	)
	flags.StringVar(&o.tiers, "tiers", "tiers.yaml", "The tiers `FILE`.")
	flags.BoolVar(
		&o.write,
		"init",
		false,
		"Write the tiers file, with comments and the inventory's clusters, and nothing else.",
	)
	// The only error is that the flag has not been added.
	_ = flags.SetAnnotation("inventory", requiredAnnotation, []string{"true"})
	o.report.addTo(cmd)
	o.inventory.addTo(cmd, inventoryFormat)
	return cmd
}

func (p Program) reviewFile(ctx context.Context, o fileReviewOptions) error {
	if o.file == "" {
		return errors.New("--inventory must name the inventory file")
	}
	if err := o.inventory.complete(inventoryFormat); err != nil {
		return err
	}
	if err := o.report.complete(); err != nil {
		return err
	}
	if o.write {
		if err := p.writeTiers(o); err != nil {
			return &failure{code: ExitError, err: err}
		}
		return nil
	}
	var review *report.Review
	var err error
	p.progress("Reviewing "+o.file, func() { review, err = reviewOf(o, p.cover(o.report)) })
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	return p.finish(ctx, review, nil, o.report)
}

// read reads both files and computes the results.
func (o fileReviewOptions) read() (*estate.Review, *estate.Tiers, error) {
	tiers, err := readTiers(o.tiers)
	if err != nil {
		return nil, nil, err
	}
	o.inventory.options.Keep = tiers.Columns()
	found, err := o.inventory.read(o.file)
	if err != nil {
		return nil, nil, err
	}
	computed, err := estate.NewReview(o.file, found, tiers)
	return computed, tiers, err
}

// reviewOf returns the review of both files.
func reviewOf(o fileReviewOptions, cover report.Cover) (*report.Review, error) {
	computed, _, err := o.read()
	if err != nil {
		return nil, err
	}
	document := report.FromInventory(o.file, computed.Notes)
	for _, open := range computed.Open {
		document.AddOpen(open.Name, open.Text)
	}
	for _, r := range computed.Results {
		document.Add(r.Type, r.Name, r.Values)
	}
	return cover.Build(document), nil
}

func readTiers(name string) (*estate.Tiers, error) {
	file, err := os.Open(name) //nolint:gosec // the file that the user names
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; --init writes one to begin with", err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was read only
	return estate.ReadTiers(name, file)
}

// writeTiers writes a tiers file that is not there yet.
func (p Program) writeTiers(o fileReviewOptions) (err error) {
	var found inventoryfile.Inventory
	p.progress("Reading "+o.file, func() { found, err = o.inventory.read(o.file) })
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := estate.WriteTiers(&text, o.file, o.tiers, found); err != nil {
		return err
	}
	file, err := os.OpenFile(o.tiers, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the file of the user
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w; --init does not overwrite it, and --tiers names another", err)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(p.Err, "%s is written: change it, then run `%s review --inventory %s --tiers %s -o review.html`.\n",
		o.tiers, programName, o.file, o.tiers)
	return nil
}
