package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/plan/registry"
)

// TestGenerated fails when the policies know other calculators than the provider has.
func TestGenerated(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(registry.Calculators())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run make docs", file)
	}
}
