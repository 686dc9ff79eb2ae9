package inventoryfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func readBoth(t *testing.T, rows [][]any) inventoryfile.Inventory {
	t.Helper()
	return read(t, newWorkbook(t, map[string][][]any{"vInfo": rows}), inventoryfile.Options{})
}

func namesOf(found inventoryfile.Inventory) []string {
	names := make([]string, 0, len(found.VMs))
	for _, vm := range found.VMs {
		names = append(names, vm.Name)
	}
	return names
}

func TestRead_totals(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		rows   [][]any
		totals string
	}{
		"no ID and no state": {[][]any{
			{"VM", "VM ID", "Powerstate", "In Use MiB"},
			{"a", "vm-1", "poweredOn", 1},
			{"b", "vm-2", "poweredOn", 2},
			{"All", "", "", 7},
		}, "All"},
		"the sum": {[][]any{
			{"VM", "VM ID", "In Use MiB"},
			{"a", "vm-1", 10},
			{"x", "", 5},
			{"Everything", "", 15},
		}, "Everything"},
		"the sum of one": {[][]any{{"VM", "Powerstate", "In Use MiB"}, {"a", "poweredOn", 10}, {"b", "", 10}}, "b"},
		"by name":        {[][]any{{"VM", "In Use MiB"}, {"a", 10}, {"b", 5}, {"Grand Total", 15}}, "Grand Total"},
		"in German":      {[][]any{{"VM", "In Use MiB"}, {"a", 10}, {"Summe:", 10}}, "Summe:"},
		"first": {[][]any{
			{"VM", "VM ID", "In Use MiB"},
			{"Total", "", 3},
			{"a", "vm-1", 1},
			{"b", "vm-2", 2},
		}, "Total"},
		"several columns": {[][]any{
			{"VM", "CPUs", "In Use MiB"},
			{"a", 1, 10},
			{"b", 2, 5},
			{"c", 3, 5},
			{"X", 6, 20},
		}, "X"},
		// 20 is the sum of the others, but a VM can use as much.
		"a VM of the size of the others": {[][]any{{"VM", "In Use MiB"}, {"a", 10}, {"b", 10}, {"c", 20}}, ""},
		"with an ID": {[][]any{
			{"VM", "VM ID", "In Use MiB"},
			{"a", "vm-1", 10},
			{"b", "vm-2", 10},
			{"Total", "vm-3", 20},
		}, ""},
		"two without ID": {[][]any{
			{"VM", "VM ID", "In Use MiB"},
			{"a", "vm-1", 10},
			{"b", "", 7},
			{"c", "", 8},
		}, ""},
		"a VM named Total": {[][]any{{"VM", "In Use MiB"}, {"a", 10}, {"Total", 11}}, ""},
	} {
		got := readBoth(t, run.rows)
		if run.totals == "" {
			assert.Len(t, got.VMs, len(run.rows)-1, name)
			continue
		}
		assert.NotContains(t, namesOf(got), run.totals, name)
		require.Len(t, got.Skipped, 1, name)
		assert.Equal(t, inventoryfile.SkippedTotal, got.Skipped[0].Reason, name)
		require.NotEmpty(t, got.Notes, name)
		assert.Contains(t, got.Notes[0], run.totals, name)
	}
}

func TestRead_repeatedNames(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct{ text, says string }{
		"one row per hour": {
			"VM,In Use MiB,Hour\na,1,0\nb,1,0\na,2,1\nb,2,1\nc,1,0\n", "2 names without an ID occur in 4 rows: a, b",
		},
		"in one cluster": {
			"VM,In Use MiB,Cluster\na,1,C1\na,2,C1\na,2,C2\n", "1 name without an ID occurs in 2 rows: a",
		},
		"in other places":    {"VM,In Use MiB,Datacenter\na,1,D1\na,2,D2\n", ""},
		"in other folders":   {"VM,In Use MiB,Folder\na,1,/x\na,2,/y\n", ""},
		"with IDs":           {"VM,In Use MiB,VM ID\na,1,vm-1\na,2,vm-2\n", ""},
		"with BIOS UUIDs":    {"VM,In Use MiB,VM UUID\na,1,u-1\na,2,u-2\n", ""},
		"a template as well": {"VM,In Use MiB,Template\na,1,False\na,2,True\n", ""},
	} {
		_, err := inventoryfile.Read(strings.NewReader(run.text), inventoryfile.Options{})
		if run.says == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
		got := read(t, []byte(run.text), inventoryfile.Options{DuplicateNames: true})
		assert.NotEmpty(t, got.VMs, name)
	}
}

func TestRead_differentVMs(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][][]any{
		"vCenter UUID": {
			{"VM", "In Use MB", "VM ID", "vCenter UUID"}, {"a", 1, "vm-1", "x"}, {"a", 2, "vm-1", "y"},
		},
		"VM UUID": {
			{"VM", "In Use MB", "VM ID", "VM UUID", "Cluster"},
			{"a", 1, "vm-1", "u-1", "C"},
			{"a", 2, "vm-1", "u-2", "C"},
		},
		"datacenter": {
			{"VM", "In Use MB", "VM ID", "Datacenter", "Cluster"},
			{"a", 1, "vm-1", "D1", "C"},
			{"a", 2, "vm-1", "D2", "C"},
		},
		"instance UUID": {
			{"VM", "In Use MB", "VM ID", "VM Instance UUID"}, {"a", 1, "vm-1", "u-1"}, {"a", 2, "vm-1", "u-2"},
		},
	} {
		assert.Len(t, readBoth(t, rows).VMs, 2, name)
	}
}

func TestRead_twoColumns(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct{ text, says string }{
		"size":       {"VM,In Use MiB,VM ID,In use MiB\na,1,vm-1,2\n", `two columns named "In Use MiB", B and D`},
		"name":       {"VM,In Use MiB,VM\na,1,b\n", `two columns named "VM", A and C`},
		"a field":    {"name,used_gib,Name\na,1,b\n", `two columns named "Name", A and C`},
		"unread":     {"VM,In Use MiB,Note,Note\na,1,x,y\n", ""},
		"two titles": {"VM,In Use MiB,In Use MB\na,1,\n", ""},
	} {
		_, err := inventoryfile.Read(strings.NewReader(run.text), inventoryfile.Options{})
		if run.says == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
	}
	wide := "VM" + strings.Repeat(",x", 26) + ",In Use MiB,In Use MiB\n"
	_, err := inventoryfile.Read(strings.NewReader(wide), inventoryfile.Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "AB and AC")
}

func TestRead_otherTables(t *testing.T) {
	t.Parallel()
	vmInfo := [][]any{
		{"VM", "In Use MiB", "VM ID", "Powerstate"},
		{"a", 1, "vm-1", "poweredOn"},
		{"b", 1, "vm-2", "poweredOff"},
	}
	for name, run := range map[string]struct {
		sheets map[string][][]any
		notes  []string
	}{
		"a second VM sheet": {
			map[string][][]any{"vInfo": vmInfo, "vInfo (2)": vmInfo},
			[]string{`Sheet "vInfo (2)" also has the headers of VMs, and was not read.`},
		},
		"under a title": {
			map[string][][]any{"vInfo": vmInfo, "May": {{"Report"}, {"VM", "In Use MB"}, {"a", 1}}},
			[]string{`Sheet "May" also has the headers of VMs, and was not read.`},
		},
		"missing VMs": {
			map[string][][]any{
				"vInfo":  vmInfo,
				"vDisk":  {{"VM", "Capacity MiB", "VM ID"}, {"a", 1, "vm-1"}, {"gone", 1, "vm-3"}, {"gone", 1, "vm-3"}},
				"vTools": {{"VM", "VM ID"}, {"b", "vm-2"}, {"gone", "vm-3"}, {"lost", "vm-4"}},
			},
			[]string{
				"2 VMs of other sheets are not in vInfo, and therefore in no result: gone (vDisk, vTools), " +
					"lost (vTools).",
			},
		},
		"no IDs": {map[string][][]any{"vInfo": vmInfo, "vTools": {{"VM"}, {"gone"}}}, nil},
		"hosts":  {map[string][][]any{"vInfo": vmInfo, "vHost": {{"Host", "# VMs"}, {"esx", 2}}}, nil},
	} {
		got := read(t, newWorkbook(t, run.sheets), inventoryfile.Options{})
		assert.Equal(t, run.notes, got.Notes, name)
	}
	// The filtered VM is not missing.
	sheets := map[string][][]any{"vInfo": vmInfo, "vTools": {{"VM", "VM ID"}, {"b", "vm-2"}}}
	got := read(t, newWorkbook(t, sheets), inventoryfile.Options{PowerState: "poweredOn"})
	assert.Empty(t, got.Notes)
}

func TestRead_guestAboveDisks(t *testing.T) {
	t.Parallel()
	vmInfo := [][]any{{"VM", "In Use MiB", "VM ID"}, {"a", 400, "vm-1"}}
	disk := [][]any{{"VM", "Capacity MiB", "VM ID"}, {"a", 1000, "vm-1"}}
	header := []any{"VM", "Disk", "Capacity MiB", "Consumed MiB", "VM ID"}
	for name, run := range map[string]struct {
		partitions [][]any
		want       int64 // MiB, or 0 if unknown
		note       string
	}{
		// 300 + 300 + 200 MiB are below the capacity, so both partitions of 300 MiB count.
		"below": {[][]any{
			{"a", "/", 500, 300, "vm-1"},
			{"a", "/b", 500, 300, "vm-1"},
			{"a", "/c", 500, 200, "vm-1"},
		}, 800, "400 MiB more"},
		// 300 + 300 + 300 + 200 = 1,100 MiB are above the capacity, so the bind mounts count once: 300 + 200 MiB.
		"bind mounts": {[][]any{
			{"a", "/", 500, 300, "vm-1"},
			{"a", "/c1", 500, 300, "vm-1"},
			{"a", "/c2", 500, 300, "vm-1"},
			{"a", "/d", 500, 200, "vm-1"},
		}, 500, "100 MiB more"},
		"still above": {
			[][]any{{"a", "/", 900, 800, "vm-1"}, {"a", "/nfs", 900, 700, "vm-1"}},
			0,
			"use more than the capacity of their disks",
		},
		"in use": {[][]any{{"a", "/", 900, 400, "vm-1"}}, 400, ""},
	} {
		got := read(t, newWorkbook(t, map[string][][]any{
			"vInfo":      vmInfo,
			"vDisk":      disk,
			"vPartition": append([][]any{header}, run.partitions...),
		}), inventoryfile.Options{})
		if guest := got.VMs[0].GuestUsedBytes; run.want == 0 {
			assert.Nil(t, guest, name)
		} else {
			require.NotNil(t, guest, name)
			assert.Equal(t, run.want<<20, *guest, name)
		}
		if run.note == "" {
			assert.Empty(t, got.Notes, name)
			continue
		}
		require.Len(t, got.Notes, 1, name)
		assert.Contains(t, got.Notes[0], run.note, name)
	}
}

func TestRead_unknownIDHeader(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct{ text, says string }{
		"ID": {
			"VM,In Use MiB,MoRef\na,1,vm-1\nb,1,vm-2\n", `Column C ("MoRef") contains IDs of VMs, such as vm-2`,
		},
		"UUID": {
			"VM,In Use MiB,Key\na,1,502e0001-22c1-c6c1-1de8-eceec50f94bc\n", `Rename it to "VM Instance UUID"`,
		},
		"not all":  {"VM,In Use MiB,Note\na,1,vm-1\nb,1,x\n", ""},
		"with IDs": {"VM,In Use MiB,VM ID,Note\na,1,vm-1,vm-1\n", ""},
	} {
		got := read(t, []byte(run.text), inventoryfile.Options{})
		if run.says == "" {
			assert.Empty(t, got.Notes, name)
			continue
		}
		require.Len(t, got.Notes, 1, name)
		assert.Contains(t, got.Notes[0], run.says, name)
	}
}

// TestRead_emptyRows checks that formatted rows without text do not count. LibreOffice writes the last row of a sheet.
func TestRead_emptyRows(t *testing.T) {
	t.Parallel()
	empty := `<row><c s="1"/><c s="1"><v></v></c></row>`
	last := `<row r="1048576"><c r="XFD1048576" s="1"/></row>`
	content := archiveOf(t, append(frame(), sheet(empty, 200_000, vmRow+last+sheetEnd))...)
	assert.Len(t, read(t, content, inventoryfile.Options{}).VMs, 1)
}

func TestRead_booleans(t *testing.T) {
	t.Parallel()
	for _, words := range [][2]string{
		{"TRUE", "FALSE"},
		{"WAHR", "FALSCH"},
		{"VRAI", "FAUX"},
		{"VERDADERO", "FALSO"},
		{"VERO", "FALSO"},
		{"VERDADEIRO", "FALSO"},
		{"WAAR", "ONWAAR"},
		{"PRAWDA", "FAŁSZ"},
		{"SANT", "FALSKT"},
		{"ИСТИНА", "ЛОЖЬ"},
		{"1", "0"},
	} {
		text := fmt.Sprintf("VM,In Use MiB,Template\na,1,%s\nb,1,%s\n", words[0], words[1])
		assert.Equal(t, []string{"b"}, namesOf(read(t, []byte(text), inventoryfile.Options{})), "%+v", words)
	}
}
