package inventoryfile_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// part is an archive member whose content consists of a beginning, a string that is repeated, and an end.
type part struct {
	name          string
	begin, repeat string
	times         int
	end           string
	// declaredSize is the uncompressed size stated in the archive. It defaults to the real size.
	declaredSize uint64
}

func (p part) write(w io.Writer) error {
	if _, err := io.WriteString(w, p.begin); err != nil {
		return err
	}
	const block = 1000
	many := strings.Repeat(p.repeat, min(block, p.times))
	for left := p.times; left > 0; left -= block {
		if _, err := io.WriteString(w, many[:len(p.repeat)*min(block, left)]); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, p.end)
	return err
}

func archiveOf(t *testing.T, parts ...part) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		var packed bytes.Buffer
		deflate, err := flate.NewWriter(&packed, flate.BestSpeed)
		require.NoError(t, err)
		sum, size := crc32.NewIEEE(), &counter{}
		require.NoError(t, p.write(io.MultiWriter(deflate, sum, size)))
		require.NoError(t, deflate.Close())
		if p.declaredSize > 0 {
			size.n = p.declaredSize
		}
		raw, err := w.CreateRaw(&zip.FileHeader{
			Name:               p.name,
			Method:             zip.Deflate,
			CRC32:              sum.Sum32(),
			CompressedSize64:   uint64(packed.Len()),
			UncompressedSize64: size.n,
		})
		require.NoError(t, err)
		_, err = raw.Write(packed.Bytes())
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

type counter struct{ n uint64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += uint64(len(p))
	return len(p), nil
}

const (
	namespace = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	headerRow = `<row r="1"><c t="inlineStr"><is><t>VM</t></is></c><c t="inlineStr"><is><t>In Use ` +
		`MiB</t></is></c></row>`
	vmCells  = `<c t="inlineStr"><is><t>a</t></is></c><c><v>1</v></c>`
	vmRow    = `<row>` + vmCells + `</row>`
	sheetEnd = `</sheetData></worksheet>`
)

func frame() []part {
	const relations = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	return []part{
		{
			name:  "[Content_Types].xml",
			begin: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		},
		{
			name: "_rels/.rels",
			begin: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
				`<Relationship Id="r1" ` +
				`Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		},
		{
			name: "xl/workbook.xml",
			begin: `<workbook` + namespace + ` xmlns:r="` + relations + `"><sheets>` +
				`<sheet name="vInfo" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		},
		{
			name: "xl/_rels/workbook.xml.rels",
			begin: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
				`<Relationship Id="rId1" Type="` + relations +
				`/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		},
	}
}

func sheet(repeat string, times int, end string) part {
	return part{
		name:   "xl/worksheets/sheet1.xml",
		begin:  `<worksheet` + namespace + `><sheetData>` + headerRow,
		repeat: repeat,
		times:  times,
		end:    end,
	}
}

func TestRead_archive(t *testing.T) {
	t.Parallel()
	texts := func(p part) part {
		p.name = "xl/sharedStrings.xml"
		p.begin = "<sst" + namespace + ">"
		p.end = "</sst>"
		return p
	}
	good := sheet(vmRow, 3, sheetEnd)
	largeCell := `<c t="inlineStr"><is><t>` + strings.Repeat("x", 32_000) + `</t></is></c>`
	require.Len(t, read(t, archiveOf(t, append(frame(), good)...), inventoryfile.Options{DuplicateNames: true}).VMs, 3)
	large, lies := good, sheet(" ", 16<<20, sheetEnd)
	large.declaredSize, lies.declaredSize = 1025<<20, 100
	for name, run := range map[string]struct {
		parts []part
		says  string
	}{
		"claims to be large": {append(frame(), large), "too large when unpacked"},
		"claims to be small": {append(frame(), lies), "is damaged"},
		"large frame":        {[]part{{name: "xl/workbook.xml", repeat: " ", times: 5 << 20}}, "larger than 4 MiB"},
		"no sheet":           {frame(), `sheet "vInfo" cannot be read`},
		"a sheet twice":      {append(frame(), good, good), `contains "xl/worksheets/sheet1.xml" twice`},
		"a CSV twice":        {[]part{{name: "a.csv"}, {name: "A.csv"}}, `contains "A.csv" twice`},
		"large cell": {
			append(frame(), sheet("x", 64<<20, sheetEnd)), `sheet "vInfo", row 1: a cell must have at most 32,767`,
		},
		"wide row": {
			append(frame(), sheet("", 0, "<row>"+strings.Repeat("<c><v>1</v></c>", 16_385)+"</row>"+sheetEnd)),
			`sheet "vInfo", row 2 cannot be read: a cell is out of order or beyond the last column of Excel`,
		},
		"large row": {
			append(frame(), sheet("", 0, "<row>"+strings.Repeat(largeCell, 140)+"</row>"+sheetEnd)),
			`sheet "vInfo", row 2: a cell must have at most 32,767 characters, and a row at most 4 MiB`,
		},
		"nested elements": {append(frame(), sheet("<a>", 8<<20, "")), "is truncated"},
		"many texts": {
			append(frame(), good, texts(part{repeat: "<si><t/></si>", times: 600_001})),
			"more than 600000 different strings",
		},
		"large text": {
			append(frame(), good,
				texts(part{repeat: "<si><t>" + strings.Repeat("x", 140_000) + "</t></si>", times: 1})),
			"a string of more than 32,767",
		},
		"a million rows":   {append(frame(), sheet(vmRow, 1_000_000, sheetEnd)), "more than 100000 VM rows"},
		"ends in a row":    {append(frame(), sheet(vmRow, 3, `<row><c t="inlineStr"><is><t>a`)), "is truncated"},
		"ends after a row": {append(frame(), sheet(vmRow, 3, "")), "is truncated"},
		"ends in the texts": {
			append(frame(), good, part{name: "xl/sharedStrings.xml", begin: "<sst" + namespace + "><si><t>a</t></si>"}),
			"is truncated",
		},
		"falling rows": {
			append(frame(), sheet("", 0, `<row r="3">`+vmCells+`</row><row r="2">`+vmCells+`</row>`+sheetEnd)),
			`sheet "vInfo" is damaged: the row after row 3 has an invalid or out-of-order number`,
		},
		"a row number twice, in single quotes": {
			append(frame(),
				sheet("", 0, `<row r="2">`+vmCells+`</row><row spans="1:2" r='2'>`+vmCells+`</row>`+sheetEnd)),
			"the row after row 2 has an invalid or out-of-order number",
		},
		"a row number beyond other attributes": {
			append(frame(),
				sheet("", 0, vmRow+`<row x="`+strings.Repeat("x", 2000)+`" r="2">`+vmCells+`</row>`+sheetEnd)),
			"the row after row 2 has an invalid or out-of-order number",
		},
		"headers alone": {append(frame(), sheet("", 0, sheetEnd)), "there are headers but no rows"},
		"entities": {
			append(frame(), part{
				name: "xl/worksheets/sheet1.xml",
				begin: `<!DOCTYPE worksheet [<!ENTITY x "a">]><worksheet` + namespace +
					`><sheetData>` + headerRow,
				end: vmRow + sheetEnd,
			}), "contains a DOCTYPE declaration",
		},
		"a long name": {
			append(frame(), sheet("", 0, `<row><c t="inlineStr"><is><t>`+strings.Repeat("x", 256)+
				`</t></is></c><c><v>1</v></c></row>`+sheetEnd)), `row 2, column "VM": must have at most 255 characters`,
		},
		"damaged": {
			append(frame(), sheet(vmRow, 2, `<row r="4"><c><v>&nothing;</v></c></row>`+vmRow+sheetEnd)),
			`sheet "vInfo" is damaged: row 4 contains an invalid XML reference`,
		},
	} {
		_, err := inventoryfile.Read(bytes.NewReader(archiveOf(t, run.parts...)), inventoryfile.Options{})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
	}
}
