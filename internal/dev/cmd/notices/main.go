// Command notices writes the program's third-party licences and its bill of materials in CycloneDX format.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// platforms lists the operating systems of a release. Some modules are needed on only some of them.
var platforms = []string{"darwin", "freebsd", "linux", "windows"}

// licence matches the names of files that must be redistributed with a module.
var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

type module struct {
	Path    string `json:"Path"`
	Version string `json:"Version"`
	Dir     string `json:"Dir"`
	Main    bool   `json:"Main"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	version := flags.String("version", "", "version of the program")
	out := flags.String("out", "build", "folder to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	modules, err := shipped(ctx)
	if err != nil {
		return err
	}
	var texts, bom bytes.Buffer
	if err := errors.Join(writeNotices(&texts, modules), writeBOM(&bom, modules, *version)); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(*out, "THIRD-PARTY-NOTICES.txt"), texts.Bytes(), 0o600),
		os.WriteFile(filepath.Join(*out, "sbom.cdx.json"), bom.Bytes(), 0o600))
}

func shipped(ctx context.Context) ([]module, error) {
	found := map[string]module{}
	for _, platform := range platforms {
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", ".")
		list.Env = append(os.Environ(), "GOOS="+platform, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list the packages for %s: %w", platform, err)
		}
		for packages := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module *module `json:"Module"`
			}
			if err := packages.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	sorted := make([]module, 0, len(found))
	for _, path := range slices.Sorted(maps.Keys(found)) {
		sorted = append(sorted, found[path])
	}
	return sorted, nil
}

// writeNotices writes the licence files of all modules. It returns an error if a module has none.
func writeNotices(out *bytes.Buffer, modules []module) error {
	out.WriteString("The program contains the following modules under the licences below.\n")
	for _, m := range modules {
		entries, err := os.ReadDir(m.Dir)
		if err != nil {
			return err
		}
		files := 0
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !licence.MatchString(entry.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(m.Dir, entry.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), m.Path, m.Version, entry.Name(), text)
			files++
		}
		if files == 0 {
			return fmt.Errorf("%s %s has no licence file in %s", m.Path, m.Version, m.Dir)
		}
	}
	return nil
}

// writeBOM writes the bill of materials without a timestamp or serial number, so that builds of the same commit are
// identical.
func writeBOM(out *bytes.Buffer, modules []module, version string) error {
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &cyclonedx.Component{
		Type:    cyclonedx.ComponentTypeApplication,
		Name:    "terraform-provider-vsla",
		Version: version,
	}}
	components := make([]cyclonedx.Component, 0, len(modules))
	for _, m := range modules {
		url := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cyclonedx.Component{
			BOMRef:     url,
			Type:       cyclonedx.ComponentTypeLibrary,
			Name:       m.Path,
			Version:    m.Version,
			PackageURL: url,
		})
	}
	bom.Components = &components
	return cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
