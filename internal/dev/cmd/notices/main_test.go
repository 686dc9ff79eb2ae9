package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

func TestNotices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := module{Path: "example.com/a", Version: "v1.2.3", Dir: dir}
	var out bytes.Buffer
	if err := writeNotices(&out, []module{m}); err == nil || !strings.Contains(err.Error(), "example.com/a v1.2.3") {
		t.Errorf("without a licence: got %v, want an error that names the module", err)
	}
	files := map[string]string{"LICENSE.md": "all rights", "NOTICE": "by us", "license_test.go": "package a"}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	out.Reset()
	require.NoError(t, writeNotices(&out, []module{m}))
	for _, want := range []string{"LICENSE.md\n\nall rights", "NOTICE\n\nby us"} {
		if want = "example.com/a v1.2.3: " + want; !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want it to contain %q", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "package a") {
		t.Errorf("got %q, want no source files", out.String())
	}
}

func TestBOM(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, writeBOM(&out, []module{{Path: "example.com/a", Version: "v1.2.3"}}, "0.1.0"))
	bom := cyclonedx.NewBOM()
	require.NoError(t, cyclonedx.NewBOMDecoder(&out, cyclonedx.BOMFileFormatJSON).Decode(bom))
	if got := bom.Metadata.Component.Version; got != "0.1.0" {
		t.Errorf("got version %q, want 0.1.0", got)
	}
	if got, want := (*bom.Components)[0].PackageURL, "pkg:golang/example.com/a@v1.2.3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
