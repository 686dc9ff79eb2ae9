package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

// read reads and reviews the inventory. If later is set, the VMs have the keys of that inventory.
func (o *reviewOptions) read(
	ctx context.Context, later *inventoryfile.Inventory,
) (*estate.Review, *inventoryfile.Inventory, error) {
	tiers, err := readTiers(o.tiers, o.set...)
	if err != nil {
		return nil, nil, err
	}
	o.inventory.options.KeepColumns = tiers.Columns()
	found, err := o.inventory.read(o.in)
	if err != nil {
		return nil, nil, err
	}
	if later != nil {
		found.AlignKeys(later)
	}
	computed, err := estate.NewReview(ctx, o.in, found, tiers)
	if err != nil {
		return nil, nil, err
	}
	if found.Encoding != "" {
		computed.Notes = append(computed.Notes, o.in+" is not UTF-8 and was read as "+found.Encoding+".")
	}
	if len(o.set) > 0 {
		computed.Notes = append(computed.Notes, "The command line replaces values of the tiers file: "+
			strings.Join(o.set, ", ")+".")
	}
	return computed, &found, nil
}

// readInventory reviews an inventory file with its tiers.
func (o *reviewOptions) readInventory(ctx context.Context, _ io.Reader, cover report.Cover) (reviewed, error) {
	now, later, err := o.document(ctx, nil)
	if err != nil {
		return reviewed{}, err
	}
	moves := migrationPlans(now)
	if o.baseline == "" {
		return reviewed{Review: cover.Build(ctx, now), moves: moves}, nil
	}
	earlier := *o
	earlier.in = o.baseline
	earlier.tiers = cmp.Or(o.baselineTiers, o.tiers)
	earlier.set = nil
	before, _, err := earlier.document(ctx, later)
	if err != nil {
		return reviewed{}, err
	}
	since := filepath.Base(earlier.in)
	if o.in == earlier.in {
		since = filepath.Base(earlier.tiers)
	}
	d := difference.New(before, now)
	cover.Changes = d.Review(wording.Clean(since))
	return reviewed{Review: cover.Build(ctx, now), difference: d, moves: moves}, nil
}

// document returns the reviewed inventory as a document, and the inventory. If later is set, the VMs have the keys of
// that inventory.
func (o *reviewOptions) document(
	ctx context.Context, later *inventoryfile.Inventory,
) (*document.Document, *inventoryfile.Inventory, error) {
	computed, found, err := o.read(ctx, later)
	if err != nil {
		return nil, nil, err
	}
	d := document.FromInventory(o.in, computed.Notes)
	d.SetBlockedVMs(len(computed.Blocked))
	files, err := digestFiles(o.in, o.tiers)
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

// digestFiles returns the names of the files with their digests.
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

// readTiers reads a tiers file. set replaces values of the file.
func readTiers(name string, set ...string) (*estate.Tiers, error) {
	file, err := openFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; use --init to create one", err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return estate.ReadTiers(name, file, set...)
}

// writeTiers creates a tiers file for the inventory.
func (p Program) writeTiers(o reviewOptions) error {
	var found inventoryfile.Inventory
	var err error
	o.inventory.options.Survey = true
	p.withProgress("Reading "+o.in, func() { found, err = o.inventory.read(o.in) })
	if err == nil {
		err = p.createTiers(o, found)
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	return nil
}

func (p Program) createTiers(o reviewOptions, found inventoryfile.Inventory) error {
	reviewCommand := commandLine(o.inventory.cmd, "init") + " -o review.html"
	var text strings.Builder
	if err := estate.WriteTiers(&text, o.in, reviewCommand, found, estate.Groupings(found)[0]); err != nil {
		return err
	}
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	file, err := os.OpenFile(o.tiers, flags, 0o644) //nolint:gosec // the user chooses the file
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w; --init does not overwrite files, use --tiers for another one", err)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(o.tiers))
	}
	fmt.Fprintf(p.Err, "%s was created. Edit it, then run `%s`.\n", o.tiers, reviewCommand)
	return nil
}
