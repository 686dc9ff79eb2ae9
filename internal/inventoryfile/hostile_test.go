package inventoryfile_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"terraform-provider-vsla/internal/inventoryfile"
)

const many = 10_000

// manyRows writes i = 1 .. 10,000 with i * 1,024 MiB of memory and i * 10.5 MiB in use, in a locale.
func manyRows(format func(mib float64) any) [][]any {
	rows := make([][]any, 0, many)
	for i := range many {
		n := float64(i + 1)
		rows = append(
			rows,
			vm(fmt.Sprintf("vm %d", i), fmt.Sprintf("vm-%d", i), format(n*1024), format(n*20), format(n*10.5)),
		)
	}
	return rows
}

// locale writes numbers with separators.
func locale(thousands, decimal string) func(float64) any {
	return func(value float64) any {
		whole, fraction, _ := strings.Cut(fmt.Sprintf("%.1f", value), ".")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + thousands + whole[i:]
		}
		return whole + decimal + fraction
	}
}

// TestRead_many compares sums to the last digit: 1 + 2 + ... + 10,000 = 50,005,000.
func TestRead_many(t *testing.T) {
	t.Parallel()
	us, de := manyRows(locale(",", ".")), manyRows(locale(".", ","))
	plain := manyRows(func(value float64) any { return value })
	files := map[string][]byte{
		"version 4": book(t, map[string][][]any{"vInfo": slices.Concat([][]any{version4}, plain)}),
		"version 3": book(t, map[string][][]any{"vInfo": slices.Concat([][]any{version3}, plain)}),
		"text, US":  book(t, map[string][][]any{"vInfo": slices.Concat([][]any{version4}, us)}),
		"text, DE":  book(t, map[string][][]any{"vInfo": slices.Concat([][]any{version3}, de)}),
		"CSV, US":   []byte(csvOf(",", slices.Concat([][]any{version4}, us)...)),
		"CSV, DE":   []byte(csvOf(";", slices.Concat([][]any{version3}, de)...)),
	}
	const sum, mib = int64(50_005_000), int64(1) << 20
	for name, content := range files {
		got := read(t, content, inventoryfile.Options{})
		if len(got.VMs) != many {
			t.Errorf("%s: %d VMs", name, len(got.VMs))
		}
		if got.MemoryBytes != sum*1024*mib || got.ProvisionedBytes != sum*20*mib || got.UsedBytes != sum*21*mib/2 {
			t.Errorf("%s: %d, %d and %d bytes", name, got.MemoryBytes, got.ProvisionedBytes, got.UsedBytes)
		}
	}
}

// bomb is an archive with a part of so many zero bytes, which claims to have another number of them.
func bomb(t *testing.T, name string, size int, claims uint64) []byte {
	t.Helper()
	var packed, out bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	content := make([]byte, size)
	if _, err := deflate.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := deflate.Close(); err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(&out)
	part, err := w.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(content),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: claims,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(packed.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRead_hostile: files that are not what they seem end with an error that says what is wrong.
func TestRead_hostile(t *testing.T) {
	t.Parallel()
	good := book(t, map[string][][]any{"vInfo": {version4, vm("a", "vm-1", 1, 1, 1)}})
	rows := func(rows ...[]any) []byte {
		return book(t, map[string][][]any{"vInfo": slices.Concat([][]any{version4}, rows)})
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
		"old Excel":       {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), inventoryfile.Options{}, "old Excel file"},
		"cut off":         {good[:len(good)/2], inventoryfile.Options{}, "damaged or cut off"},
		"another archive": {bomb(t, "README", 0, 0), inventoryfile.Options{}, "cannot be read"},
		"bomb in sheet":   {bomb(t, "xl/worksheets/sheet1.xml", 0, 1025<<20), inventoryfile.Options{}, "more than 1 GiB"},
		"bomb in styles":  {bomb(t, "xl/styles.xml", 0, 65<<20), inventoryfile.Options{}, "more than 64 MiB"},
		"bomb that lies":  {bomb(t, "xl/styles.xml", 16<<20, 100), inventoryfile.Options{}, "cannot be read"},
		"binary":          {[]byte("a\x00\x00\x00b\x01\x02"), inventoryfile.Options{}, "neither an Excel file nor text"},
		"no VMs":          {book(t, map[string][][]any{"vHost": {{"Host"}}}), inventoryfile.Options{}, "no sheet of VMs"},
		"no headers": {
			book(t, map[string][][]any{"vInfo": {{"VM"}, {"a"}}}), inventoryfile.Options{}, `no column "In Use MiB"`,
		},
		"another CSV":      {[]byte("a,b\n1,2\n"), inventoryfile.Options{}, "set columns"},
		"columns, Excel":   {good, inventoryfile.Options{Columns: map[string]string{"name": "VM"}}, "columns are for CSV"},
		"Live Optics, CSV": {[]byte("VM Name\n"), inventoryfile.Options{Format: inventoryfile.LiveOptics}, "are xlsx files"},
		"Live Optics":      {good, inventoryfile.Options{Format: inventoryfile.LiveOptics}, "no sheet of VMs"},
		"ambiguous": {
			change(7, "1.234"),
			inventoryfile.Options{},
			`sheet "vInfo", row 2, column "In Use MiB": "1.234" is ambiguous`,
		},
		"no number":  {change(7, "n/a"), inventoryfile.Options{}, `row 2, column "In Use MiB": must be a number`},
		"negative":   {change(5, -1), inventoryfile.Options{}, "must be from 0 to 4 PiB"},
		"half a CPU": {change(4, "1.5"), inventoryfile.Options{}, "must be a whole number"},
		"no flag":    {change(2, "maybe"), inventoryfile.Options{}, `column "Template": must be true or false`},
		"no state":   {change(1, "asleep"), inventoryfile.Options{}, `column "Powerstate": must be poweredOn`},
		"open quotation": {
			[]byte("VM,In Use MiB\n\"a," + strings.Repeat("x", 5<<20)), inventoryfile.Options{}, "a quotation mark missing",
		},
		"large cell": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("x", 2<<20) + ",1\n"), inventoryfile.Options{}, `row 2, column "VM"`,
		},
		"Latin-1": {[]byte("VM,In Use MiB\nB\xfcro,1\n"), inventoryfile.Options{}, "in UTF-8"},
		"too many rows": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("a,1\n", 200_001)), inventoryfile.Options{}, "more than 200000 rows",
		},
		"a million rows": {
			[]byte("VM,In Use MiB\n" + strings.Repeat("a,1\n", 1_000_000)), inventoryfile.Options{}, "more than 200000 rows",
		},
	} {
		_, err := inventoryfile.Read(bytes.NewReader(run.content), run.options)
		if err == nil || !strings.Contains(err.Error(), run.says) {
			t.Errorf("%s: got %v, want %q", name, err, run.says)
		}
		if len(fmt.Sprint(err)) > 1000 {
			t.Errorf("%s: the error has %d characters", name, len(fmt.Sprint(err)))
		}
	}
}

// TestRead_formula takes what Excel stored and evaluates nothing.
func TestRead_formula(t *testing.T) {
	t.Parallel()
	row := vm("a", "vm-1", 1, 1, 1)
	row[7] = excelize.Cell{Formula: "1+1", Value: 512}
	link := vm("b", "vm-2", 1, 1, 1)
	link[7] = excelize.Cell{Formula: "'[other.xlsx]Sheet1'!A1"}
	got := read(t, book(t, map[string][][]any{"vInfo": {version4, row, link}}), inventoryfile.Options{})
	if len(got.VMs) != 1 || got.VMs[0].UsedBytes != 512<<20 {
		t.Errorf("got %+v", got.VMs)
	}
	if len(got.Skipped) != 1 || got.Skipped[0].Reason != inventoryfile.SkippedNoSize {
		t.Errorf("skipped %+v", got.Skipped)
	}
}

// TestRead_broken hands on the error of a reader.
func TestRead_broken(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	content := io.MultiReader(strings.NewReader("VM,In Use MiB\na,1\n"), &failing{broken})
	if _, err := inventoryfile.Read(content, inventoryfile.Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }
