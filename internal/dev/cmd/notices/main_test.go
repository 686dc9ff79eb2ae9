package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNotices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := module{Path: "example.com/a", Version: "v1.2.3", Dir: dir}
	var out bytes.Buffer
	err := writeNotices(&out, []module{m})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "example.com/a v1.2.3")
	files := map[string]string{"LICENSE.md": "all rights", "NOTICE": "by us", "license_test.go": "package a"}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	out.Reset()
	require.NoError(t, writeNotices(&out, []module{m}))
	for _, want := range []string{"LICENSE.md\n\nall rights", "NOTICE\n\nby us"} {
		want = "example.com/a v1.2.3: " + want
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "package a")
}

func TestBOM(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, writeBOM(&out, []module{{Path: "example.com/a", Version: "v1.2.3"}}, "0.1.0"))
	bom := cyclonedx.NewBOM()
	require.NoError(t, cyclonedx.NewBOMDecoder(&out, cyclonedx.BOMFileFormatJSON).Decode(bom))
	assert.Equal(t, "0.1.0", bom.Metadata.Component.Version)
	got, want := (*bom.Components)[0].PackageURL, "pkg:golang/example.com/a@v1.2.3"
	assert.Equal(t, want, got)
}
