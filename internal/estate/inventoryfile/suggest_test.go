package inventoryfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func suggestion(t *testing.T, content []byte) map[string]string {
	t.Helper()
	_, err := inventoryfile.Read(bytes.NewReader(content), inventoryfile.Options{})
	require.Error(t, err)
	var file *inventoryfile.FileError
	require.ErrorAs(t, err, &file)
	return file.Columns
}

// TestRead_suggestion checks the suggested columns, and the size that the file has with them.
func TestRead_suggestion(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for name, run := range map[string]struct {
		text string
		want map[string]string
		used int64
	}{
		"PowerCLI": {
			`#TYPE Selected.VM` + "\n" + `"Name","PowerState","UsedSpaceGB"` + "\n" + `"a","PoweredOn","100"` + "\n",
			map[string]string{"name": "Name", "used_gib": "UsedSpaceGB"},
			100 * gib,
		},
		"vSphere Client": {
			"Name,Used Space,Host Mem\na,40.5 GB,4 GB\nb,1.5 TB,1 GB\nc,0 B,0 B\n",
			map[string]string{"name": "Name", "used_gib": "Used Space"},
			40.5*gib + 1536*gib,
		},
		"TB": {
			"Virtual Machine,Used TB\na,1.5\n",
			map[string]string{"name": "Virtual Machine", "used_tib": "Used TB"},
			1536 * gib,
		},
		"bytes": {
			"Server;Used (Bytes)\na;1073741824\n",
			map[string]string{"name": "Server", "used_bytes": "Used (Bytes)"},
			gib,
		},
		"KB": {"VM name|Used KB\na|1048576\n", map[string]string{"name": "VM name", "used_kib": "Used KB"}, gib},
		"German": {
			"Maschine;Belegt in MiB\na;1.024,5\n",
			map[string]string{"name": "Maschine", "used_mib": "Belegt in MiB"},
			1024.5 * (1 << 20),
		},
		"a title": {
			"Report of May\n\nsep. list\nName,Used GB\na,1\n",
			map[string]string{"name": "Name", "used_gib": "Used GB"},
			gib,
		},
		"no unit":      {"Name,Used\na,1\n", nil, 0},
		"no size":      {"Name,Notes\na,1\n", nil, 0},
		"text":         {"Name,Used GB\na,much\n", nil, 0},
		"petabytes":    {"Name,Used PB\na,1\n", nil, 0},
		"two columns":  {"Name,Used GB,Used GB\na,1,1\n", nil, 0},
		"host memory":  {"Name,Host Mem GB\na,1\n", nil, 0},
		"per hour":     {"Name,Used GB,Hour\na,1,0\na,1,1\n", nil, 0},
		"only headers": {"Name,Used GB\n", nil, 0},
	} {
		got := suggestion(t, []byte(run.text))
		require.Equal(t, run.want, got, name)
		if run.want == nil {
			continue
		}
		found := read(t, []byte(run.text), inventoryfile.Options{Columns: got})
		require.NotNil(t, found.UsedBytes, name)
		assert.Equal(t, run.used, *found.UsedBytes, name)
	}
	provisioned := suggestion(t, []byte("Server,Size (GB),Site\na,1,x\n"))
	assert.Equal(t, map[string]string{"name": "Server", "provisioned_gib": "Size (GB)"}, provisioned)
	workbook := newWorkbook(t, map[string][][]any{"Servers": {{"Servers of May"}, {"Server", "Used (GB)"}, {"a", 1}}})
	assert.Equal(t, map[string]string{"name": "Server", "used_gib": "Used (GB)"}, suggestion(t, workbook))
}

// TestRead_drawnSuggestions checks for 500 drawn files that a suggestion is accepted.
func TestRead_drawnSuggestions(t *testing.T) {
	t.Parallel()
	suggested := 0
	for seed := range uint64(500) {
		text := drawFile(rand.New(rand.NewPCG(seed, 1)))
		_, err := inventoryfile.Read(strings.NewReader(text), inventoryfile.Options{})
		var file *inventoryfile.FileError
		if !errors.As(err, &file) || file.Columns == nil {
			continue
		}
		suggested++
		_, err = inventoryfile.Read(strings.NewReader(text), inventoryfile.Options{Columns: file.Columns})
		require.NoError(t, err, "seed %d: %v for\n%s", seed, file.Columns, text)
	}
	assert.Greater(t, suggested, 50)
}

func drawFile(random *rand.Rand) string {
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	unit := pick("", " GB", " (GiB)", "GB", " MB", "_mib", " TB", " (Bytes)", " KB", " PB", " (%)")
	suffix := pick("", "", "", " GB", " MB", " B", " apples")
	headers := []string{
		pick("Name", "VM", "Server", "Host", "Virtual Machine", "Maschine", "Used", "Notes"),
		pick("Used", "UsedSpace", "In Use", "Belegt", "Size", "Capacity", "Free", "Name", "Host Mem") + unit,
		pick("Cluster", "Used GB", "Provisioned Space", "Notes", "State", "Memory GB"),
	}
	random.Shuffle(len(headers), func(i, j int) { headers[i], headers[j] = headers[j], headers[i] })
	delimiter := pick(",", ";", "\t", "|")
	var text strings.Builder
	for range random.IntN(4) {
		text.WriteString(pick("#TYPE Selected\n", "Report of May\n", "\n", "sep="+delimiter+"\n", "a"+delimiter+"b\n"))
	}
	text.WriteString(strings.Join(headers, delimiter) + "\n")
	for row := range random.IntN(5) {
		cells := []string{
			pick(fmt.Sprint("vm-", row), fmt.Sprint("vm-", row), "same", ""),
			pick("0", "1", "12.5", "3,5", "1.024", "-1", "1e9", "x", "40960") + suffix,
			pick("C1", "7", "", "2 TB"),
		}
		text.WriteString(strings.Join(cells, delimiter) + "\n")
	}
	return text.String()
}

func TestRead_units(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		field, cell string
		want        int64
	}{
		"GB in GiB":      {"used_gib", "2 GB", 2 << 30},
		"TB in GiB":      {"used_gib", "1.5 TB", 1536 << 30},
		"lower case":     {"used_gib", "512mb", 512 << 20},
		"KiB":            {"used_mib", "2048 KiB", 2 << 20},
		"bytes":          {"used_mib", "1048576 bytes", 1 << 20},
		"GB in 10^9":     {"used_gb", "2 GB", 2e9},
		"TB in 10^9":     {"used_gb", "2 TB", 2e12},
		"GiB in 10^9":    {"used_gb", "2 GiB", 2 << 30},
		"no unit, TB":    {"used_tb", "2", 2e12},
		"no unit, TiB":   {"used_tib", "2", 2 << 40},
		"no unit, KiB":   {"used_kib", "2048", 2 << 20},
		"no unit, bytes": {"used_bytes", "4096", 4096},
		"no space":       {"used_gib", "2GB", 2 << 30},
		"hard space":     {"used_gib", "2\u00a0GB", 2 << 30},
	} {
		text := "Server;Amount\na;" + run.cell + "\n"
		columns := map[string]string{"name": "Server", run.field: "Amount"}
		got := read(t, []byte(text), inventoryfile.Options{Columns: columns})
		require.NotNil(t, got.UsedBytes, name)
		assert.Equal(t, run.want, *got.UsedBytes, name)
	}
	for name, text := range map[string]string{
		"unknown":     "Server;Amount\na;2 PX\n",
		"only a unit": "Server;Amount\na;GB\n",
	} {
		columns := map[string]string{"name": "Server", "used_gib": "Amount"}
		_, err := inventoryfile.Read(strings.NewReader(text), inventoryfile.Options{Columns: columns})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), `row 2, column "Amount", VM "a": must be a number`, name)
	}
}
