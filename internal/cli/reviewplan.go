package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

// readReview reviews a plan or a state.
func (o *reviewOptions) readReview(ctx context.Context, stdin io.Reader, cover report.Cover) (reviewed, error) {
	text, err := readAll(o.in, stdin)
	if err != nil {
		return reviewed{}, err
	}
	document, err := o.readInput(text)
	if err != nil {
		return reviewed{}, err
	}
	var plan *tfplan.Plan
	if document.Source().Kind == "plan" {
		if plan, err = tfplan.Read(text); err != nil {
			return reviewed{}, fmt.Errorf("%s: %w", o.in, err)
		}
		for _, f := range judge.UnknownInputs(plan) {
			note := f.Address + " " + f.Message
			if !strings.HasSuffix(note, "?") {
				note += "."
			}
			cover.Notes = append(cover.Notes, note)
		}
	}
	moves := migrationPlans(document)
	if o.baseline == "" {
		return reviewed{cover.Build(ctx, document), nil, moves}, nil
	}
	former, err := readAll(o.baseline, stdin)
	if err != nil {
		return reviewed{}, err
	}
	before, err := readDocument(o.baseline, bytes.NewReader(former))
	if err != nil {
		return reviewed{}, err
	}
	d := difference.New(before, document, weakened(plan)...)
	cover.Changes = d.Review(wording.Clean(filepath.Base(o.baseline)))
	return reviewed{cover.Build(ctx, document), d, moves}, nil
}

// readInput reads a plan or a state.
func (o *reviewOptions) readInput(text []byte) (*document.Document, error) {
	read, err := readDocument(o.in, bytes.NewReader(text))
	if err != nil && o.in == "-" {
		err = fmt.Errorf("%w; an inventory cannot be read from standard input: name its file", err)
	}
	return read, err
}

// weakened returns what a plan protects less. A state, for which plan is nil, protects what it protects.
func weakened(plan *tfplan.Plan) []finding.Finding {
	if plan == nil {
		return nil
	}
	table := protection.Compare(plan, func(string) (float64, bool) { return 0, false })
	return append(table.Findings(), table.Lost()...)
}

func readDocument(name string, in io.Reader) (*document.Document, error) {
	if name == "-" {
		name = "standard input"
	}
	digest := sha256.New()
	read, err := document.Read(io.TeeReader(in, digest))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	read.AddFiles(assess.NewFile(name, digest.Sum(nil)))
	return read, nil
}
