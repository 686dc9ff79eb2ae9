// Percent formats of cells.

package inventoryfile

import (
	"regexp"
	"strconv"
	"strings"
)

type sheetColumn struct {
	sheet  string
	column int // from 0
}

var literalFormat = regexp.MustCompile(`"[^"]*"|\\.`)

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
