package inventoryfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"runtime"
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
		"empty":           {nil, inventoryfile.Options{}, "the file is empty"},
		"blank lines":     {[]byte("\n\n"), inventoryfile.Options{}, "has no headers"},
		"old Excel":       {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), inventoryfile.Options{}, "old Excel format"},
		"cut off":         {good[:len(good)/2], inventoryfile.Options{}, "damaged or truncated"},
		"another archive": {archiveOf(t, part{name: "README"}), inventoryfile.Options{}, "not an Excel workbook"},
		"binary":          {[]byte("a\x00\x00\x00b\x01\x02"), inventoryfile.Options{}, "neither an Excel file nor a text file"},
		"no VMs":          {newWorkbook(t, map[string][][]any{"vHost": {{"Host"}}}), inventoryfile.Options{}, "no VM sheet"},
		"no headers": {
			newWorkbook(t, map[string][][]any{"vInfo": {{"VM"}, {"a"}}}), inventoryfile.Options{}, `no column "In Use MiB"`,
		},
		"another CSV":      {[]byte("a,b\n1,2\n"), inventoryfile.Options{}, "set columns"},
		"csv, Excel":       {good, inventoryfile.Options{Format: inventoryfile.CSV}, `format "csv" requires columns`},
		"Live Optics, CSV": {[]byte("VM Name\n"), inventoryfile.Options{Format: inventoryfile.LiveOptics}, "are xlsx files"},
		"Live Optics":      {good, inventoryfile.Options{Format: inventoryfile.LiveOptics}, "no VM sheet"},
		"ambiguous": {
			change(7, "1.234"),
			inventoryfile.Options{},
			`sheet "vInfo", row 2, column "In Use MiB": "1.234" is ambiguous`,
		},
		"no unit": {change(7, "40 GiB"), inventoryfile.Options{}, "a number in the unit of the column"},
		"two units": {
			change(7, "40 GB"),
			inventoryfile.Options{},
			`row 2, column "In Use MiB": "40 GB" is ambiguous: 40 times 10^9 bytes or times 1073741824 bytes`,
		},
		"no number":  {change(7, "n/a"), inventoryfile.Options{}, `row 2, column "In Use MiB": must be a number`},
		"negative":   {change(5, -1), inventoryfile.Options{}, "must be from 0 to 4 PiB"},
		"half a CPU": {change(4, "1.5"), inventoryfile.Options{}, "must be a whole number"},
		"no flag":    {change(2, "maybe"), inventoryfile.Options{}, `column "Template": must be true or false`},
		"no state":   {change(1, "asleep"), inventoryfile.Options{}, `column "Powerstate": must be poweredOn`},
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
			[]byte("VM,In Use MiB\n" + strings.Repeat("x", 2<<20) + ",1\n"), inventoryfile.Options{}, `row 2, column "VM"`,
		},
		"no encoding":   {[]byte("VM,In Use MiB\nB\xfcr\x81,1\n"), inventoryfile.Options{}, `Save the file as "CSV UTF-8"`},
		"two encodings": {[]byte("VM,In Use MiB\nä\nB\xfcro,1\n"), inventoryfile.Options{}, `Save the file as "CSV UTF-8"`},
		"too many rows": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("a,1\n", 100_001)), inventoryfile.Options{}, "more than 100000 VM rows",
		},
		"a million rows": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("a,1\n", 1_000_000)), inventoryfile.Options{}, "more than 100000 VM rows",
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
		"row 9e18":    {`<row r="9000000000000000000">`, cell, "row number exceeds maximum limit"},
		"row 2e9":     {`<row r="2000000000">`, cell, "row number exceeds maximum limit"},
		"quoted row":  {`<row r='2000000000'>`, cell, "row number exceeds maximum limit"},
		"column":      {`<row r="2">`, `<c r="ZZZZ2" t="inlineStr"><is><t>a</t></is></c>`, "row 2 cannot be read"},
		"a long text": {`<row r="2">`, long, "at most 32,767"},
	} {
		header := `<row r="1"><c t="inlineStr"><is><t>VM</t></is></c><c t="inlineStr"><is><t>In Use MiB</t></is></c></row>`
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
	require.Len(t, got.VMs, 1)
	assert.EqualValues(t, 512<<20, got.VMs[0].UsedBytes)
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

const (
	mutations = 200
	// mostAllocated is the maximum number of bytes that reading one file may allocate. A loop up to a row number stated
	// in the file would allocate gigabytes.
	mostAllocated = 16 << 20
)

// TestRead_mutations checks four files that used to take minutes or gigabytes, and 200 mutations of each. Reading them
// must allocate little memory, and errors must state the position.
//
//nolint:paralleltest // other tests would add to the measured allocations
func TestRead_mutations(t *testing.T) {
	const cell = `<c t="inlineStr"><is><t>a</t></is></c>`
	for name, rows := range map[string]string{
		"a row of 9e18":  `<row r="9000000000000000000">` + cell + `</row>`,
		"a row of 2e9":   `<row r="2000000000">` + cell + `</row>`,
		"shared texts":   strings.Repeat(`<row><c t="s"><v>0</v></c><c><v>1</v></c></row>`, 5_000),
		"distant column": `<row r="2"><c r="ZZZZ2" t="inlineStr"><is><t>a</t></is></c></row>`,
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(rows))))
			refused := 0
			for n := range mutations + 1 {
				text := []byte(rows)
				if n > 0 {
					text = mutate(random, text)
				}
				if err := checkMemory(t, text); err != nil {
					refused++
					assert.True(t, namesPosition(err.Error()), "mutation %d: got %q, want an error that names the place", n, err)
				}
			}
			assert.NotEqual(t, 0, refused, "got no refusal, want some")
		})
	}
}

func TestRead_damaged(t *testing.T) {
	t.Parallel()
	good := archiveOf(t, append(frame(), sheet(vmRow, 3, sheetEnd))...)
	random := rand.New(rand.NewPCG(1, 1))
	for n := range mutations {
		_, err := inventoryfile.Read(bytes.NewReader(mutate(random, good)), inventoryfile.Options{})
		if err == nil {
			continue
		}
		text := err.Error()
		require.True(t, namesPart.MatchString(text), "mutation %d: got %q, want a line that names the part", n, text)
		assert.NotContains(t, text, "\n", n)
	}
}

// namesPart matches errors that name a part or concern the whole file.
var namesPart = regexp.MustCompile(`\.(?:xml|rels)\b|sheet |damaged or truncated: |neither an Excel file nor `)

var places = []string{"row ", "column ", "sheet ", "line ", "workbook", "archive", "strings", "part "}

func namesPosition(text string) bool {
	return len(text) < 1000 && slices.ContainsFunc(places, func(p string) bool { return strings.Contains(text, p) })
}

// checkMemory reads a workbook with the given rows and a 1 MB string in its string table, and checks that this
// allocates at most mostAllocated bytes.
func checkMemory(t *testing.T, rows []byte) error {
	t.Helper()
	texts := part{
		name: "xl/sharedStrings.xml", begin: "<sst" + namespace + "><si><t>", repeat: "x", times: 1 << 20,
		end: "</t></si></sst>",
	}
	vmInfo := part{
		name: "xl/worksheets/sheet1.xml", begin: "<worksheet" + namespace + "><sheetData>" + headerRow + string(rows),
		end: sheetEnd,
	}
	content := archiveOf(t, append(frame(), vmInfo, texts)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := inventoryfile.Read(bytes.NewReader(content), inventoryfile.Options{})
	runtime.ReadMemStats(&after)
	got := after.TotalAlloc - before.TotalAlloc
	assert.True(t, got <= mostAllocated,
		"got %s allocated, want at most %s, for %.200q", mib(got), mib(mostAllocated), rows)
	return err
}

func mib(bytes uint64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

func mutate(random *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + random.IntN(4) {
		at := random.IntN(len(text))
		end := min(len(text), at+1+random.IntN(8))
		switch random.IntN(4) {
		case 0:
			text[at] = "0123456789<>/\"'=rcvts &;-eZ"[random.IntN(27)]
		case 1:
			if len(text) > end-at {
				text = slices.Delete(text, at, end)
			}
		case 2:
			text = slices.Insert(text, at, slices.Clone(text[at:end])...)
		case 3:
			text = slices.Insert(text, at, []byte("9999999999")[:1+random.IntN(10)]...)
		}
	}
	return text
}

func checkConsistent(t *testing.T, found inventoryfile.Inventory) {
	t.Helper()
	var used int64
	keys := make([]string, 0, len(found.VMs))
	for _, vm := range found.VMs {
		used += vm.UsedBytes
		keys = append(keys, vm.Key)
	}
	require.Equal(t, found.UsedBytes, used)
	assert.True(t, used >= 0, "%d bytes in all, the VMs have %d", found.UsedBytes, used)
	require.True(t, slices.IsSorted(keys), "keys %q", keys)
	assert.Len(t, slices.Compact(slices.Clone(keys)), len(keys))
}

func checkRead(t *testing.T, content []byte, o inventoryfile.Options) {
	t.Helper()
	found, err := inventoryfile.Read(bytes.NewReader(content), o)
	if err == nil {
		checkConsistent(t, found)
		return
	}
	var file *inventoryfile.FileError
	var cell *inventoryfile.CellError
	assert.False(t, !errors.As(err, &file) && !errors.As(err, &cell), "%T: %v", err, err)
}

func FuzzText(f *testing.F) {
	for _, text := range []string{
		"VM,In Use MiB\na,1\n", "VM;In Use MB;Memory\na;1,5;1.024\n", "\ufeffvInfoVMName\tvInfoInUse\n\"a\"\t\"1\"\n",
		"VM,In Use MiB,VM ID\na,1,vm-1\na#2,2,\na,3,\na,4,\n", "\xff\xfeV\x00M\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, inventoryfile.Options{}) })
}

func FuzzColumns(f *testing.F) {
	f.Add([]byte("a,b\nx,1\n"), "a", "b")
	f.Fuzz(func(t *testing.T, content []byte, name, used string) {
		checkRead(t, content, inventoryfile.Options{Columns: map[string]string{"name": name, "used_gib": used}})
	})
}

func FuzzWorkbook(f *testing.F) {
	f.Add(newWorkbook(f, map[string][][]any{"vInfo": {version4, vm("a", "vm-1", 1, 1, 1)}}))
	f.Add(newWorkbook(f, map[string][][]any{"VMs": {{"VM Name", "Virtual Disk Used (MiB)"}, {"a", 1}}}))
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, inventoryfile.Options{}) })
}
