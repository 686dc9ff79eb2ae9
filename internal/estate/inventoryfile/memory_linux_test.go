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

// TestMain runs the tests, or only reads the file named in the environment, if any.
func TestMain(m *testing.M) {
	if name := os.Getenv(memoryFile); name != "" {
		os.Exit(readChild(name))
	}
	os.Exit(m.Run())
}

// readChild reads a file and returns an exit code, which is 1 if the file is refused. It prints the number of VMs, the
// error, and the process status, which includes the peak memory.
func readChild(name string) (code int) {
	file, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	found, err := inventoryfile.Read(file, inventoryfile.Options{DuplicateNames: true})
	if err != nil {
		code = 1
	}
	fmt.Fprintln(os.Stdout, len(found.VMs), "VMs", err)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, string(status))
	return code
}

// TestRead_memory checks that reading the largest accepted files, or a file that exceeds the limit on long strings,
// requires at most 256 MiB. A child process reads each file.
func TestRead_memory(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content []byte
		code    int
		says    string
	}{
		"text":            {largeText(), 0, "100000 VMs"},
		"workbook":        {largeWorkbook(t), 0, "100000 VMs"},
		"one long folder": {longFolders(t, 1), 0, "3000 VMs"},
		"long folders":    {longFolders(t, folderVMs), 1, "more than 16 MiB of text"},
		"long rows":       {longRows(t), 0, "101 VMs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "inventory")
			require.NoError(t, os.WriteFile(file, test.content, 0o600))
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), memoryFile+"="+file, "GOGC=100")
			out, err := cmd.CombinedOutput()
			require.Equal(t, test.code, cmd.ProcessState.ExitCode(), "%v, %.300s", err, out)
			require.Contains(t, string(out), test.says)
			peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(out)
			require.Len(t, peak, 2, "%.300s", out)
			kib, err := strconv.Atoi(string(peak[1]))
			require.NoError(t, err)
			t.Logf("%d MiB", kib>>10)
			assert.LessOrEqual(t, kib, 256<<10)
		})
	}
}

const (
	largeRows = 100_000 // the most VM rows that are accepted
	folderVMs = 3_000
)

// largeText returns a table of text with long names and UUIDs.
func largeText() []byte {
	var text bytes.Buffer
	text.WriteString("VM,Powerstate,CPUs,Memory,Provisioned MiB,In Use MiB,Folder,Datacenter,Cluster,Host,VM ID," +
		"VM UUID,VM Instance UUID\n")
	for i := range largeRows {
		fmt.Fprintf(&text, "vm-name-%[1]d.example.com,poweredOn,4,16384,204800,104448,/DC/vm/folder-%[1]d,DC,C%[2]d,"+
			"esx%[3]d.example.com,vm-%[1]d,422e%08[1]x-22c1-c6c1-1de8-eceec50f94bc,"+
			"502e%08[1]x-22c1-c6c1-1de8-eceec50f94bc\n", i, i%50, i%999)
	}
	return text.Bytes()
}

// largeWorkbook returns a workbook whose names, IDs and UUIDs are all different strings of the string table: four for
// each row. No row uses the other two sixths of the table.
func largeWorkbook(t *testing.T) []byte {
	t.Helper()
	var rows, items strings.Builder
	for i := range largeRows {
		fmt.Fprintf(&rows, `<row><c t="s"><v>%d</v></c><c><v>1</v></c><c t="s"><v>%d</v></c><c t="s"><v>%d</v></c>`+
			`<c t="s"><v>%d</v></c></row>`, i, i+largeRows, i+2*largeRows, i+3*largeRows)
	}
	for i := range 6 * largeRows {
		fmt.Fprintf(&items, "<si><t>502e%08x-22c1-c6c1-1de8-eceec50f94bc</t></si>", i)
	}
	return workbook(t, items.String(), rows.String(), "VM", "In Use MiB", "VM ID", "VM UUID", "VM Instance UUID")
}

// longFolders returns a workbook of 3,000 VMs in folders with the given number of different names of 32 KB. The string
// table contains each name once, so that 3,000 names exceed the limit on long strings, and a single one does not.
func longFolders(t *testing.T, names int) []byte {
	t.Helper()
	var rows, items strings.Builder
	for i := range folderVMs {
		fmt.Fprintf(&rows, `<row><c><v>1</v></c><c><v>1</v></c><c t="s"><v>%d</v></c></row>`, i%names)
	}
	for i := range names {
		fmt.Fprintf(&items, "<si><t>%05d%s</t></si>", i, strings.Repeat("x", 32_000))
	}
	return workbook(t, items.String(), rows.String(), "VM", "In Use MiB", "Folder")
}

// longRows returns a workbook with 100 rows of 16,384 cells, which is the most that Excel allows, and a short row.
func longRows(t *testing.T) []byte {
	t.Helper()
	row := "<row>" + vmCells + strings.Repeat("<c><v>1</v></c>", 16_382) + "</row>"
	return archiveOf(t, append(frame(), sheet(row, 100, vmRow+sheetEnd))...)
}

// workbook returns a workbook with the items of its string table, its rows, and the titles of its header row.
func workbook(t *testing.T, items, rows string, titles ...string) []byte {
	t.Helper()
	vmInfo := sheet(rows, 1, sheetEnd)
	vmInfo.begin = `<worksheet` + namespace + `><sheetData><row r="1">`
	for _, title := range titles {
		vmInfo.begin += `<c t="inlineStr"><is><t>` + title + `</t></is></c>`
	}
	vmInfo.begin += "</row>"
	table := part{
		name:   "xl/sharedStrings.xml",
		begin:  "<sst" + namespace + ">",
		repeat: items,
		times:  1,
		end:    "</sst>",
	}
	return archiveOf(t, append(frame(), vmInfo, table)...)
}
