package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder returns a valid release for linux_amd64, modified by change, and its extras.
func folder(t *testing.T, change func(files map[string]string)) (fs.FS, map[string][]byte) {
	t.Helper()
	files := map[string]string{
		"terraform-provider-vsla_1.2.3_linux_amd64.zip": program(t, "terraform-provider-vsla_v1.2.3"),
		"vsla_1.2.3_linux_amd64.zip":                    program(t, "vsla"),
		"sbom":                                          "materials",
		"manifest":                                      `{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}`,
	}
	files["terraform-provider-vsla_1.2.3_SHA256SUMS"] = sum(files["terraform-provider-vsla_1.2.3_linux_amd64.zip"]) +
		"  terraform-provider-vsla_1.2.3_linux_amd64.zip\n" + sum(files["vsla_1.2.3_linux_amd64.zip"]) +
		"  vsla_1.2.3_linux_amd64.zip\n" + sum(files["manifest"]) +
		"  terraform-provider-vsla_1.2.3_manifest.json\n" + sum(files["sbom"]) +
		"  terraform-provider-vsla_1.2.3_sbom.cdx.json\n"
	change(files)
	dir := fstest.MapFS{}
	for name, content := range files {
		dir[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return dir, map[string][]byte{
		"manifest.json": []byte(files["manifest"]),
		"sbom.cdx.json": []byte(files["sbom"]),
	}
}

func program(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{name, "LICENSE", "THIRD-PARTY-NOTICES.txt"} {
		header := &zip.FileHeader{Name: name}
		header.SetMode(0o755)
		_, err := w.CreateHeader(header)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

func sum(content string) string {
	s := sha256.Sum256([]byte(content))
	return hex.EncodeToString(s[:])
}

func TestCheck(t *testing.T) {
	t.Parallel()
	dir, extras := folder(t, func(map[string]string) {})
	got, err := check(dir, extras)
	want := []string{"terraform-provider-vsla for linux_amd64", "vsla for linux_amd64"}
	require.NoError(t, err)
	assert.Equal(t, want, got.platforms)
	assert.Len(t, got.files, 5)
	const (
		archive = "terraform-provider-vsla_1.2.3_linux_amd64.zip"
		sums    = "terraform-provider-vsla_1.2.3_SHA256SUMS"
	)
	for name, test := range map[string]struct {
		change func(files map[string]string)
		want   string
	}{
		"no checksums":       {func(f map[string]string) { delete(f, sums) }, "0 files of checksums"},
		"another archive":    {func(f map[string]string) { f[archive] += " " }, "the checksum is"},
		"an archive too few": {func(f map[string]string) { delete(f, archive) }, "1 archives and 2 checksums"},
		"an archive too many": {func(f map[string]string) {
			f["terraform-provider-vsla_1.2.3_darwin_arm64.zip"] = f[archive]
		}, "3 archives and 2 checksums"},
		"no manifest listed": {
			func(f map[string]string) { f[sums] = strings.Split(f[sums], "\n")[0] + "\n" },
			"manifest.json: the checksum is",
		},
		"other materials": {func(f map[string]string) { f["sbom"] += " " }, "sbom.cdx.json: the checksum is"},
		"another protocol": {func(f map[string]string) {
			old := f["manifest"]
			f["manifest"] = strings.Replace(old, "6.0", "5.0", 1)
			f[sums] = strings.Replace(f[sums], sum(old), sum(f["manifest"]), 1)
		}, "the provider uses 6.0"},
		"another name": {func(f map[string]string) {
			f["terraform-provider-vsla_1.2.4_linux_amd64.zip"] = f[archive]
			delete(f, archive)
		}, "the name is not"},
		"no command line": {func(f map[string]string) {
			const cli = "vsla_1.2.3_linux_amd64.zip"
			f[sums] = strings.Replace(f[sums], sum(f[cli])+"  "+cli+"\n", "", 1)
			delete(f, cli)
		}, "no archive of the command vsla for linux_amd64"},
		"another program": {func(f map[string]string) {
			old := f[archive]
			f[archive] = program(t, "terraform-provider-vsla")
			f[sums] = strings.Replace(f[sums], sum(old), sum(f[archive]), 1)
		}, "has no program terraform-provider-vsla_v1.2.3"},
	} {
		dir, extras := folder(t, test.change)
		_, err := check(dir, extras)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}
