// The race detector increases memory usage, so race builds exclude this test.

//go:build !race

package inventoryfile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// memoryFile is the environment variable with the path of the file that the child process reads.
const memoryFile = "VSLA_TEST_INVENTORY"

// TestMain reads the file named in the environment, if any, and prints the process status, which includes the peak
// memory.
func TestMain(m *testing.M) {
	name := os.Getenv(memoryFile)
	if name == "" {
		os.Exit(m.Run())
	}
	file, err := os.Open(name)
	if err == nil {
		var found inventoryfile.Inventory
		found, err = inventoryfile.Read(file, inventoryfile.Options{DuplicateNames: true})
		fmt.Fprintln(os.Stdout, len(found.VMs), "VMs")
	}
	status, statusErr := os.ReadFile("/proc/self/status")
	fmt.Fprintln(os.Stdout, err, statusErr)
	fmt.Fprintln(os.Stdout, string(status))
}

// TestRead_memory checks that reading the largest accepted files, or a file that exceeds the limit on long strings,
// requires at most 256 MiB. A child process reads each file.
func TestRead_memory(t *testing.T) {
	t.Parallel()
	const rows = 100_000
	var text, cells strings.Builder
	for i := range rows {
		fmt.Fprintf(
			&text,
			"vm-name-%d.example.com,poweredOn,4,16384,204800,104448,/DC/vm/folder-%d,DC,C%d,esx%d.example.com,"+
				"vm-%d,422e%08x-22c1-c6c1-1de8-eceec50f94bc,502e%08x-22c1-c6c1-1de8-eceec50f94bc\n",
			i,
			i,
			i%50,
			i%999,
			i,
			i,
			i,
		)
		fmt.Fprintf(&cells, `<row><c t="s"><v>%d</v></c><c><v>1</v></c><c t="s"><v>%d</v></c><c t="s"><v>%d</v></c>`+
			`<c t="s"><v>%d</v></c></row>`, i, i+rows, i+2*rows, i+3*rows)
	}
	header := "VM,Powerstate,CPUs,Memory,Provisioned MiB,In Use MiB,Folder,Datacenter,Cluster,Host,VM ID,VM UUID," +
		"VM Instance UUID\n"
	var items strings.Builder
	for i := range 600_000 {
		fmt.Fprintf(&items, "<si><t>502e%08x-22c1-c6c1-1de8-eceec50f94bc</t></si>", i)
	}
	texts := part{
		name:   "xl/sharedStrings.xml",
		begin:  "<sst" + namespace + ">",
		repeat: items.String(),
		times:  1,
		end:    "</sst>",
	}
	large := sheet(cells.String(), 1, sheetEnd)
	large.begin = `<worksheet` + namespace + `><sheetData><row r="1">`
	for _, header := range []string{"VM", "In Use MiB", "VM ID", "VM UUID", "VM Instance UUID"} {
		large.begin += `<c t="inlineStr"><is><t>` + header + `</t></is></c>`
	}
	large.begin += "</row>"
	longRow := "<row>" + vmCells + strings.Repeat("<c><v>1</v></c>", 16_382) + "</row>"
	for name, run := range map[string]struct {
		content []byte
		says    string
	}{
		"text":     {[]byte(header + text.String()), "100000 VMs"},
		"workbook": {archiveOf(t, append(frame(), large, texts)...), "100000 VMs"},
		// 3,000 VMs with folder names of 32 KB each. If the names are identical, the string is stored only once; if
		// they differ, they exceed the limit on long strings.
		"one long folder": {longFolders(t, func(int) int { return 0 }), "3000 VMs"},
		"long folders":    {longFolders(t, func(i int) int { return i }), "more than 16 MiB of text"},
		"long rows":       {archiveOf(t, append(frame(), sheet(longRow, 100, vmRow+sheetEnd))...), "101 VMs"},
	} {
		file := filepath.Join(t.TempDir(), "inventory")
		require.NoError(t, os.WriteFile(file, run.content, 0o600))
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), memoryFile+"="+file, "GOGC=100")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, name)
		require.True(t, bytes.Contains(out, []byte(run.says)), "%s: %v, %.300s", name, err, out)
		peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(out)
		require.NotNil(t, peak, "%s: no VmHWM in %.300s", name, out)
		kib, err := strconv.Atoi(string(peak[1]))
		require.NoError(t, err)
		t.Logf("%s: %d MiB", name, kib>>10)
		assert.LessOrEqual(t, kib, 256<<10, name)
	}
}

// longFolders returns a workbook of 3,000 VMs whose folder names are 32 KB long and stored in the string table. text
// returns the index of a VM's folder name in that table.
func longFolders(t *testing.T, text func(vm int) int) []byte {
	t.Helper()
	const vms = 3_000
	var rows, items strings.Builder
	for i := range vms {
		fmt.Fprintf(&rows, `<row><c><v>1</v></c><c><v>1</v></c><c t="s"><v>%d</v></c></row>`, text(i))
	}
	for i := range text(vms-1) + 1 {
		fmt.Fprintf(&items, "<si><t>%05d%s</t></si>", i, strings.Repeat("x", 32_000))
	}
	texts := part{
		name:   "xl/sharedStrings.xml",
		begin:  "<sst" + namespace + ">",
		repeat: items.String(),
		times:  1,
		end:    "</sst>",
	}
	vmInfo := sheet(rows.String(), 1, sheetEnd)
	vmInfo.begin = `<worksheet` + namespace + `><sheetData><row r="1"><c t="inlineStr"><is><t>VM</t></is></c>` +
		`<c t="inlineStr"><is><t>In Use MiB</t></is></c><c t="inlineStr"><is><t>Folder</t></is></c></row>`
	return archiveOf(t, append(frame(), vmInfo, texts)...)
}
