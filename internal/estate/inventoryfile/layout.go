// Layout of the rows below a header row.

package inventoryfile

// applyHeaders applies a row to the rows that follow if it is another header row, as in concatenated files. It returns
// false for other rows.
func (b *builder) applyHeaders(cells []string) (bool, error) {
	if b.layout.isHeaderRow(cells) {
		b.width = max(b.width, len(cells))
		return true, nil
	}
	if !hasHeader(cells, b.kind.headers[fieldName]) {
		return false, nil
	}
	found, missing, err := matchHeaders(cells, b.kind.headers, b.sizesElsewhere)
	if missing != nil || err != nil {
		return false, err
	}
	return true, b.setLayout(found, cells)
}

func (b *builder) setLayout(found layout, header []string) error {
	b.layout = found
	b.width = len(header)
	if err := b.kept.setHeader(header, b.options.KeepColumns); err != nil {
		return err
	}
	b.ids.setHeader(header, found)
	if b.options.Survey {
		b.survey.setHeader(header, found)
	}
	return nil
}
