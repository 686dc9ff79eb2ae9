// Sheets, read row by row. Formulas are not evaluated; their stored results are used.

package inventoryfile

import (
	"errors"
	"slices"
	"strconv"
)

// Limits of Excel.
const (
	maxSheetRow    = 1 << 20
	maxSheetColumn = 1 << 14
)

// sheetReader reads the rows of one sheet.
type sheetReader struct {
	*tagReader

	archive *archive
	sheet   string
	row     int
	// buffer contains the texts of the row; ends contains the end of each cell's text. Texts of the string table are in
	// shared instead.
	buffer []byte
	ends   []int
	shared []string
	cells  []string
}

func (a *archive) read(sheet string, visit func(cells []string, number int) error) error {
	part := a.part(a.partBySheet[sheet])
	if part == nil {
		return fileError("sheet %q cannot be read: the archive does not contain it", sheet)
	}
	if err := a.readStrings(); err != nil {
		return err
	}
	return a.scan(part, maxUnpackedBytes, func(tags *tagReader) error {
		s := &sheetReader{tagReader: tags, archive: a, sheet: sheet}
		return s.readRows(visit)
	})
}

func (s *sheetReader) readRows(visit func(cells []string, number int) error) error {
	for {
		if err := s.next(); err != nil {
			return s.wrapError(err)
		}
		if !s.is("row") || !s.opens {
			continue
		}
		number, err := s.row+1, error(nil)
		if text := s.attribute("r"); len(text) > 0 {
			number, err = strconv.Atoi(string(text))
		}
		switch {
		case err != nil, number <= s.row:
			return fileError(
				"sheet %q is damaged: the row after row %d has an invalid or out-of-order number",
				s.sheet,
				s.row,
			)
		case number > maxSheetRow:
			return fileError("sheet %q is damaged: row %d is beyond the last row of Excel", s.sheet, number)
		}
		s.row = number
		if s.closes {
			continue
		}
		if err := s.readRow(); err != nil {
			return err
		}
		if s.isFilled() {
			cleanCells(s.cells)
			if err := visit(s.cells, s.row); err != nil {
				return err
			}
		}
	}
}

// readRow reads the cells up to the end of the row.
func (s *sheetReader) readRow() error {
	s.buffer = s.buffer[:0]
	s.ends = s.ends[:0]
	s.shared = s.shared[:0]
	for {
		if err := s.next(); err != nil {
			return s.wrapError(err)
		}
		switch {
		case s.is("row"):
			s.join()
			return nil
		case s.is("c") && s.opens:
			if err := s.startCell(); err != nil {
				return err
			}
		}
	}
}

// startCell reads a cell, up to its end.
func (s *sheetReader) startCell() error {
	column, ok := len(s.ends), true
	if at := s.attribute("r"); len(at) > 0 {
		column, ok = columnOf(at)
	}
	if !ok || column < len(s.ends) || column >= maxSheetColumn {
		return fileError("sheet %q, row %d cannot be read: a cell is out of order or beyond the last column of Excel",
			s.sheet, s.row)
	}
	kind, percent := kindOf(s.attribute("t")), false
	if len(s.archive.percentStyles) > 0 {
		percent = kind == numberCell && s.archive.percentStyles[string(s.attribute("s"))]
	}
	if s.closes {
		return nil
	}
	start := len(s.buffer)
	for len(s.ends) < column {
		s.ends, s.shared = append(s.ends, start), append(s.shared, "")
	}
	if err := s.readCell(); err != nil {
		return err
	}
	if len(s.buffer)-start > maxCellBytes || len(s.buffer) > maxRowBytes {
		return s.wrapError(errTooLong)
	}
	shared, err := s.endCell(kind, percent, start, column)
	s.ends, s.shared = append(s.ends, len(s.buffer)), append(s.shared, shared)
	return err
}

type cellKind int

const (
	otherCell cellKind = iota
	numberCell
	sharedCell
)

func kindOf(attribute []byte) cellKind {
	switch string(attribute) {
	case "", "n":
		return numberCell
	case "s":
		return sharedCell
	}
	return otherCell
}

// endCell returns the shared string of a cell, whose value starts at start in the buffer.
func (s *sheetReader) endCell(kind cellKind, percent bool, start, column int) (shared string, err error) {
	switch text := s.buffer[start:]; {
	case len(text) == 0:
	case percent:
		s.archive.percentColumns[sheetColumn{s.sheet, column}] = true
	case kind == sharedCell:
		var ok bool
		if shared, ok = s.archive.strings.at(text); !ok {
			return "", fileError("sheet %q is damaged: row %d refers to a string that does not exist", s.sheet, s.row)
		}
		s.buffer = s.buffer[:start]
	}
	return shared, nil
}

// readCell adds the value of a cell to the buffer: the result of a formula, a number or an inline string.
func (s *sheetReader) readCell() error {
	phonetic := false
	for {
		if err := s.next(); err != nil {
			return s.wrapError(err)
		}
		switch {
		case s.is("c") && s.closes:
			return nil
		case s.is("row"):
			return fileError("sheet %q is damaged: row %d ends within a cell", s.sheet, s.row)
		case s.is("rPh"):
			phonetic = s.opens && !s.closes
		case s.closes && !s.opens && !phonetic && (s.is("v") || s.is("t")):
			var ok bool
			if s.buffer, ok = s.appendText(s.buffer); !ok {
				return fileError("sheet %q is damaged: row %d contains an invalid XML reference", s.sheet, s.row)
			}
		}
	}
}

// join converts the texts of the row to cells. All texts that are not shared are parts of one string.
func (s *sheetReader) join() {
	text, start := string(s.buffer), 0
	s.cells = s.cells[:0]
	for i, end := range s.ends {
		if cell := s.shared[i]; cell != "" {
			s.cells = append(s.cells, cell)
		} else {
			s.cells = append(s.cells, text[start:end])
		}
		start = end
	}
}

func (s *sheetReader) isFilled() bool { return slices.ContainsFunc(s.cells, isFilled) }

func (s *sheetReader) wrapError(err error) error {
	if errors.Is(err, errTooLong) {
		return fileError(
			"sheet %q, row %d: a cell must have at most 32,767 characters, and a row at most 4 MiB",
			s.sheet,
			s.row,
		)
	}
	return err
}

// columnOf returns the column of a cell position such as B7, from 0.
func columnOf(position []byte) (column int, ok bool) {
	letters := 0
	for _, c := range position {
		if c >= '0' && c <= '9' {
			break
		}
		if c |= ' '; c < 'a' || c > 'z' || letters == len("XFD") {
			return 0, false
		}
		column = column*26 + int(c-'a') + 1
		letters++
	}
	return column - 1, letters > 0
}

// columnName returns the letters of a column, from 0.
func columnName(column int) string {
	name := ""
	for column++; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

// stringTable contains the shared strings of a workbook in blocks, because growing a single slice copies it and
// temporarily doubles the memory.
type stringTable struct {
	blocks []string
	// ends contains, for each string, its block and its end in the block.
	ends []stringEnd
}

type stringEnd struct{ block, end uint32 }

const (
	blockBytes     = 256 << 10
	maxStrings     = 600_000
	maxStringBytes = 128 << 20
)

func (t *stringTable) at(index []byte) (string, bool) {
	i := 0
	for _, c := range index {
		if i = i*10 + int(c-'0'); c < '0' || c > '9' || i >= maxStrings {
			return "", false
		}
	}
	if t == nil || i >= len(t.ends) {
		return "", false
	}
	start := uint32(0)
	if i > 0 && t.ends[i-1].block == t.ends[i].block {
		start = t.ends[i-1].end
	}
	return t.blocks[t.ends[i].block][start:t.ends[i].end], true
}

// readStrings reads the string table once. A workbook without a string table has only inline strings.
func (a *archive) readStrings() error {
	part := a.part(stringsPart)
	if a.strings != nil || part == nil {
		return nil
	}
	a.strings = &stringTable{}
	return a.scan(part, maxUnpackedBytes, func(tags *tagReader) error {
		r := stringReader{tagReader: tags, table: a.strings}
		for {
			if err := r.readTag(); err != nil {
				r.flush()
				return err
			}
		}
	})
}

type stringReader struct {
	*tagReader

	table *stringTable
	// block contains the strings that are not in a block of the table yet. start is the start of the current string.
	block       []byte
	start, size int
	phonetic    bool
}

func (r *stringReader) flush() {
	r.table.blocks = append(r.table.blocks, string(r.block))
	r.block = r.block[:0]
}

func (r *stringReader) readTag() error {
	number := len(r.table.ends) + 1
	err := r.next()
	switch {
	case errors.Is(err, errTooLong):
		return tooLongString(number)
	case err != nil:
		return err
	case r.is("si") && r.opens:
		if len(r.block) > blockBytes {
			r.flush()
		}
		r.start = len(r.block)
	case r.is("rPh"):
		r.phonetic = r.opens && !r.closes
	case r.is("t") && !r.opens && !r.phonetic:
		var ok bool
		if r.block, ok = r.appendText(r.block); !ok {
			return fileError("the Excel file is damaged: its string %d contains an invalid XML reference", number)
		}
	}
	if r.is("si") && r.closes {
		return r.endString(number)
	}
	return nil
}

func (r *stringReader) endString(number int) error {
	length := len(r.block) - r.start
	if length > maxCellBytes {
		return tooLongString(number)
	}
	if r.size += length; number > maxStrings || r.size > maxStringBytes {
		return fileError("the Excel file has more than %d different strings or %d MiB of text. Keep only the sheets "+
			"vInfo, vDisk and vPartition, or save vInfo as CSV", maxStrings, maxStringBytes>>20)
	}
	//nolint:gosec // the number of blocks and the size of a block are limited
	r.table.ends = append(r.table.ends, stringEnd{uint32(len(r.table.blocks)), uint32(len(r.block))})
	return nil
}

func tooLongString(number int) error {
	return fileError(
		"the Excel file has a string of more than 32,767 characters, number %d of its shared strings",
		number,
	)
}
