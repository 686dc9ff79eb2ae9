package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
	"terraform-provider-vsla/internal/whatif/source"
	"terraform-provider-vsla/internal/wording"
)

const pageName = "vsla.html"

// writePage writes the interactive page.
func (p Program) writePage(ctx context.Context, o reviewOptions, kind inputKind) error {
	if o.out == "" {
		o.out = pageName
	}
	module, err := page.Embedded()
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	if o.in == "" {
		err := p.write(o.out, func(w io.Writer) error { return module.WriteEmpty(w, o.title, p.Version) })
		return p.written(o.out, err)
	}
	content, err := interruptible(ctx, p, "Computing the page", func(ctx context.Context) (pageContent, error) {
		return p.computePage(ctx, o, kind)
	})
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	err = p.write(o.out, func(w io.Writer) error { return module.Write(w, content.model, content.view) })
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

// pageContent is a model and the first view of it, with which the page opens.
type pageContent struct {
	model *whatif.Model
	view  *whatif.View
}

func (p Program) computePage(ctx context.Context, o reviewOptions, kind inputKind) (pageContent, error) {
	of := p.modelOfPlan
	if kind == inventoryInput {
		of = p.modelOfInventory
	}
	model, result, err := of(ctx, o)
	if err != nil {
		return pageContent{}, err
	}
	model.Title, model.Program = wording.Clean(o.title), p.Version
	opened, err := whatif.Open(model)
	if err != nil {
		return pageContent{}, err
	}
	view, err := opened.View(ctx, *result)
	return pageContent{model, view}, err
}

func (p Program) modelOfPlan(_ context.Context, o reviewOptions) (*whatif.Model, *promise.Result, error) {
	text, err := readAll(o.in, p.In)
	if err != nil {
		return nil, nil, err
	}
	document, err := o.readInput(text)
	if err != nil {
		return nil, nil, err
	}
	name := wording.Clean(filepath.Base(o.in))
	if o.in == "-" {
		name = ""
	}
	model, result := page.FromDocument(name, document)
	if result == nil {
		const text = "%s: contains no result of vsla_sla_plan; add it for the tiers, and plan again"
		return nil, nil, fmt.Errorf(text, o.in)
	}
	return model, result, nil
}

func (p Program) modelOfInventory(ctx context.Context, o reviewOptions) (*whatif.Model, *promise.Result, error) {
	computed, _, err := o.read(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	model := source.FromReview(wording.Clean(filepath.Base(o.in)), computed)
	if model.Files, err = digestFiles(o.in, o.tiers); err != nil {
		return nil, nil, err
	}
	return model, &computed.Promised, err
}
