// Rows of the VM table. A single number can determine the decimal separator of the whole file, so both interpretations
// are kept until the end.

package inventoryfile

import (
	"iter"
	"slices"
	"strings"
)

type builder struct {
	options Options
	format  string
	table   string
	kind    headerKind
	layout  layout
	width   int // number of cells in the header row
	kept    keptColumns
	// sizesElsewhere is set if the file has tables of disks or file systems.
	sizesElsewhere bool
	// widest is the number of cells in the longest row that might be a header row.
	widest int

	rows      rowChunks
	numRows   int // including the rows that are not in rows
	excluded  []vmIdentity
	skipped   []Skipped
	notes     []string
	totals    totals
	ids       unknownIDs
	survey    survey
	numbers   decimals
	errs      readingErrors
	longTexts longTexts
	seen      seenVMs
}

func newBuilder(o Options, table string) *builder {
	return &builder{
		options:   o,
		table:     table,
		longTexts: longTexts{texts: map[string]bool{}},
		seen:      seenVMs{},
	}
}

// progressRows is the number of rows between two calls of Options.Progress.
const progressRows = 500

func (b *builder) add(cells []string, number int) error {
	isHeader, err := b.applyHeaders(cells)
	if isHeader || err != nil {
		return err
	}
	if err := b.checkRow(cells, number); err != nil {
		return err
	}
	r, reason, err := b.readRow(cells, number)
	if err != nil {
		return err
	}
	b.observe(cells)
	if reason != SkippedNoName && !b.options.match(&r.vm) {
		b.excluded = append(b.excluded, r.identity())
		return nil
	}
	if err := b.convertNumbers(r, cells, number); err != nil {
		return err
	}
	b.totals.observe(r)
	b.store(r, reason)
	return nil
}

func (b *builder) checkRow(cells []string, number int) error {
	if err := b.checkWidth(cells, number); err != nil {
		return err
	}
	b.numRows++
	if b.numRows > maxRows {
		return fileError("the file has more than %d VM rows", maxRows)
	}
	return b.layout.checkCells(cells, b.table, number)
}

// store stores a row or, if there is a reason to skip it, that reason. Inaccessible VMs are stored and skipped.
func (b *builder) store(r *row, reason string) {
	if reason == "" && !b.seen.add(r) {
		reason = SkippedDuplicate
	}
	if reason != "" {
		b.skip(r, reason)
	}
	switch reason {
	case "", SkippedInaccessible:
		r.vm.Inaccessible = reason == SkippedInaccessible
		b.rows.add(*r)
	default:
		b.excluded = append(b.excluded, r.identity())
	}
}

// observe collects what the result says about the columns that are not read, and reports the progress.
func (b *builder) observe(cells []string) {
	b.ids.observe(cells)
	b.survey.observe(cells)
	if b.options.Progress != nil && b.numRows%progressRows == 0 {
		b.options.Progress(b.numRows)
	}
}

func (b *builder) skip(r *row, reason string) {
	b.skipped = append(b.skipped, Skipped{
		Sheet:  b.table,
		Row:    r.vm.Row,
		ID:     r.vm.ID,
		Name:   r.vm.Name,
		Reason: reason,
	})
}

func (b *builder) checkWidth(cells []string, number int) error {
	if !b.isSheet() && slices.ContainsFunc(cells[min(b.width, len(cells)):], isFilled) {
		return fileError("row %d has %d cells, but the header row has %d. Enclose cells that contain the delimiter, "+
			"such as the number 204,800, in quotation marks", number, len(cells), b.width)
	}
	return nil
}

// isSheet reports whether the table is a sheet of a workbook, whose cells have no delimiter.
func (b *builder) isSheet() bool {
	return b.table != "" && !strings.HasSuffix(strings.ToLower(b.table), csvExtension)
}

// identities iterates over the VMs of all rows.
func (b *builder) identities() iter.Seq[vmIdentity] {
	return func(yield func(vmIdentity) bool) {
		for _, chunk := range b.rows.all {
			for i := range chunk {
				if !yield(chunk[i].identity()) {
					return
				}
			}
		}
		for _, other := range b.excluded {
			if !yield(other) {
				return
			}
		}
	}
}

func isFilled(text string) bool { return strings.TrimSpace(text) != "" }
