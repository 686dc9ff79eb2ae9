package inventoryfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func newWorkbook(tb testing.TB, sheets map[string][][]any) []byte {
	tb.Helper()
	f := excelize.NewFile()
	defer func() {
		assert.NoError(tb, f.Close())
	}()
	for name, rows := range sheets {
		if _, err := f.NewSheet(name); err != nil {
			tb.Fatal(err)
		}
		w, err := f.NewStreamWriter(name)
		require.NoError(tb, err)
		for i, row := range rows {
			require.NoError(tb, w.SetRow(fmt.Sprintf("A%d", i+1), row))
		}
		require.NoError(tb, w.Flush())
	}
	var out bytes.Buffer
	require.NoError(tb, f.Write(&out))
	return out.Bytes()
}

func read(tb testing.TB, content []byte, o inventoryfile.Options) inventoryfile.Inventory {
	tb.Helper()
	found, err := inventoryfile.Read(bytes.NewReader(content), o)
	require.NoError(tb, err)
	return found
}

// Headers of vInfo in RVTools 4, RVTools 3 and the command-line export.
var (
	version4 = []any{
		"VM", "Powerstate", "Template", "SRM Placeholder", "CPUs", "Memory", "Provisioned MiB", "In Use MiB", "Folder",
		"Datacenter", "Cluster", "Host", "VM ID", "VI SDK UUID",
	}
	version3 = []any{
		"VM", "Powerstate", "Template", "SRM Placeholder", "CPUs", "Memory", "Provisioned MB", "In Use MB", "Folder",
		"Datacenter", "Cluster", "Host", "VM ID", "VI SDK UUID",
	}
	commandLine = []any{
		"vInfoVMName", "vInfoPowerstate", "vInfoTemplate", "vInfoSRMPlaceHolder", "vInfoCPUs", "vInfoMemory",
		"vInfoProvisioned", "vInfoInUse", "vInfoFolder", "vInfoDataCenter", "vInfoCluster", "vInfoHost",
		"vInfoObjectID", "vInfoVISDKUUID",
	}
)

func vm(name, id string, memory, provisioned, used any) []any {
	return []any{
		name,
		"poweredOn",
		"False",
		"False",
		4,
		memory,
		provisioned,
		used,
		"/prod/web",
		"DC0",
		"C0",
		"esx-1",
		id,
		"vc-1",
	}
}

func csvOf(delimiter string, rows ...[]any) string {
	var text strings.Builder
	for _, row := range rows {
		for i, value := range row {
			if i > 0 {
				text.WriteString(delimiter)
			}
			fmt.Fprintf(&text, "\"%v\"", value)
		}
		text.WriteString("\r\n")
	}
	return text.String()
}

func utf16(t *testing.T, text string, order unicode.Endianness, mark unicode.BOMPolicy) []byte {
	t.Helper()
	content, err := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte(text))
	require.NoError(t, err)
	return content
}

func TestRead_same(t *testing.T) {
	t.Parallel()
	plain := [][]any{vm("a", "vm-1", 16384, 102400, 41472), vm("b", "vm-2", 8192, 51200, 20736)}
	us := [][]any{vm("a", "vm-1", "16,384", "102,400", "41,472.0"), vm("b", "vm-2", "8,192", "51,200", "20,736.0")}
	de := [][]any{vm("a", "vm-1", "16.384", "102.400", "41.472,0"), vm("b", "vm-2", "8.192", "51.200", "20.736,0")}
	with := func(header []any, rows [][]any) [][]any { return slices.Concat([][]any{header}, rows) }
	text := csvOf(",", with(version4, plain)...)
	files := map[string][]byte{
		"version 4":    newWorkbook(t, map[string][][]any{"vInfo": with(version4, plain)}),
		"version 3":    newWorkbook(t, map[string][][]any{"vInfo": with(version3, plain)}),
		"command line": newWorkbook(t, map[string][][]any{"vInfo": with(commandLine, plain)}),
		"title above": newWorkbook(t, map[string][][]any{"vInfo": slices.Concat([][]any{
			{"RVTools"},
			{},
		}, with(version4, plain))}),
		"text, US":          newWorkbook(t, map[string][][]any{"vInfo": with(version4, us)}),
		"text, DE":          newWorkbook(t, map[string][][]any{"vInfo": with(version3, de)}),
		"comma":             []byte(text),
		"semicolon, DE":     []byte(csvOf(";", with(version4, de)...)),
		"tab, US":           []byte(csvOf("\t", with(commandLine, us)...)),
		"UTF-8 with mark":   []byte("\ufeff" + text),
		"UTF-16 LE":         utf16(t, text, unicode.LittleEndian, unicode.UseBOM),
		"UTF-16 BE":         utf16(t, text, unicode.BigEndian, unicode.UseBOM),
		"UTF-16 LE no mark": utf16(t, text, unicode.LittleEndian, unicode.IgnoreBOM),
		"UTF-16 BE no mark": utf16(t, text, unicode.BigEndian, unicode.IgnoreBOM),
		"Live Optics": newWorkbook(t, map[string][][]any{"VMs": {
			{
				"VM Name",
				"Power State",
				"Template",
				"Virtual CPU",
				"Provisioned Memory (MiB)",
				"Virtual Disk Size (MiB)",
				"Virtual Disk Used (MiB)", "Datacenter", "Cluster", "Host", "MOB ID",
			},
			{"a", "poweredOn", "FALSE", 4, 16384, 102400, 41472, "DC0", "C0", "esx-1", "vm-1"},
			{"b", "poweredOn", "FALSE", 4, 8192, 51200, 20736, "DC0", "C0", "esx-1", "vm-2"},
		}}),
	}
	const gib = 1 << 30
	for name, content := range files {
		got := read(t, content, inventoryfile.Options{})
		require.Len(t, got.VMs, 2, name)
		assert.Equal(t, "vm-1", got.VMs[0].Key, name)
		assert.EqualValues(t, 4, *got.VMs[0].CPUCount, name)
		assert.Equal(t, "C0", got.VMs[0].Cluster, name)
		assert.EqualValues(t, 24*gib, *got.MemoryBytes, name)
		assert.EqualValues(t, 150*gib, *got.ProvisionedBytes, name)
		assert.EqualValues(t, 60.75*gib, *got.UsedBytes, name)
	}
}

func TestRead_skipped(t *testing.T) {
	t.Parallel()
	change := func(row []any, at int, value any) []any {
		row[at] = value
		return row
	}
	content := newWorkbook(t, map[string][][]any{"vInfo": {
		version4,
		vm("a", "vm-1", 1, 1, 1),
		change(vm("tpl", "vm-2", 1, 1, 1), 2, "WAHR"),
		change(vm("srm", "vm-3", 1, 1, 1), 3, "True"),
		vm("a", "vm-1", 1, 1, 1),
		vm("", "vm-4", 1, 1, 1),
		vm("blank", "vm-5", 1, 1, ""),
		change(vm("a", "vm-1", 1, 1, 1), 13, "vc-2"), // same ID in another vCenter
	}})
	got := read(t, content, inventoryfile.Options{})
	var skipped []string
	for _, s := range got.Skipped {
		skipped = append(skipped, fmt.Sprintf("%d %s %s", s.Row, s.Name, s.Reason))
	}
	want := []string{"3 tpl template", "4 srm placeholder", "5 a duplicate", "6  no_name", "7 blank no_size"}
	assert.Equal(t, want, skipped)
	var keys []string
	for _, v := range got.VMs {
		keys = append(keys, v.Key)
	}
	assert.Equal(t, []string{"vm-1", "vm-1#2", "vm-5"}, keys)
	all := read(t, content, inventoryfile.Options{Templates: true, Placeholders: true})
	assert.Len(t, all.VMs, 5)
}

func TestRead_filters(t *testing.T) {
	t.Parallel()
	other := []any{
		"db-1", "poweredOff", "False", "False", 4, 1, 1, 1, "/prod/database", "DC1", "C1", "esx-2", "vm-9", "vc-1",
	}
	content := newWorkbook(t,
		map[string][][]any{"vInfo": {version4, vm("web-1", "vm-1", 1, 1, 1), vm("web-2", "vm-2", 1, 1, 1), other}})
	for name, run := range map[string]struct {
		options inventoryfile.Options
		want    int
	}{
		"all":           {inventoryfile.Options{}, 3},
		"name":          {inventoryfile.Options{Name: regexp.MustCompile("^web-")}, 2},
		"power state":   {inventoryfile.Options{PowerState: "poweredOff"}, 1},
		"cluster":       {inventoryfile.Options{Cluster: "C1"}, 1},
		"datacenter":    {inventoryfile.Options{Datacenter: "DC0"}, 2},
		"folder":        {inventoryfile.Options{Folder: "prod/web"}, 2},
		"folder above":  {inventoryfile.Options{Folder: "/prod"}, 3},
		"folder beside": {inventoryfile.Options{Folder: "/pro"}, 0},
	} {
		assert.Len(t, read(t, content, run.options).VMs, run.want, name)
	}
}

func TestRead_disks(t *testing.T) {
	t.Parallel()
	rows := [][]any{version4, vm("a", "vm-1", 1, 1, 1), vm("b", "vm-2", 1, 1, 1), vm("b", "vm-3", 1, 1, 1)}
	byID := newWorkbook(t, map[string][][]any{
		"vInfo": rows,
		"vDisk": {
			{"VM", "Disk", "Capacity MiB", "VM ID", "VI SDK UUID"},
			{"a", "Hard disk 1", 1024, "vm-1", "vc-1"},
			{"a", "Hard disk 2", 2048, "vm-1", "vc-1"},
			{"b", "Hard disk 1", 4096, "vm-2", "vc-1"},
			{"b", "Hard disk 1", 8192, "vm-3", "vc-1"},
		},
	})
	got := read(t, byID, inventoryfile.Options{})
	require.NotNil(t, got.DiskBytes)
	assert.EqualValues(t, 15<<30, *got.DiskBytes)
	assert.EqualValues(t, 3<<30, *got.VMs[0].DiskBytes)
	byName := newWorkbook(t, map[string][][]any{
		"vInfo": rows,
		"vDisk": {
			{"VM", "Capacity MB", "VI SDK UUID"},
			{"a", 1024, "vc-1"},
			{"b", 4096, "vc-1"},
			{"b", 8192, "vc-1"},
		},
	})
	got = read(t, byName, inventoryfile.Options{})
	assert.Nil(t, got.DiskBytes)
	assert.EqualValues(t, 1<<30, *got.VMs[0].DiskBytes)
	assert.Nil(t, got.VMs[1].DiskBytes)
	assert.Nil(t, got.VMs[2].DiskBytes)
}

func TestRead_columns(t *testing.T) {
	t.Parallel()
	content := "Server;RAM;Belegt (GB);Gruppe\nweb;16;40,5;x\nweb;8;20,25;y\n"
	columns := map[string]string{"name": "Server", "memory_gib": "RAM", "used_gib": "belegt (gb)"}
	got := read(t, []byte(content), inventoryfile.Options{Columns: columns, DuplicateNames: true})
	require.Len(t, got.VMs, 2)
	assert.Equal(t, "web", got.VMs[0].Key)
	assert.Equal(t, "web#2", got.VMs[1].Key)
	assert.EqualValues(t, 60.75*(1<<30), *got.UsedBytes)
	for name, run := range map[string]struct {
		columns map[string]string
		says    string
	}{
		"no such field": {map[string]string{"name": "Server", "used": "RAM"}, `the unknown field "used"`},
		"no such header": {
			map[string]string{"name": "Servers", "used_gib": "RAM"},
			`no column "Servers"; its columns are "Server", "Gruppe", "RAM"`,
		},
		"nothing used": {map[string]string{"name": "Server"}, "used storage"},
		"two units":    {map[string]string{"name": "Server", "used_gib": "RAM", "used_mib": "RAM"}, "the same field"},
	} {
		_, err := inventoryfile.Read(strings.NewReader(content), inventoryfile.Options{Columns: run.columns})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
	}
	unit := map[string]string{"name": "VM", "used_gib": "Used MiB"}
	_, err := inventoryfile.Read(strings.NewReader("VM,Used MiB\na,1\n"),
		inventoryfile.Options{Columns: unit})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "ambiguous")
}

// TestRead_decimalComma verifies that the header row decides the delimiter, not the commas of the numbers below it:
// 40.5 + 10.25 GiB, or 1,024,000 + 1,024,001 MiB.
func TestRead_decimalComma(t *testing.T) {
	t.Parallel()
	mapped := map[string]string{"name": "Server", "used_gib": "Belegt"}
	for name, run := range map[string]struct {
		content string
		columns map[string]string
		want    float64
	}{
		"fields":        {"name;used_gib\na;40,5\nb;10,25\n", nil, 50.75 * (1 << 30)},
		"mapped":        {"Server;Belegt\na;40,5\nb;10,25\n", mapped, 50.75 * (1 << 30)},
		"export":        {"VM;In Use MiB\na;40,5\nb;10,25\n", nil, 50.75 * (1 << 20)},
		"titles":        {"Report, May\nBy Jo, IT\nname;used_gib\na;40,5\nb;10,25\n", nil, 50.75 * (1 << 30)},
		"thousands":     {"name;used_mib\na;1,024,000\nb;1,024,001\n", nil, 2048001 * (1 << 20)},
		"mapped commas": {"Server;Belegt\na;1,024,000\nb;1,024,001\n", mapped, 2048001 * (1 << 30)},
	} {
		for _, delimiter := range []string{";", "\t"} {
			content := strings.ReplaceAll(run.content, ";", delimiter)
			got := read(t, []byte(content), inventoryfile.Options{Columns: run.columns})
			require.NotNil(t, got.UsedBytes, "%s %q", name, delimiter)
			assert.EqualValues(t, run.want, *got.UsedBytes, "%s %q", name, delimiter)
		}
	}
}

// TestRead_suggestsDecimalComma verifies that columns are suggested for a file with unknown headers.
func TestRead_suggestsDecimalComma(t *testing.T) {
	t.Parallel()
	_, err := inventoryfile.Read(strings.NewReader("Server;Belegt GB\na;40,5\nb;10,25\n"), inventoryfile.Options{})
	problem, ok := errors.AsType[*inventoryfile.FileError](err)
	require.True(t, ok, err)
	assert.Equal(t, map[string]string{"name": "Server", "used_gib": "Belegt GB"}, problem.Columns)
}

// TestRead_columnsOfWorkbook checks that the sheet with the mapped columns is read, even if a title precedes the header
// row. 40 GB is 40,000,000,000 bytes.
func TestRead_columnsOfWorkbook(t *testing.T) {
	t.Parallel()
	content := newWorkbook(t, map[string][][]any{"Servers": {
		{"Report of Monday"},
		{"Server", "Used GB", "SLA"},
		{"web", 40, "gold"},
		{"db", 2, "silver"},
	}})
	columns := map[string]string{"name": "server", "used_gb": "Used GB"}
	got := read(t, content, inventoryfile.Options{Columns: columns, KeepColumns: []string{"SLA"}})
	require.Len(t, got.VMs, 2)
	assert.Equal(t, inventoryfile.CSV, got.Format)
	assert.EqualValues(t, 42e9, *got.UsedBytes)
	assert.Equal(t, "gold", got.VMs[1].KeptCells[0])
	columns["used_gb"] = "Used"
	_, err := inventoryfile.Read(bytes.NewReader(content), inventoryfile.Options{Columns: columns})
	want := `sheet "Servers": the file has no column "Used"; its columns are "Used GB", "SLA", "Server"`
	require.Error(t, err)
	assert.Contains(t, err.Error(), want)
}

// TestInventory_KeptNumbers checks that a column with a cell that Excel shows as a percentage is rejected, because the
// file contains 0.9 for 90%.
func TestInventory_KeptNumbers(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	_, err := f.NewSheet("vInfo")
	require.NoError(t, err)
	custom := `0.0"%"`
	shown, err := f.NewStyle(&excelize.Style{NumFmt: 9})
	require.NoError(t, err)
	written, err := f.NewStyle(&excelize.Style{CustomNumFmt: &custom})
	require.NoError(t, err)
	for at, value := range map[string]any{
		"A1": "VM",
		"B1": "In Use MiB",
		"C1": "Change",
		"D1": "Rate",
		"A2": "a",
		"B2": 1,
		"C2": 0.9,
		"D2": 0.9,
		"A3": "b",
		"B3": 1,
		"C3": 5,
		"D3": "90%",
	} {
		require.NoError(t, f.SetCellValue("vInfo", at, value))
	}
	for at, style := range map[string]int{"C2": shown, "D2": written, "D3": shown, "D4": shown} {
		require.NoError(t, f.SetCellStyle("vInfo", at, at, style))
	}
	content, err := f.WriteToBuffer()
	require.NoError(t, err)
	require.NoError(t, f.Close())
	got := read(t, content.Bytes(), inventoryfile.Options{KeepColumns: []string{"change", "Rate"}})
	_, err = got.KeptNumbers("change", "%")(&got.VMs[1])
	require.ErrorContains(t, err, `sheet "vInfo", row 3, column "change", VM "b": Excel shows some cells`)
	for i, want := range []float64{0.9, 90} {
		value, err := got.KeptNumbers("Rate", "%")(&got.VMs[i])
		require.NoError(t, err)
		assert.Equal(t, want, *value)
	}
}

// TestRead_lines checks cells with line breaks, which occur in annotations.
func TestRead_lines(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]string{
		"two rows":                     "a,1,\"x\ny\"\nb,2,\"x, y\nz\"\n",
		"one row":                      "a,1,\"x\ny\"\nb,2,z\n",
		"the last row":                 "a,1,x\nb,2,\"x\r\n\r\ny\"\r\n",
		"the last row, without an end": "a,1,x\nb,2,\"x\nthe \"\"rack\"\"\"",
		"a short row, and others":      "\"a\n\",1\n\"b\n\",2,x\n",
	} {
		got := read(t, []byte("VM,In Use MiB,Note\n"+rows), inventoryfile.Options{})
		require.Len(t, got.VMs, 2, name)
		assert.EqualValues(t, 3<<20, *got.UsedBytes, name)
	}
}

func TestRead_windows1252(t *testing.T) {
	t.Parallel()
	early := "VM;In Use MiB\nB\xfcro \x80;1.024,0\n"
	var late strings.Builder
	late.WriteString("VM;In Use MiB\n")
	for i := range 20_000 {
		fmt.Fprintf(&late, "a%d;1\n", i)
	}
	late.WriteString("B\xfcro \x80;1.024,0\n")
	for name, text := range map[string]string{"early": early, "late": late.String()} {
		got, err := inventoryfile.Read(iotest.HalfReader(strings.NewReader(text)), inventoryfile.Options{})
		require.NoError(t, err, name)
		found := false
		for _, vm := range got.VMs {
			found = found || vm.Name == "Büro €" && *vm.UsedBytes == 1<<30
		}
		require.True(t, found,
			"%s: got %d VMs in %q; want Büro € of 1 GiB, and Windows-1252", name, len(got.VMs), got.Encoding)
		assert.Equal(t, inventoryfile.Windows1252, got.Encoding, name)
	}
	assert.Empty(t, read(t, []byte("VM;In Use MiB\nBüro;1\n"), inventoryfile.Options{}).Encoding)
}

func TestRead_ownFields(t *testing.T) {
	t.Parallel()
	got := read(t, []byte("name,Used_GiB,cluster,owner\na,2,C0,me\n"), inventoryfile.Options{})
	require.Len(t, got.VMs, 1)
	assert.EqualValues(t, 2<<30, *got.UsedBytes)
	assert.Equal(t, "C0", got.VMs[0].Cluster)
}
