package inventoryfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// TestRead_mergedVersions checks a sheet with the columns of both versions 3 and 4, and concatenated files. The VMs use
// 1, 2 and 4 MiB.
func TestRead_mergedVersions(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"columns of both": []byte("VM,In Use MiB,In Use MB,VM ID\na,1,,vm-1\nb,,2,vm-2\nc,,4,vm-3\n"),
		"appended":        []byte("VM,In Use MB,VM ID\na,1,vm-1\nVM,In Use MB,VM ID\nb,2,vm-2\n\"c\",4,vm-3\n"),
		"appended, another version": []byte("VM,In Use MB,VM ID\na,1,vm-1\n" +
			"VM,VM ID,In Use MiB,Cluster\nb,vm-2,2,C0\nc,vm-3,4,C0\n"),
		"appended, marked": []byte("\ufeff\"VM\",\"In Use MB\",\"VM ID\"\na,1,vm-1\n" +
			"\ufeff\"VM\",\"In Use MB\",\"VM ID\"\nb,2,vm-2\nc,4,vm-3\n"),
		"appended sheet": newWorkbook(t, map[string][][]any{"vInfo": {
			{"VM", "In Use MB", "VM ID"},
			{"a", 1, "vm-1"},
			{"VM", "VM ID", "In Use MiB"},
			{"b", "vm-2", 2},
			{"c", "vm-3", 4},
		}}),
	} {
		got := read(t, content, inventoryfile.Options{})
		require.Len(t, got.VMs, 3, name)
		assert.EqualValues(t, 7<<20, *got.UsedBytes, name)
		assert.Equal(t, "vm-3", got.VMs[2].ID, name)
		assert.Empty(t, got.Skipped, name)
	}
}

// TestRead_mergedCenters checks that VMs with the same ID in different vCenters are not duplicates. In Live Optics, the
// "vCenter" column contains a version, so the instance UUID distinguishes the VMs. Without both, their names do.
func TestRead_mergedCenters(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][][]any{
		"Live Optics": {
			{"VM Name", "Virtual Disk Used (MiB)", "MOB_ID", "InstanceUUID", "vCenter"},
			{"a", 1, "vm-1", "u-1", "8.0.3"},
			{"b", 2, "vm-1", "u-2", "8.0.3"},
			{"b", 2, "vm-1", "u-2", "8.0.3"},
		},
		"by UUID": {
			{"VM", "In Use MiB", "VM ID", "VI SDK UUID", "VI SDK Server"},
			{"a", 1, "vm-1", "vc-1", "vc"},
			{"b", 2, "vm-1", "vc-2", "vc"},
			{"b", 2, "vm-1", "vc-2", "vc"},
		},
		"by name": {
			{"VM", "In Use MiB", "VM ID", "VI SDK Server"},
			{"a", 1, "vm-1", "x"},
			{"b", 2, "vm-1", "y"},
			{"b", 2, "vm-1", "y"},
		},
		"unknown": {
			{"VM", "In Use MiB", "VM ID", "Cluster"},
			{"a", 1, "vm-1", "A"},
			{"b", 2, "vm-1", "A"},
			{"b", 2, "vm-1", "A"},
		},
		"unknown, one name": {
			{"VM", "In Use MiB", "VM ID", "Cluster"},
			{"a", 1, "vm-1", "A"},
			{"a", 2, "vm-1", "B"},
			{"a", 2, "vm-1", "B"},
		},
		"without ids": {
			{"VM", "In Use MiB", "VM Instance UUID"},
			{"a", 1, "u-1"},
			{"b", 2, "u-2"},
			{"b", 2, "u-2"},
		},
	} {
		sheet := "vInfo"
		if name == "Live Optics" {
			sheet = "VMs"
		}
		got := read(t, newWorkbook(t, map[string][][]any{sheet: rows}), inventoryfile.Options{})
		require.Len(t, got.VMs, 2, name)
		assert.EqualValues(t, 3<<20, *got.UsedBytes, name)
		require.Len(t, got.Skipped, 1, name)
		assert.Equal(t, inventoryfile.SkippedDuplicate, got.Skipped[0].Reason, name)
		assert.Equal(t, 4, got.Skipped[0].Row, name)
	}
}

// TestRead_thousands checks a version 3 CSV in which all separators are thousands separators. Memory is in whole MiB,
// so the separator in 16,384 is a thousands separator, and so is the one in 189,440.
func TestRead_thousands(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"US": "VM,CPUs,Memory,Provisioned MB,In Use MB,VM ID\na,2,\"16,384\",\"206,057\",\"189,440\",vm-1\n",
		"DE": "VM;CPUs;Memory;Provisioned MB;In Use MB;VM ID\na;2;16.384;206.057;189.440;vm-1\n",
	} {
		got := read(t, []byte(text), inventoryfile.Options{})
		assert.EqualValues(t, 16384<<20, *got.MemoryBytes, name)
		assert.EqualValues(t, 206057<<20, *got.ProvisionedBytes, name)
		assert.EqualValues(t, 189440<<20, *got.UsedBytes, name)
	}
	columns := map[string]string{"name": "VM", "memory_mib": "Memory", "used_mib": "In Use"}
	_, err := inventoryfile.Read(strings.NewReader("VM;Memory;In Use\na;16.384;1\n"),
		inventoryfile.Options{Columns: columns})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `row 2, column "Memory", VM "a": "16.384" is ambiguous`)
}

// TestRead_guest checks that the sizes of a VM's partitions are added up: 1 + 2 GiB for VM a. VM b has no partitions.
func TestRead_guest(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{"VM", "In Use MiB", "VM UUID", "VI SDK Server"},
		{"a", 4096, "u-1", "vc"},
		{"b", 4096, "u-2", "vc"},
	}
	for name, partitions := range map[string][][]any{
		"by name": {{"VM", "Disk", "Consumed MB"}, {"a", "/", 1024}, {"a", "/var", 2048}},
		"by UUID": {
			{"VM", "Consumed MiB", "VM UUID"},
			{"renamed", 1024, "u-1"},
			{"renamed", 2048, "u-1"},
		},
		"command line": {
			{"vPartitionVMName", "vPartitionConsumedMiB", "vPartitionUUID", "vPartitionVISDKServer"},
			{"a", "1,024.0", "u-1", "vc"},
			{"a", "2,048.0", "u-1", "vc"},
		},
	} {
		got := read(t, newWorkbook(t, map[string][][]any{"vInfo": rows, "vPartition": partitions}),
			inventoryfile.Options{})
		guest := got.VMs[0].GuestUsedBytes
		require.NotNil(t, guest, name)
		assert.EqualValues(t, 3<<30, *guest, name)
		require.Nil(t, got.VMs[1].GuestUsedBytes, name)
		assert.Nil(t, got.GuestUsedBytes, name)
	}
	optics := newWorkbook(t, map[string][][]any{"VMs": {
		{"VM Name", "Virtual Disk Used (MiB)", "Guest VM Disk Used (MiB)"},
		{"a", 2, 1},
		{"b", 2, 1},
	}})
	got := read(t, optics, inventoryfile.Options{})
	require.NotNil(t, got.GuestUsedBytes)
	assert.EqualValues(t, 2<<20, *got.GuestUsedBytes)
	bad := newWorkbook(t, map[string][][]any{
		"vInfo": rows,
		"vPartition": {
			{"VM", "Consumed MiB"},
			{"a", "much"},
		},
	})
	_, err := inventoryfile.Read(strings.NewReader(string(bad)), inventoryfile.Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `sheet "vPartition", row 2, column "Consumed MiB", VM "a": must be a number`)
}

func TestRead_shared(t *testing.T) {
	t.Parallel()
	content := newWorkbook(t, map[string][][]any{
		"tabvInfo": {{"VM", "In Use MiB", "Template"}, {"a", 1, "False"}, {"a", 1, "True"}},
		"tabvDisk": {{"VM", "Capacity MiB"}, {"a", 1}, {"a", 2}},
	})
	got := read(t, content, inventoryfile.Options{})
	require.Len(t, got.VMs, 1)
	assert.Nil(t, got.VMs[0].DiskBytes)
}

func TestRead_keep(t *testing.T) {
	t.Parallel()
	keep := inventoryfile.Options{KeepColumns: []string{"tier", "Owner"}}
	mapped := keep
	mapped.Columns = map[string]string{"name": "VM", "used_mib": "In Use MiB"}
	text := []byte("Owner,VM,In Use MiB,Tier\nx,a,1,gold\n,b,1\n")
	for name, o := range map[string]inventoryfile.Options{"RVTools": keep, "columns": mapped} {
		got := read(t, text, o)
		require.Equal(t, []string{"gold", "x"}, got.VMs[0].KeptCells, name)
		assert.Equal(t, []string{"", ""}, got.VMs[1].KeptCells, name)
	}
	keep.KeepColumns = []string{"Team"}
	_, err := inventoryfile.Read(strings.NewReader(string(text)), keep)
	require.Error(t, err)
	assert.Contains(t, err.Error(), `no column "Team"`)
	mapped.Columns = map[string]string{"name": "VM", "used_mib": "Used (GB)"}
	_, err = inventoryfile.Read(strings.NewReader("VM,Used (GB)\na,1\n"), mapped)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "the unit is ambiguous")
}
