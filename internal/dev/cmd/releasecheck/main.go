// Command releasecheck checks that a registry would accept the folder written by GoReleaser: archive names, the program
// and licences in each archive, the manifest with the protocol version, and all checksums. It copies the release to a
// second folder, in which the checksum file is named SHA256SUMS.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	project  = "terraform-provider-vsla"
	manifest = "manifest.json"
	protocol = "6.0"
)

// extras maps the file name suffixes of additional release files to their source paths.
var extras = map[string]string{
	manifest:        "terraform-registry-manifest.json",
	"sbom.cdx.json": "build/sbom.cdx.json",
}

// archive matches the names of provider archives and vsla command archives. The registry protocol requires the form
// terraform-provider-NAME_VERSION_OS_ARCH.zip.
var archive = regexp.MustCompile(`^(` + project + `|vsla)_([0-9]+\.[0-9]+\.[0-9]+[^_]*)_([a-z]+)_([a-z0-9]+)\.zip$`)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: releasecheck FOLDER COPY")
		os.Exit(2)
	}
	platforms, err := checkFolder(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "releasecheck:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, "a registry would take the release:", strings.Join(platforms, ", "))
}

func checkFolder(dir, copies string) ([]string, error) {
	contents := map[string][]byte{}
	for end, source := range extras {
		content, err := os.ReadFile(source) //nolint:gosec // one of the constants above
		if err != nil {
			return nil, err
		}
		contents[end] = content
	}
	found, err := check(os.DirFS(dir), contents)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(copies); err != nil { //nolint:gosec // set by the Makefile
		return nil, err
	}
	if err := os.MkdirAll(copies, 0o750); err != nil { //nolint:gosec // as above
		return nil, err
	}
	for name, content := range found.files {
		if err := os.WriteFile(filepath.Join(copies, name), content, 0o600); err != nil { //nolint:gosec // as above
			return nil, err
		}
	}
	return found.platforms, nil
}

type release struct {
	files     map[string][]byte
	platforms []string
}

// check verifies the release in a folder and returns it. The checksum file must list the extras.
func check(dir fs.FS, extras map[string][]byte) (release, error) {
	found, err := fs.Glob(dir, project+"_*_SHA256SUMS")
	if err != nil {
		return release{}, err
	}
	if len(found) != 1 {
		return release{}, fmt.Errorf("%d files of checksums, want one", len(found))
	}
	text, err := fs.ReadFile(dir, found[0])
	if err != nil {
		return release{}, err
	}
	sums, err := readSums(found[0], text)
	if err != nil {
		return release{}, err
	}
	r := release{files: map[string][]byte{"SHA256SUMS": text}}
	version := strings.TrimSuffix(strings.TrimPrefix(found[0], project+"_"), "_SHA256SUMS")
	for _, end := range slices.Sorted(maps.Keys(extras)) {
		content, name := extras[end], project+"_"+version+"_"+end
		if err := checkSum(content, sums[name]); err != nil {
			return release{}, fmt.Errorf("%s: %w", name, err)
		}
		r.files[name] = content
		delete(sums, name)
	}
	if err := checkManifest(extras[manifest]); err != nil {
		return release{}, err
	}
	return r, r.addArchives(dir, version, sums)
}

// addArchives verifies and adds the archives. Each provider archive needs a command archive for the same platform.
func (r *release) addArchives(dir fs.FS, version string, sums map[string]string) error {
	zips, err := fs.Glob(dir, "*.zip")
	if err != nil {
		return err
	}
	if len(zips) != len(sums) || len(zips) == 0 {
		return fmt.Errorf("%d archives and %d checksums of archives", len(zips), len(sums))
	}
	for _, name := range zips {
		content, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		platform, err := checkArchive(name, content, version, sums[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.files[name] = content
		r.platforms = append(r.platforms, platform)
	}
	slices.Sort(r.platforms)
	for _, platform := range r.platforms {
		system, ok := strings.CutPrefix(platform, project+" for ")
		if ok && !slices.Contains(r.platforms, "vsla for "+system) {
			return fmt.Errorf("no archive of the command vsla for %s", system)
		}
	}
	return nil
}

// readSums parses lines of "CHECKSUM  NAME".
func readSums(name string, content []byte) (map[string]string, error) {
	sums := map[string]string{}
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s: not a checksum and a name: %q", name, line)
		}
		sums[fields[1]] = fields[0]
	}
	return sums, nil
}

func checkManifest(content []byte) error {
	var m struct {
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return err
	}
	if !slices.Equal(m.Metadata.ProtocolVersions, []string{protocol}) {
		return fmt.Errorf("%s: protocol versions are %v, the provider uses %s", manifest, m.Metadata.ProtocolVersions,
			protocol)
	}
	return nil
}

func checkArchive(name string, content []byte, version, sum string) (string, error) {
	parts := archive.FindStringSubmatch(name)
	if parts == nil || parts[2] != version {
		return "", fmt.Errorf("the name is not %s_%s_OS_ARCH.zip or vsla_%s_OS_ARCH.zip", project, version, version)
	}
	if err := checkSum(content, sum); err != nil {
		return "", err
	}
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return "", err
	}
	program := "vsla"
	if parts[1] == project {
		program = project + "_v" + version
	}
	if parts[3] == "windows" {
		program += ".exe"
	}
	if !slices.ContainsFunc(r.File, func(f *zip.File) bool { return f.Name == program && f.Mode()&0o111 != 0 }) {
		return "", fmt.Errorf("has no program %s", program)
	}
	for _, name := range []string{"LICENSE", "THIRD-PARTY-NOTICES.txt"} {
		if !slices.ContainsFunc(r.File, func(f *zip.File) bool { return f.Name == name }) {
			return "", fmt.Errorf("has no %s", name)
		}
	}
	return parts[1] + " for " + parts[3] + "_" + parts[4], nil
}

func checkSum(content []byte, want string) error {
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != want {
		return fmt.Errorf("the checksum is %s, listed is %q", got, want)
	}
	return nil
}
