package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// page is the package that embeds the engine when built with the whatif build tag.
const page = "internal/whatif/page"

// inlined lists the packages compiled with inlining, which speeds up the simulation and the reading of workbooks.
// Disabling inlining in all others saves 140 KB.
var inlined = []string{
	"terraform-provider-vsla/internal/plan/simulation", "terraform-provider-vsla/internal/plan/migration",
	"container/heap", "math",
	"terraform-provider-vsla/internal/estate/inventoryfile", "bufio", "bytes", "compress/flate", "strings",
	"unicode/utf8",
}

func buildEngine(ctx context.Context, log io.Writer) error {
	dir, err := os.MkdirTemp("", "vsla-engine-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	wasm := filepath.Join(dir, "whatif.wasm")
	args := []string{"build", "-v", "-trimpath", "-gcflags=all=-l"}
	for _, p := range inlined {
		args = append(args, "-gcflags="+p+"=")
	}
	//nolint:gosec // constants and a temporary folder
	build := exec.CommandContext(
		ctx,
		"go",
		append(args, "-ldflags", "-s -w", "-o", wasm, "./internal/whatif/module")...)
	build.Stdout, build.Stderr = log, log
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the engine of what-if: %w", err)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	loader := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	return errors.Join(compress(wasm, filepath.Join(page, "module.wasm.gz")),
		compress(loader, filepath.Join(page, "wasm_exec.js.gz")))
}

// compress writes a gzip file without a name or timestamp, so that builds of the same commit are identical.
func compress(from, to string) error {
	content, err := os.ReadFile(from) //nolint:gosec // constant path
	if err != nil {
		return err
	}
	file, err := os.Create(to) //nolint:gosec // constant path
	if err != nil {
		return err
	}
	w, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
		err = errors.Join(err, w.Close())
	}
	return errors.Join(err, file.Close())
}
