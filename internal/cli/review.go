package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
)

type fileReviewOptions struct {
	inventory  inventoryOptions
	report     reportOptions
	file       string
	tiers      string
	initialize bool
	// set contains replacements for values in the tiers file. baselineTiers is the tiers file to compare with.
	set           []string
	baselineTiers string
}

func (p Program) reviewCommand() *cobra.Command {
	var o fileReviewOptions
	cmd := &cobra.Command{
		Use:   "review --inventory FILE --tiers FILE [flags]",
		Short: "Write a capacity review of an inventory file",
		Long: "Writes a capacity review of an inventory file (RVTools, Live Optics or CSV), without Terraform and without " +
			"a connection. The tiers file defines the promise of each tier and selects its VMs by regular expression, folder, " +
			"cluster or column. Use --init to create one with comments. If a number in it is a range {low, likely, high}, the " +
			"review also shows how certain each promise is. If --baseline or --baseline-tiers is set, the review also lists " +
			"the changes since that inventory or tiers file.",
		Example: "  " + programName + " review --inventory rvtools.xlsx --init\n" +
			"  " + programName + " review --inventory rvtools.xlsx --tiers tiers.yaml -o review.html\n" +
			"  " + programName + " review --inventory rvtools.xlsx --baseline may.xlsx --fail-on worse\n" +
			"  " + programName + " review --inventory rvtools.xlsx --baseline-tiers tiers.yaml --set throughput_mbps=500",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("review has no arguments; use --inventory %s for an inventory file", shellWord(args[0]))
			}
			return nil
		},
		Annotations: map[string]string{codesAnnotation: `  0  review written
  1  a file cannot be read or written, or the tiers file is invalid
  2  invalid flags
  3  review written, and a result reaches the level of --fail-on
`},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.reviewFile(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.file, "inventory", "",
		"Inventory `FILE`: RVTools (xlsx or CSV), Live Optics (xlsx) or another CSV.")
	flags.StringVar(&o.tiers, "tiers", "tiers.yaml", "YAML `FILE` with the tiers.")
	flags.BoolVar(&o.initialize, "init", false,
		"Only create a tiers file, with comments and the clusters of the inventory.")
	flags.StringArrayVar(&o.set, "set", nil,
		"Override a value of the tiers file, as `KEY=VALUE`. Can be repeated. Examples: throughput_mbps=500, "+
			"defaults.peak_factor=4, or gold.rpo_minutes=30 for the tier gold.")
	flags.StringVar(&o.baselineTiers, "baseline-tiers", "",
		"Compare with this tiers `FILE`, to which --set does not apply. Default: the file of --tiers.")
	// Ignore the error, because the flag exists.
	_ = flags.SetAnnotation("inventory", requiredAnnotation, []string{"true"})
	o.report.addTo(cmd)
	o.report.addConditions(cmd)
	o.report.addBaseline(cmd, "an earlier inventory, or the same one if --baseline-tiers or --set is used")
	o.inventory.addTo(cmd)
	return cmd
}

func (p Program) reviewFile(ctx context.Context, o fileReviewOptions) error {
	if o.file == "" {
		return errors.New("--inventory is required: the inventory file")
	}
	if err := o.inventory.complete(); err != nil {
		return err
	}
	if o.baselineTiers != "" && o.report.baseline == "" {
		o.report.baseline = o.file
	}
	if err := o.report.complete(); err != nil {
		return err
	}
	if o.initialize {
		if err := p.writeTiers(o); err != nil {
			return &failure{code: ExitError, err: err}
		}
		return nil
	}
	var review *report.Review
	var d *difference.Difference
	var err error
	var moves []waves.Plan
	read := func(ctx context.Context) { review, d, moves, err = buildReview(ctx, o, p.cover(o.report)) }
	if err := p.interruptible(ctx, "Reviewing "+o.file, read); err != nil {
		return err
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	return p.writeReview(review, d, moves, o.report)
}

// read reads and reviews the inventory. If later is set, the VMs have the keys of that inventory.
func (o fileReviewOptions) read(
	ctx context.Context, later *inventoryfile.Inventory,
) (*estate.Review, *inventoryfile.Inventory, error) {
	tiers, err := readTiers(o.tiers, o.set...)
	if err != nil {
		return nil, nil, err
	}
	o.inventory.options.KeepColumns = tiers.Columns()
	found, err := o.inventory.read(o.file)
	if err != nil {
		return nil, nil, err
	}
	if later != nil {
		found.AlignKeys(later)
	}
	computed, err := estate.NewReview(ctx, o.file, found, tiers)
	if err == nil && found.Encoding != "" {
		computed.Notes = append(computed.Notes, o.file+" is not UTF-8 and was read as "+found.Encoding+".")
	}
	return computed, &found, err
}

// buildReview returns the review, the difference from the baseline (nil without a baseline), and the migration plans.
func buildReview(
	ctx context.Context, o fileReviewOptions, cover report.Cover,
) (*report.Review, *difference.Difference, []waves.Plan, error) {
	document, later, err := o.document(ctx, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	moves := migrationPlans(document)
	if o.report.baseline == "" {
		return cover.Build(document), nil, moves, nil
	}
	earlier := o
	earlier.file, earlier.tiers, earlier.set = o.report.baseline, cmp.Or(o.baselineTiers, o.tiers), nil
	before, _, err := earlier.document(ctx, later)
	if err != nil {
		return nil, nil, nil, err
	}
	since := filepath.Base(earlier.file)
	if o.file == earlier.file {
		since = filepath.Base(earlier.tiers)
	}
	d := difference.New(before, document)
	cover.Changes = d.Review(since)
	return cover.Build(document), d, moves, nil
}

func (o fileReviewOptions) document(
	ctx context.Context, later *inventoryfile.Inventory,
) (*document.Document, *inventoryfile.Inventory, error) {
	computed, found, err := o.read(ctx, later)
	if err != nil {
		return nil, nil, err
	}
	if len(o.set) > 0 {
		computed.Notes = append(computed.Notes, "The command line replaces values of the tiers file: "+
			strings.Join(o.set, ", ")+".")
	}
	d := document.FromInventory(o.file, computed.Notes)
	d.SetBlockedVMs(len(computed.Blocked))
	files, err := digestFiles(o.file, o.tiers)
	if err != nil {
		return nil, nil, err
	}
	d.AddFiles(files...)
	for _, open := range computed.OpenPoints {
		d.AddOpen(open.Name, open.Text)
	}
	for _, r := range computed.Results {
		d.Add(r.Type, r.Name, r.Values)
	}
	return d, found, nil
}

func digestFiles(names ...string) ([]assess.File, error) {
	files := make([]assess.File, 0, len(names))
	for _, name := range names {
		digest, err := inventoryfile.Digest(name)
		if err != nil {
			return nil, err
		}
		files = append(files, assess.NewFile(name, digest))
	}
	return files, nil
}

func readTiers(name string, set ...string) (*estate.Tiers, error) {
	file, err := os.Open(name) //nolint:gosec // the user chooses the file
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; use --init to create one", err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return estate.ReadTiers(name, file, set...)
}

func (p Program) writeTiers(o fileReviewOptions) (err error) {
	var found inventoryfile.Inventory
	p.withProgress("Reading "+o.file, func() { found, err = o.inventory.read(o.file) })
	if err != nil {
		return err
	}
	reviewCommand := commandLine(o.inventory.cmd, "init", "output") + " -o review.html"
	var text strings.Builder
	if err := estate.WriteTiers(&text, o.file, reviewCommand, found, nil); err != nil {
		return err
	}
	file, err := os.OpenFile(o.tiers, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the user chooses the file
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w; --init does not overwrite files, use --tiers for another one", err)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(p.Err, "%s was created. Edit it, then run `%s`.\n", o.tiers, reviewCommand)
	return nil
}
