// The OPA bundle: the kit without its tests, with a manifest.

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// roots are what the bundle owns of OPA's data. data.gate, the settings, is not part of it.
var roots = []string{"main", "vsla"}

// manifest is the file .manifest of a bundle.
type manifest struct {
	Revision    string   `json:"revision"`
	Roots       []string `json:"roots"`
	RegoVersion int      `json:"rego_version"`
}

// bundle writes the policies of a folder as an OPA bundle: gzipped tar without times, owners and modes of the computer,
// so that the same policies and revision make the same bytes.
func bundle(w io.Writer, dir fs.FS, revision string) error {
	names, err := fs.Glob(dir, "*.rego") // sorted
	if err != nil {
		return err
	}
	about, err := json.Marshal(manifest{Revision: revision, Roots: roots, RegoVersion: 1})
	if err != nil {
		return err
	}
	zipped := gzip.NewWriter(w)
	out := tar.NewWriter(zipped)
	if err := add(out, ".manifest", about); err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.rego") {
			continue
		}
		content, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		if err := add(out, "vsla/"+name, content); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

func add(out *tar.Writer, name string, content []byte) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content)), Format: tar.FormatUSTAR,
	}
	if err := out.WriteHeader(header); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := out.Write(content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// writeBundle writes the bundle of the kit to a file.
func writeBundle(path, revision string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as build/ is
		return err
	}
	var content bytes.Buffer
	if err := bundle(&content, os.DirFS(kit), revision); err != nil {
		return err
	}
	return os.WriteFile(path, content.Bytes(), 0o644) //nolint:gosec // it is published
}
