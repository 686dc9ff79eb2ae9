package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
)

// TestBundle reads a bundle: the manifest and the policies without their tests; equal input makes equal bytes.
func TestBundle(t *testing.T) {
	t.Parallel()
	kit := fstest.MapFS{
		"main.rego":      {Data: []byte("package main\n"), Mode: 0o600},
		"gate.rego":      {Data: []byte("package vsla\n"), Mode: 0o640},
		"gate_test.rego": {Data: []byte("package vsla_test\n")},
		"notes.md":       {Data: []byte("no policy")},
	}
	write := func(revision string) []byte {
		var out bytes.Buffer
		if err := bundle(&out, kit, revision); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	first := write("1.2.3")
	kit["main.rego"].Mode = 0o644
	if !bytes.Equal(first, write("1.2.3")) {
		t.Error("the same policies make other bytes")
	}
	want := map[string]string{
		".manifest":      `{"revision":"1.2.3","roots":["main","vsla"],"rego_version":1}`,
		"vsla/main.rego": "package main\n",
		"vsla/gate.rego": "package vsla\n",
	}
	if got := unpack(t, first); !maps.Equal(got, want) {
		t.Errorf("the bundle has %q", got)
	}
	if got := unpack(t, write("1.2.4"))[".manifest"]; got == want[".manifest"] {
		t.Errorf("the revision is not in the manifest: %s", got)
	}
}

// unpack returns the files of a bundle, which are in order and carry no time.
func unpack(t *testing.T, content []byte) map[string]string {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	files, names, in := map[string]string{}, []string{}, tar.NewReader(zipped)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.ModTime.Unix() != 0 || header.Mode != 0o644 {
			t.Errorf("%s: %v, mode %o", header.Name, header.ModTime, header.Mode)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name], names = string(text), append(names, header.Name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("files are not in order: %v", names)
	}
	return files
}
