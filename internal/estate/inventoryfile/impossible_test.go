package inventoryfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// sizeFields are the numeric fields of a VM with a unit, and cpuField is the other one.
var sizeFields = []string{"memory_mib", "provisioned_mib", "used_mib", "disk_mib", "guest_used_mib"}

const cpuField = "cpu_count"

// TestRead_impossibleNumbers checks that a number of one VM that cannot be true never refuses the file: the value of
// the VM is unknown, and the other VM keeps its value.
func TestRead_impossibleNumbers(t *testing.T) {
	t.Parallel()
	values := func(vm inventoryfile.VM) map[string]*int64 {
		return map[string]*int64{
			"memory_mib":      vm.MemoryBytes,
			"provisioned_mib": vm.ProvisionedBytes,
			"used_mib":        vm.UsedBytes,
			"disk_mib":        vm.DiskBytes,
			"guest_used_mib":  vm.GuestUsedBytes,
			cpuField:          vm.CPUCount,
		}
	}
	for _, number := range []string{"-1", "-0.5", "1e13", "1e999", "-1e999", "99999999999999999999"} {
		for _, field := range append([]string{cpuField}, sizeFields...) {
			name := field + " " + number
			fields := append([]string{cpuField}, sizeFields...)
			good := slices.Repeat([]string{"8"}, len(fields))
			bad := slices.Clone(good)
			bad[slices.Index(fields, field)] = number
			file := "name," + strings.Join(fields, ",") + "\na," + strings.Join(good, ",") + "\nb," +
				strings.Join(bad, ",") + "\n"
			got := read(t, []byte(file), inventoryfile.Options{})
			require.Len(t, got.VMs, 2, name)
			require.NotNil(t, values(got.VMs[0])[field], name)
			assert.Nil(t, values(got.VMs[1])[field], name)
			require.Len(t, got.Unknown, 1, name)
			where := fmt.Sprintf(`row 3, column "%s", VM "b": must be`, field)
			assert.Contains(t, got.Unknown[0].Error(), where, name)
			assert.Contains(t, got.Unknown[0].Error(), fmt.Sprintf("got %q", number), name)
		}
	}
}

func TestRead_smallSizes(t *testing.T) {
	t.Parallel()
	// 0.0000009 GiB are 966 bytes, less than the smallest size of the calculators. 0.000001 GiB are 1,074 bytes.
	got := read(t, []byte("name,used_gib\na,0\nb,1e-7\nc,0.0000009\nd,0.000001\ne,40\n"), inventoryfile.Options{})
	require.Len(t, got.VMs, 5)
	var unknown []string
	for _, vm := range got.VMs {
		if vm.UsedBytes == nil {
			unknown = append(unknown, vm.Name)
		}
	}
	assert.Equal(t, []string{"a", "b", "c"}, unknown)
	var skipped []string
	for _, s := range got.Skipped {
		skipped = append(skipped, fmt.Sprintln(s.Row, s.Name, s.Reason))
	}
	assert.Equal(t, []string{"2 a no_size\n", "3 b no_size\n", "4 c no_size\n"}, skipped)
	require.NotNil(t, got.UsedBytes)
	assert.EqualValues(t, 40<<30+1074, *got.UsedBytes)
	assert.Empty(t, got.Unknown)
}

func TestRead_fractionalCPU(t *testing.T) {
	t.Parallel()
	got := read(t, []byte("name,used_gib,cpu_count\na,1,1.5\nb,1,0\n"), inventoryfile.Options{})
	assert.Nil(t, got.VMs[0].CPUCount)
	require.NotNil(t, got.VMs[1].CPUCount)
	assert.EqualValues(t, 0, *got.VMs[1].CPUCount)
	require.Len(t, got.Unknown, 1)
	assert.EqualError(t, got.Unknown[0],
		`row 2, column "cpu_count", VM "a": must be a whole number from 0 to 1,000,000, got "1.5"`)
}

// TestRead_impossibleParts checks numbers in the tables of disks and file systems.
func TestRead_impossibleParts(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"VM", "VM ID", "In Use MiB"}, {"a", "vm-1", 1}, {"b", "vm-2", 1}}
	for name, run := range map[string]struct {
		capacity any
		says     string
	}{
		"negative": {-1, `sheet "vDisk", row 3, column "Capacity MiB", VM "b": must be from 0 to 4 PiB, got "-1"`},
		"too large": {
			1e13, `sheet "vDisk", row 3, column "Capacity MiB", VM "b": must be from 0 to 4 PiB, got "10000000000000"`,
		},
		// 2^32 - 1 MiB are almost 4 PiB.
		"too large together": {1<<32 - 1, `VM "b": must be at most 4 PiB for all disks or partitions of a VM`},
	} {
		got := read(t, newWorkbook(t, map[string][][]any{
			"vInfo": rows,
			"vDisk": {
				{"VM", "VM ID", "Capacity MiB"}, {"a", "vm-1", 5}, {"b", "vm-2", run.capacity}, {"b", "vm-2", 2},
			},
		}), inventoryfile.Options{})
		require.NotNil(t, got.VMs[0].DiskBytes, name)
		assert.EqualValues(t, 5<<20, *got.VMs[0].DiskBytes, name)
		assert.Nil(t, got.VMs[1].DiskBytes, name)
		require.Len(t, got.Unknown, 1, name)
		assert.Contains(t, got.Unknown[0].Error(), run.says, name)
	}
}

func TestRead_withoutUsedSize(t *testing.T) {
	t.Parallel()
	provisioned := "VM,Powerstate,Provisioned MiB\na,poweredOn,1024\n"
	got := read(t, []byte(provisioned), inventoryfile.Options{})
	require.Len(t, got.VMs, 1)
	assert.Nil(t, got.UsedBytes)
	assert.Equal(t, []string{"provisioned"}, got.Sizes)
	assert.Empty(t, got.Skipped)
	sheets := map[string][][]any{
		"vInfo": {{"VM", "Powerstate", "VM ID"}, {"a", "poweredOn", "vm-1"}},
		"vDisk": {{"VM", "VM ID", "Capacity MiB"}, {"a", "vm-1", 5}},
	}
	got = read(t, newWorkbook(t, sheets), inventoryfile.Options{})
	require.NotNil(t, got.VMs[0].DiskBytes)
	assert.EqualValues(t, 5<<20, *got.VMs[0].DiskBytes)
	assert.Equal(t, []string{"disk"}, got.Sizes)
	delete(sheets, "vDisk")
	_, err := inventoryfile.Read(strings.NewReader(string(newWorkbook(t, sheets))), inventoryfile.Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `sheet "vInfo": there is no column "In Use MiB" in the first 10 rows`)
}
