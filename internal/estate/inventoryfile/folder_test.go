package inventoryfile_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

const (
	vmInfoText = "VM;In Use MiB;VM ID\na;1.024,5;vm-1\n"
	vmDiskText = "VM;Capacity MiB;VM ID\na;2.048;vm-1\na;1.024,5;vm-1\n"
)

// TestReadFolder checks that the files of an RVTools export are read together, whatever the folder's other files are.
func TestReadFolder(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][2]string{
		"RVTools":   {"RVTools_tabvInfo.csv", "RVTools_tabvDisk.csv"},
		"with date": {"site-a_tabvInfo_2026-11-28.csv", "site-a_tabvDisk_2026-11-28.CSV"},
		"renamed":   {"vInfo.csv", "vDisk.csv"},
	} {
		folder := fstest.MapFS{
			files[0]:    {Data: []byte(vmInfoText)},
			files[1]:    {Data: []byte(vmDiskText)},
			"other.csv": {Data: []byte("a,\"b\n")},
			"notes.txt": {Data: []byte("x")},
		}
		got, err := inventoryfile.ReadFolder(folder, inventoryfile.Options{})
		require.NoError(t, err, name)
		require.Len(t, got.VMs, 1, name)
		require.NotNil(t, got.VMs[0].DiskBytes, name)
		// 2,048 + 1,024.5 MiB.
		assert.EqualValues(t, 3072.5*(1<<20), *got.VMs[0].DiskBytes, name)
		content := archiveOf(t,
			part{name: "export/" + files[0], begin: vmInfoText}, part{name: "export/" + files[1], begin: vmDiskText})
		got = read(t, content, inventoryfile.Options{})
		require.NotNil(t, got.VMs[0].DiskBytes, name)
		assert.EqualValues(t, 3072.5*(1<<20), *got.VMs[0].DiskBytes, name)
	}
}

func TestReadFolder_problems(t *testing.T) {
	t.Parallel()
	_, err := inventoryfile.ReadFolder(fstest.MapFS{"a.txt": {}}, inventoryfile.Options{})
	require.EqualError(t, err, "the folder contains no CSV files")
	_, err = inventoryfile.ReadFolder(fstest.MapFS{"a.csv": {}, "b.csv": {}}, inventoryfile.Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `its sheets are "a.csv", "b.csv"`)
	workbook := archiveOf(t, part{name: "RVTools.xlsx", begin: "x"})
	_, err = inventoryfile.Read(bytes.NewReader(workbook), inventoryfile.Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `Unpack the file that contains the VMs; its files are "RVTools.xlsx"`)
}

func TestRead_liveOpticsText(t *testing.T) {
	t.Parallel()
	text := "VM Name,Power State,Virtual Disk Used (MiB),MOB ID\na,poweredOn,1024,vm-1\n"
	for _, format := range []string{inventoryfile.Auto, inventoryfile.LiveOptics} {
		got := read(t, []byte(text), inventoryfile.Options{Format: format})
		assert.Equal(t, inventoryfile.LiveOptics, got.Format)
		assert.Equal(t, "vm-1", got.VMs[0].ID)
	}
}

// TestRead_preamble checks lines above the headers of a CSV file.
func TestRead_preamble(t *testing.T) {
	t.Parallel()
	for name, preamble := range map[string]string{
		"delimiter":  "sep=;\n",
		"PowerShell": "#TYPE System.Object\n",
		"title":      "Export of vCenter, by RVTools\n\n",
		"nine lines": strings.Repeat("x\n", 9),
		"both":       "sep=;\nInventory\n",
	} {
		got := read(t, []byte(preamble+"VM;In Use MiB;Note\na;1;b, c, d\n"), inventoryfile.Options{})
		require.Len(t, got.VMs, 1, name)
		assert.Equal(t, "a", got.VMs[0].Name, name)
	}
	late := strings.Repeat("x\n", 10) + "VM,In Use MiB\na,1\n"
	_, err := inventoryfile.Read(strings.NewReader(late), inventoryfile.Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `no column "VM" in its first 10 rows`)
}

func TestReadPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "vInfo.csv")
	require.NoError(t, os.WriteFile(file, []byte(vmInfoText), 0o600))
	for _, name := range []string{folder, file} {
		got, err := inventoryfile.ReadPath(name, inventoryfile.Options{})
		require.NoError(t, err, name)
		assert.Len(t, got.VMs, 1, name)
	}
	_, err := inventoryfile.ReadPath(filepath.Join(folder, "none"), inventoryfile.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	before, err := inventoryfile.Digest(folder)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("x"), 0o600))
	same, err := inventoryfile.Digest(folder)
	require.NoError(t, err)
	assert.Equal(t, hex.EncodeToString(before), hex.EncodeToString(same))
	require.NoError(t, os.WriteFile(file, []byte(vmInfoText+"b;1;vm-2\n"), 0o600))
	changed, err := inventoryfile.Digest(folder)
	require.NoError(t, err)
	assert.NotEqual(t, hex.EncodeToString(before), hex.EncodeToString(changed))
}
