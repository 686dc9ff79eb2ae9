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

// manyRows returns n rows. Row i (from 1) has i * 1,024 MiB of memory, i * 20 MiB provisioned and i * 10.5 MiB in use.
func manyRows(n int, format func(mib float64) any) [][]any {
	rows := make([][]any, 0, n)
	for i := range n {
		mib := float64(i + 1)
		rows = append(rows,
			vm(fmt.Sprintf("vm %d", i), fmt.Sprintf("vm-%d", i), format(mib*1024), format(mib*20), format(mib*10.5)))
	}
	return rows
}

func locale(thousands, decimal string) func(float64) any {
	return func(value float64) any {
		whole, fraction, _ := strings.Cut(fmt.Sprintf("%.1f", value), ".")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + thousands + whole[i:]
		}
		return whole + decimal + fraction
	}
}

// manyFiles returns xlsx and CSV files that all contain the same n VMs. They have the headers of version 3, version 4
// or the command-line export, and contain numeric cells or numbers formatted as US or German text.
func manyFiles(tb testing.TB, n int) map[string][]byte {
	tb.Helper()
	us, de := manyRows(n, locale(",", ".")), manyRows(n, locale(".", ","))
	plain := manyRows(n, func(value float64) any { return value })
	files := map[string][]byte{
		"version 4 xlsx numbers": newWorkbook(tb, map[string][][]any{"vInfo": slices.Concat([][]any{version4}, plain)}),
		"command line CSV":       []byte(csvOf(",", slices.Concat([][]any{commandLine}, plain)...)),
	}
	for version, header := range map[string][]any{"version 4": version4, "version 3": version3} {
		us, de := slices.Concat([][]any{header}, us), slices.Concat([][]any{header}, de)
		files[version+" xlsx US"] = newWorkbook(tb, map[string][][]any{"vInfo": us})
		files[version+" xlsx DE"] = newWorkbook(tb, map[string][][]any{"vInfo": de})
		files[version+" CSV US"] = []byte(csvOf(",", us...))
		files[version+" CSV DE"] = []byte(csvOf(";", de...))
	}
	return files
}

// TestRead_many checks that the sums are exact: 1 + 2 + ... + 2,000 = 2,001,000.
func TestRead_many(t *testing.T) {
	t.Parallel()
	const many, sum, mib = 2000, int64(2_001_000), int64(1) << 20
	files := manyFiles(t, many)
	require.Len(t, files, 10)
	for name, content := range files {
		got := read(t, content, inventoryfile.Options{})
		require.Len(t, got.VMs, many, name)
		assert.Empty(t, got.Skipped, name)
		assert.Equal(t, sum*1024*mib, *got.MemoryBytes, name)
		assert.Equal(t, sum*20*mib, *got.ProvisionedBytes, name)
		assert.Equal(t, sum*21*mib/2, *got.UsedBytes, name)
	}
}

// BenchmarkRead reads files of 10,000 VMs. Each should take at most 2 s.
func BenchmarkRead(b *testing.B) {
	files := manyFiles(b, 10_000)
	for _, name := range []string{"version 4 xlsx US", "version 3 xlsx DE", "version 4 CSV US", "version 3 CSV DE"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				read(b, files[name], inventoryfile.Options{})
			}
		})
	}
}
