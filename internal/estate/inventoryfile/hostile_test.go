package inventoryfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func TestRead_hostile(t *testing.T) {
	t.Parallel()
	good := newWorkbook(t, map[string][][]any{"vInfo": {version4, vm("a", "vm-1", 1, 1, 1)}})
	rows := func(rows ...[]any) []byte {
		return newWorkbook(t, map[string][][]any{"vInfo": slices.Concat([][]any{version4}, rows)})
	}
	change := func(at int, value any) []byte {
		row := vm("a", "vm-1", 1, 1, 1)
		row[at] = value
		return rows(row)
	}
	for name, run := range map[string]struct {
		content []byte
		options inventoryfile.Options
		says    string
	}{
		"empty":       {nil, inventoryfile.Options{}, "the file is empty"},
		"blank lines": {[]byte("\n\n"), inventoryfile.Options{}, "has no headers"},
		"old Excel": {
			[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
			inventoryfile.Options{},
			"a sensitivity label or a password, or has the old Excel",
		},
		"cut off": {good[:len(good)/2], inventoryfile.Options{}, "damaged or truncated"},
		"another archive": {
			archiveOf(t, part{name: "README"}),
			inventoryfile.Options{},
			"neither an Excel workbook (xlsx) nor does it contain CSV files",
		},
		"binary": {
			[]byte("a\x00\x00\x00b\x01\x02"),
			inventoryfile.Options{},
			"neither an Excel file nor a text file",
		},
		"no VMs": {
			newWorkbook(t, map[string][][]any{"vHost": {{"Host"}}}),
			inventoryfile.Options{},
			"no VM table",
		},
		"no headers": {
			newWorkbook(t, map[string][][]any{"vInfo": {
				{"VM"},
				{"a"},
			}}), inventoryfile.Options{}, `no column "In Use MiB"`,
		},
		"a plan":           {[]byte("{\n \"format_version\": \"1.2\"}"), inventoryfile.Options{}, "the file is JSON"},
		"another CSV":      {[]byte("a,b\n1,2\n"), inventoryfile.Options{}, "set columns"},
		"csv, Excel":       {good, inventoryfile.Options{Format: inventoryfile.CSV}, `format "csv" requires columns`},
		"Live Optics, CSV": {[]byte("VM Name\n"), inventoryfile.Options{Format: inventoryfile.LiveOptics}, "no column"},
		"Live Optics":      {good, inventoryfile.Options{Format: inventoryfile.LiveOptics}, "no VM table"},
		"ambiguous": {
			change(7, "1.234"),
			inventoryfile.Options{},
			`sheet "vInfo", row 2, column "In Use MiB", VM "a": "1.234" is ambiguous`,
		},
		"no unit": {change(7, "40 GiB"), inventoryfile.Options{}, "a number in the unit of the column"},
		"two units": {
			change(7, "40 GB"),
			inventoryfile.Options{},
			`row 2, column "In Use MiB", VM "a": "40 GB" is ambiguous: 40 times 10^9 bytes or times 1073741824 bytes`,
		},
		"no number": {
			change(7, "n/a"),
			inventoryfile.Options{},
			`row 2, column "In Use MiB", VM "a": must be a number, got "n/a"`,
		},
		"no flag":  {change(2, "maybe"), inventoryfile.Options{}, `column "Template", VM "a": must be true or false`},
		"no state": {change(1, "asleep"), inventoryfile.Options{}, `column "Powerstate", VM "a": must be poweredOn`},
		"open quotation": {
			[]byte("VM,In Use MiB\n\"a," + strings.Repeat("x", 5<<20)),
			inventoryfile.Options{},
			"a quotation mark may be missing",
		},
		"delimiter in a number": {
			[]byte("VM,Memory,In Use MiB\na,16384,204800,\nb,16384,204,800,000\n"),
			inventoryfile.Options{},
			"row 3 has 5 cells, but the header row has 3. Enclose cells that contain the delimiter",
		},
		"open quotation, many rows": {
			[]byte("VM,In Use MiB,Note\na,1,x\nb,2,\"y\nc,3,z\nd,4,z\n"),
			inventoryfile.Options{},
			"line 3: a cell starts with a quotation mark but does not end",
		},
		"open quotation, closed by the next row's": {
			[]byte("VM,In Use MiB,Note\na,1,\"x\n\"b\",2,\"y\"\nc,3,z\n"),
			inventoryfile.Options{},
			"line 2: a cell starts with a quotation mark but does not end",
		},
		"open quotation, in the size": {
			[]byte("VM,In Use MiB,Note\na,\"1,x\nb,2,y\nc,3,z\n"),
			inventoryfile.Options{},
			"line 2: a cell starts with a quotation mark",
		},
		"open quotation, where others span lines": {
			[]byte("VM,In Use MiB,Note\na,1,\"x\ny\"\nb,2,\"x\nc,3,z\nd,4,z\n"),
			inventoryfile.Options{},
			"line 4: a cell starts with a quotation mark but does not end",
		},
		"open quotation, short rows": {
			[]byte("VM,In Use MiB,Note\na,1\nb,2,\"x\nc,3\n"),
			inventoryfile.Options{},
			"line 3: a cell starts with a quotation mark but does not end",
		},
		"open quotation, in the last row": {
			[]byte("VM,In Use MiB,Note\na,1,\"x\ny\"\nb,2,\"x\ny \"\"rack\"\"\n"),
			inventoryfile.Options{},
			"line 4: a cell starts with a quotation mark but does not end",
		},
		"quotation mark within a cell": {
			[]byte("VM,In Use MiB,Note\na,1,a 19\" rack\n"),
			inventoryfile.Options{},
			"line 2: a cell contains a quotation mark",
		},
		"large cell": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("x", 2<<20) + ",1\n"),
			inventoryfile.Options{},
			`row 2, column "VM"`,
		},
		"no encoding": {
			[]byte("VM,In Use MiB\nB\xfcr\x81,1\n"),
			inventoryfile.Options{},
			`Save the file as "CSV UTF-8"`,
		},
		"two encodings": {
			[]byte("VM,In Use MiB\nä\nB\xfcro,1\n"),
			inventoryfile.Options{},
			`Save the file as "CSV UTF-8"`,
		},
		"too many rows": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("a,1\n", 100_001)),
			inventoryfile.Options{},
			"more than 100000 VM rows",
		},
		"a million rows": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("a,1\n", 1_000_000)),
			inventoryfile.Options{},
			"more than 100000 VM rows",
		},
	} {
		_, err := inventoryfile.Read(bytes.NewReader(run.content), run.options)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
		assert.LessOrEqual(t, len(fmt.Sprint(err)), 1000, name)
	}
}

func TestRead_beyondExcel(t *testing.T) {
	t.Parallel()
	const cell = `<c t="inlineStr"><is><t>a</t></is></c>`
	long := `<c t="inlineStr"><is><t>` + strings.Repeat("x", 140_000) + `</t></is></c>`
	for name, test := range map[string]struct{ begin, cells, want string }{
		"row 9e18":    {`<row r="9000000000000000000">`, cell, "is beyond the last row of Excel"},
		"row 2e9":     {`<row r="2000000000">`, cell, "row 2000000000 is beyond the last row of Excel"},
		"quoted row":  {`<row r='2000000000'>`, cell, "row 2000000000 is beyond the last row of Excel"},
		"column":      {`<row r="2">`, `<c r="ZZZZ2" t="inlineStr"><is><t>a</t></is></c>`, "row 2 cannot be read"},
		"a long text": {`<row r="2">`, long, "at most 32,767"},
	} {
		header := `<row r="1"><c t="inlineStr"><is><t>VM</t></is></c><c t="inlineStr"><is><t>In Use ` +
			`MiB</t></is></c></row>`
		part := sheet(test.cells, 1, sheetEnd)
		part.begin = `<worksheet` + namespace + `><sheetData>` + header + test.begin
		content := archiveOf(t, append(frame(), part)...)
		_, err := inventoryfile.Read(bytes.NewReader(content), inventoryfile.Options{})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}

func TestRead_formula(t *testing.T) {
	t.Parallel()
	row := vm("a", "vm-1", 1, 1, 1)
	row[7] = excelize.Cell{Formula: "1+1", Value: 512}
	link := vm("b", "vm-2", 1, 1, 1)
	link[7] = excelize.Cell{Formula: "'[other.xlsx]Sheet1'!A1"}
	got := read(t, newWorkbook(t, map[string][][]any{"vInfo": {version4, row, link}}), inventoryfile.Options{})
	require.Len(t, got.VMs, 2)
	assert.EqualValues(t, 512<<20, *got.VMs[0].UsedBytes)
	require.Len(t, got.Skipped, 1)
	assert.Equal(t, inventoryfile.SkippedNoSize, got.Skipped[0].Reason)
}

func TestRead_broken(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	content := io.MultiReader(strings.NewReader("VM,In Use MiB\na,1\n"), &failingReader{broken})
	_, err := inventoryfile.Read(content, inventoryfile.Options{})
	assert.ErrorIs(t, err, broken)
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }

// TestRead_disguise verifies that no name contains characters that could disguise the text around it.
func TestRead_disguise(t *testing.T) {
	t.Parallel()
	for kind, content := range map[string][]byte{
		"workbook": newWorkbook(t, map[string][][]any{"vInfo": {version4, vm("a\u202eb\nc", "vm-1", 1, 1, 1)}}),
		"text":     []byte("VM,VM ID,In Use MiB\n\"a\u202eb\nc\",vm-1,1\n"),
	} {
		found, err := inventoryfile.Read(bytes.NewReader(content), inventoryfile.Options{})
		require.NoError(t, err, kind)
		require.Len(t, found.VMs, 1, kind)
		assert.Equal(t, "a\ufffdb c", found.VMs[0].Name, kind)
	}
}
