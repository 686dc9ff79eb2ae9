package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	_, err := w.Create(project + "_v1.2.3")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	name := fmt.Sprintf("%s_1.2.3_%s_%s.zip", project, runtime.GOOS, runtime.GOARCH)
	other := release(t, name, archive.Bytes())
	for what, c := range map[string]struct {
		change func(r *registry)
		says   string
	}{
		"signed":           {func(*registry) {}, "Installed 127.0.0.1:"},
		"no signature":     {func(r *registry) { r.signature = []byte("none") }, "signature"},
		"another key":      {func(r *registry) { r.key, r.keyID = other.key, other.keyID }, "signature"},
		"another checksum": {func(r *registry) { r.sum = fmt.Sprintf("%064x", 1) }, "checksum"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
				t.Helper()
				r := release(t, name, archive.Bytes())
				c.change(r)
				var out bytes.Buffer
				err := r.install(t.Context(), cli, &out, "init")
				assert.Equal(t, what == "signed", err == nil, "%v, %v", err, out.String())
				assert.Contains(t, out.String(), c.says)
			})
		})
	}
}

func release(t *testing.T, name string, archive []byte) *registry {
	t.Helper()
	dir := t.TempDir()
	list := fmt.Sprintf("%x  %s\n", sha256.Sum256(archive), name)
	require.NoError(t, os.WriteFile(filepath.Join(dir, sums), []byte(list), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), archive, 0o600))
	r, err := newRegistry(dir)
	require.NoError(t, err)
	return r
}

func TestNewRegistry_noArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := newRegistry(dir)
	require.Error(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, sums), []byte("x  vsla_1.2.3_plan9_mips.zip\n"), 0o600))
	_, err = newRegistry(dir)
	assert.ErrorContains(t, err, "lists no archive of the provider")
}
