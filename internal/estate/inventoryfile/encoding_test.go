package inventoryfile_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// TestRead_windows1252: the CSV of a German Excel is read with a note, whatever the size of the reads and wherever the
// first umlaut is.
func TestRead_windows1252(t *testing.T) {
	t.Parallel()
	early := "VM;In Use MiB\nB\xfcro \x80;1.024,0\n"
	late := "VM;In Use MiB\n" + strings.Repeat("a;1\n", 20_000) + "B\xfcro \x80;1.024,0\n"
	for name, text := range map[string]string{"early": early, "late": late} {
		got, err := inventoryfile.Read(iotest.HalfReader(strings.NewReader(text)), inventoryfile.Options{})
		require.NoError(t, err, name)
		found := false
		for _, vm := range got.VMs {
			found = found || vm.Name == "Büro €" && vm.UsedBytes == 1<<30
		}
		require.True(t, found,
			"%s: got %d VMs in %q; want Büro € of 1 GiB, and Windows-1252", name, len(got.VMs), got.Encoding)
		assert.Equal(t, inventoryfile.Windows1252, got.Encoding, name)
	}
	assert.Equal(t, "", read(t, []byte("VM;In Use MiB\nBüro;1\n"), inventoryfile.Options{}).Encoding)
}

// TestRead_ownFields: a CSV with the names of the fields needs no columns, and the error about another one has the
// headers that seem to be needed.
func TestRead_ownFields(t *testing.T) {
	t.Parallel()
	got := read(t, []byte("name,Used_GiB,cluster,owner\na,2,C0,me\n"), inventoryfile.Options{})
	assert.True(t, len(got.VMs) == 1 && got.UsedBytes == 2<<30 && got.VMs[0].Cluster == "C0",
		"got %+v, want a with 2 GiB in C0", got.VMs)
	for header, want := range map[string]map[string]string{
		"Server,Size (GB),Site":  {"name": "Server", "used_gb": "Size (GB)"},
		"Maschine;Belegt in MiB": {"name": "", "used_mib": "Belegt in MiB"},
		"VM Name,Notes":          {"name": "VM Name", "used_gib": ""},
	} {
		_, err := inventoryfile.Read(strings.NewReader(header+"\n"), inventoryfile.Options{})
		var file *inventoryfile.FileError
		require.True(t, errors.As(err, &file), "%s: got %v with %v, want %v", header, err, file, want)
		assert.Equal(t, want, file.Columns, header)
	}
}
