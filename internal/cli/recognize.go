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

// recognize recognizes an inventory, which is a folder, a workbook or another file without JSON, and a plan or a state,
// which is the file of a plan, JSON or standard input. It returns an error for a tiers file.
func recognize(name string) (inputKind, error) {
	switch {
	case name == "" || name == "-":
		return planInput, nil
	case isTiersFile(name):
		return 0, fmt.Errorf("%s is a tiers file: run `%s review INVENTORY --tiers %s` with the inventory file", name,
			programName, shellWord(name))
	}
	about, err := os.Stat(name)
	switch {
	case err != nil:
		return 0, err
	case about.IsDir():
		return inventoryInput, nil
	case !about.Mode().IsRegular():
		return planInput, nil // such as that of <(terraform show -json)
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return recognizeText(name)
	}
	defer archive.Close() //nolint:errcheck // nothing was written
	if slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == "tfplan" }) {
		return planInput, nil
	}
	return inventoryInput, nil
}

func isTiersFile(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

func recognizeText(name string) (inputKind, error) {
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
	text := bytes.TrimSpace(document.Decode(start[:n]))
	if strings.EqualFold(filepath.Ext(name), ".json") || bytes.HasPrefix(text, []byte("{")) {
		return planInput, nil
	}
	return inventoryInput, nil
}
