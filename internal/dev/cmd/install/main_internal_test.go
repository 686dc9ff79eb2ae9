package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		described, want, commits string
	}{
		{"v1.2.3", "1.2.3", "900"},
		{"v1.2.3-4-gabcdef0", "0.0.900", "900"},
		{"v1.2.3-dirty", "0.0.900", "900"},
		{"abcdef0", "0.0.900", "900"},
		{"1234567", "0.0.900", "900"}, // an abbreviated commit hash that has only digits
		{"", "0.0.1", ""},
	} {
		assert.Equal(t, test.want, versionNumber(test.described, test.commits))
	}
}

func TestPackages(t *testing.T) {
	t.Parallel()
	got := packages("mirror", "1.2.3", "linux", "amd64")
	want := []string{
		filepath.FromSlash("mirror/registry.terraform.io/vsla/vsla/1.2.3/linux_amd64/terraform-provider-vsla_v1.2.3"),
		filepath.FromSlash("mirror/registry.opentofu.org/vsla/vsla/1.2.3/linux_amd64/terraform-provider-vsla_v1.2.3"),
	}
	assert.Equal(t, want, got)
	assert.Equal(t, filepath.FromSlash("bin/vsla.exe"), commandPath("bin", "windows"))
	if got := packages("mirror", "1.2.3", "windows", "amd64")[0]; !strings.HasSuffix(got, "_v1.2.3.exe") {
		t.Errorf("on Windows the program is %q, want one that ends in .exe", got)
	}
}

func TestCompress(t *testing.T) {
	t.Parallel()
	dir, want := t.TempDir(), strings.Repeat("engine ", 1000)
	from := filepath.Join(dir, "engine")
	require.NoError(t, os.WriteFile(from, []byte(want), 0o600))
	var files [2]string
	for i, name := range []string{"a.gz", "b.gz"} {
		require.NoError(t, compress(from, filepath.Join(dir, name)))
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		files[i] = string(content)
	}
	r, err := gzip.NewReader(strings.NewReader(files[0]))
	require.NoError(t, err)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, want, string(got))
	assert.Equal(t, files[1], files[0])
}
