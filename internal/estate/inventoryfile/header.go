// Header rows.

package inventoryfile

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// headerKind is a kind of header row: that of a known export, of the field names, or of the columns that the user maps.
type headerKind struct {
	format  string
	headers map[string][]string
	columns map[string]string
	own     bool
	// isText is set for a known export as a CSV file.
	isText bool
}

// matched is the layout of a header row. If a row is none, it can contain the problem.
type matched struct {
	layout  layout
	problem error
}

// match returns the layout of a header row. Sizes can be missing if the file has other tables with sizes.
func (k headerKind) match(row []string, sizesElsewhere bool) (matched, error) {
	columns := k.columns
	if k.own {
		columns = ownFields(row)
	}
	switch {
	case columns != nil:
		found, err := mapColumns(row, columns)
		return matched{found, err}, nil
	case k.own:
		return matched{}, nil
	}
	found, missing, err := matchHeaders(row, k.headers, sizesElsewhere)
	switch {
	case err != nil:
		return matched{}, err
	case missing == nil:
		return matched{layout: found}, nil
	case k.isText:
		return matched{problem: fileError("the file is no export of RVTools or Live Optics: it has no column %s in "+
			"its first %d rows. For other files, set columns, or name the columns as RVTools does",
			quoted(missing), maxHeaderRow)}, nil
	}
	return matched{problem: fileError("there is no column %s in the first %d rows", quoted(missing), maxHeaderRow)}, nil
}

// ownFields returns the headers that are field names. It returns nil if the name or the used storage is missing.
func ownFields(header []string) map[string]string {
	own := map[string]string{}
	for _, text := range nonEmptyHeaders(header) {
		if field := normalize(text); slices.Contains(Fields(), field) {
			own[field] = text
		}
	}
	isSize := func(key string) bool {
		field, _, _ := parseField(key)
		return slices.Contains(storageSizes, field)
	}
	if own[fieldName] == "" || !slices.ContainsFunc(slices.Collect(maps.Keys(own)), isSize) {
		return nil
	}
	return own
}

func mapColumns(row []string, columns map[string]string) (layout, error) {
	found := layout{}
	for _, key := range slices.Sorted(maps.Keys(columns)) {
		field, unit, ok := parseField(key)
		if !ok {
			return nil, fileError("columns contains the unknown field %q; the fields are %s", key,
				strings.Join(Fields(), ", "))
		}
		if other, twice := found[field]; twice {
			return nil, fileError(
				"columns contains %q and %q for the same field, %s",
				other[0].header,
				columns[key],
				field,
			)
		}
		i, err := findColumn(row, columns[key])
		if err != nil {
			return nil, err
		}
		if unit > 0 && !unitFits(row[i], unit) {
			return nil, fileError("the unit is ambiguous: columns maps %s to the column %q", key, row[i])
		}
		header := strings.TrimSpace(strings.Clone(row[i]))
		found[field] = []column{{index: i, header: header, unit: unit, isMapped: true}}
	}
	if found[fieldName] == nil || !found.hasSize() {
		return nil, fileError("columns must contain the headers of the VM name (name) and of a size, such as the " +
			"used storage (used_gib, used_mib and so on)")
	}
	return found, nil
}

// matchHeaders maps a header row to the columns of a known export. It also returns the required columns that are
// missing.
func matchHeaders(row []string, headers map[string][]string, sizesElsewhere bool) (layout, []string, error) {
	at := map[string][]int{}
	for i, cell := range row {
		at[normalize(cell)] = append(at[normalize(cell)], i)
	}
	found := layout{}
	for _, field := range slices.Sorted(maps.Keys(headers)) {
		for _, name := range headers[field] {
			indices := at[normalize(name)]
			if len(indices) == 0 {
				continue
			}
			c := column{index: indices[0], header: strings.TrimSpace(strings.Clone(row[indices[0]]))}
			if slices.Contains(sizes, field) {
				c.unit = mib
			}
			found[field] = append(found[field], c)
		}
	}
	if found[fieldName] == nil {
		return nil, headers[fieldName][:1], nil
	}
	const few = 3
	if !found.hasSize() && (!sizesElsewhere || len(found) < few) {
		return nil, headers[fieldUsed][:1], nil
	}
	for _, columns := range found {
		for _, c := range columns {
			if twice := at[normalize(c.header)]; len(twice) > 1 {
				return nil, nil, twoColumns(c.header, twice[0], twice[1])
			}
		}
	}
	return found, nil, nil
}

func twoColumns(header string, first, second int) error {
	return fileError(
		"there are two columns named %q, %s and %s. Rename or delete one of them",
		header,
		columnName(first),
		columnName(second),
	)
}

func (l layout) hasSize() bool {
	return slices.ContainsFunc(storageSizes, func(size string) bool { return l[size] != nil })
}

// isHeaderRow reports whether a row repeats the header row.
func (l layout) isHeaderRow(row []string) bool {
	for _, columns := range l {
		if c := columns[0]; c.index >= len(row) || normalize(row[c.index]) != normalize(c.header) {
			return false
		}
	}
	return true
}

// hasHeader reports whether a row contains one of the headers.
func hasHeader(row, headers []string) bool {
	for _, cell := range row {
		if cell != "" && (cell[0] == '"' || cell[0] >= utf8.RuneSelf || cell[0] == ' ') {
			cell = strings.Trim(cell, "\ufeff\" ")
		}
		for _, header := range headers {
			if len(cell) == len(header) && strings.EqualFold(cell, header) {
				return true
			}
		}
	}
	return false
}
