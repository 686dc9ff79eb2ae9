package inventoryfile_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func checkConsistent(t *testing.T, found inventoryfile.Inventory) {
	t.Helper()
	var used int64
	keys := make([]string, 0, len(found.VMs))
	for _, vm := range found.VMs {
		if vm.UsedBytes != nil {
			used += *vm.UsedBytes
		}
		keys = append(keys, vm.Key)
	}
	if found.UsedBytes != nil {
		require.Equal(t, *found.UsedBytes, used)
		assert.GreaterOrEqual(t, used, int64(0))
	}
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
	var cell *inventoryfile.CellError
	if _, ok := errors.AsType[*inventoryfile.FileError](err); !ok {
		assert.ErrorAs(t, err, &cell)
	}
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
	f.Add(newWorkbook(f, map[string][][]any{"VMs": {
		{"VM Name", "Virtual Disk Used (MiB)"},
		{"a", 1},
	}}))
	f.Fuzz(func(t *testing.T, content []byte) { checkRead(t, content, inventoryfile.Options{}) })
}
