// Percent formats of cells. The Excel library returns numbers without their formats.

package inventoryfile

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

type sheetColumn struct {
	sheet  string
	column int // from 0
}

var (
	cellAttribute = regexp.MustCompile(`\s([rst])\s*=\s*["']([^"']*)["']`)
	literalFormat = regexp.MustCompile(`"[^"]*"|\\.`)
)

func (a *archive) readPercentStyles() error {
	if a.part(stylesPart) == nil {
		return nil
	}
	var styles struct {
		Formats []struct {
			ID   string `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format string `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := a.decode(stylesPart, &styles); err != nil {
		return fileError("the Excel file is damaged: %v", err)
	}
	formats := map[string]bool{"9": true, "10": true} // built-in: 0% and 0.00%
	for _, f := range styles.Formats {
		formats[f.ID] = strings.Contains(literalFormat.ReplaceAllString(f.Code, ""), "%")
	}
	a.percentStyles, a.percentColumns = map[string]bool{}, map[sheetColumn]bool{}
	for i, c := range styles.Cells {
		if formats[c.Format] {
			a.percentStyles[strconv.Itoa(i)] = true
		}
	}
	return nil
}

// cellFormat returns the column of a cell and reports whether the cell shows a number as a percentage. next is the
// column of a cell that states none.
func (a *archive) cellFormat(attributes []byte, next int) (column int, percent bool) {
	attributes, _, _ = bytes.Cut(attributes, []byte(">"))
	style, isNumber := "0", true
	for _, found := range cellAttribute.FindAllSubmatch(attributes, -1) {
		switch value := string(found[2]); string(found[1]) {
		case "r":
			if position, _, err := excelize.CellNameToCoordinates(value); err == nil {
				next = position - 1
			}
		case "s":
			style = value
		default:
			isNumber = value == "n"
		}
	}
	return next, isNumber && a.percentStyles[style]
}
