package cli

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess/document"
)

type inputKind int

const (
	planInput inputKind = iota
	inventoryInput
)

func (k inputKind) String() string {
	if k == inventoryInput {
		return "an inventory file"
	}
	return "a plan or a state"
}

// recognize recognizes a plan or a state by its JSON, and a tiers file by its extension.
func recognize(name string) (inputKind, error) {
	ext := strings.ToLower(filepath.Ext(name))
	switch {
	case name == "" || name == "-":
		return planInput, nil
	case isTiersFile(name):
		return 0, fmt.Errorf("%s is a tiers file: run `%s review INVENTORY --tiers %s` with the inventory file", name,
			programName, shellWord(name))
	}
	about, err := os.Stat(name)
	if err != nil || about.IsDir() {
		return inventoryInput, err
	}
	if !about.Mode().IsRegular() {
		return planInput, nil
	}
	if archive, err := zip.OpenReader(name); err == nil {
		defer archive.Close() //nolint:errcheck // nothing was written
		if !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == "tfplan" }) {
			return inventoryInput, nil
		}
		return planInput, nil
	}
	return recognizeText(name, ext)
}

func isTiersFile(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

func recognizeText(name, ext string) (inputKind, error) {
	file, err := openFile(name)
	if err != nil {
		return 0, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	start := make([]byte, 64)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if text := bytes.TrimSpace(document.Decode(start[:n])); ext == ".json" || bytes.HasPrefix(text, []byte("{")) {
		return planInput, nil
	}
	return inventoryInput, nil
}
