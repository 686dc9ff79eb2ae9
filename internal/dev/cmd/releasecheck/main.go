// Command releasecheck reads the folder that GoReleaser filled and reports whether a registry would accept it: the
// names of the archives, the program in each, the manifest with the protocol, and every checksum, that of the policies
// among them.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	project  = "terraform-provider-vsla"
	manifest = "terraform-registry-manifest.json"
	policies = "build/vsla-policies.tar.gz"
	protocol = "6.0"
)

// archive matches terraform-provider-NAME_VERSION_OS_ARCH.zip, the name in the registry's protocol.
var archive = regexp.MustCompile(`^` + project + `_([0-9]+\.[0-9]+\.[0-9]+[^_]*)_([a-z]+)_([a-z0-9]+)\.zip$`)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: releasecheck FOLDER")
		os.Exit(2)
	}
	platforms, err := checkFolder(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "releasecheck:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, "a registry would take", strings.Join(platforms, ", "))
}

func checkFolder(dir string) ([]string, error) {
	about, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	bundle, err := os.ReadFile(policies)
	if err != nil {
		return nil, err
	}
	return check(os.DirFS(dir), about, bundle)
}

// check returns the platforms of a release that was built with the registry manifest and the bundle of the policies.
func check(dir fs.FS, manifest, policies []byte) ([]string, error) {
	found, err := fs.Glob(dir, project+"_*_SHA256SUMS")
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d files of checksums, want one", len(found))
	}
	sums, err := readSums(dir, found[0])
	if err != nil {
		return nil, err
	}
	version := strings.TrimSuffix(strings.TrimPrefix(found[0], project+"_"), "_SHA256SUMS")
	name := project + "_" + version + "_manifest.json"
	if err := checkManifest(manifest, sums[name]); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	delete(sums, name)
	name = project + "_" + version + "_policies.tar.gz"
	if err := checkSum(policies, sums[name]); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	delete(sums, name)
	zips, err := fs.Glob(dir, "*.zip")
	if err != nil {
		return nil, err
	}
	if len(zips) != len(sums) || len(zips) == 0 {
		return nil, fmt.Errorf("%d archives and %d checksums of archives", len(zips), len(sums))
	}
	var platforms []string
	for _, name := range zips {
		content, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		platform, err := checkArchive(name, content, version, sums[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		platforms = append(platforms, platform)
	}
	slices.Sort(platforms)
	return platforms, nil
}

// readSums reads lines of "CHECKSUM  NAME".
func readSums(dir fs.FS, name string) (map[string]string, error) {
	content, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, err
	}
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

func checkManifest(content []byte, sum string) error {
	if err := checkSum(content, sum); err != nil {
		return err
	}
	var m struct {
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return err
	}
	if !slices.Equal(m.Metadata.ProtocolVersions, []string{protocol}) {
		return fmt.Errorf("protocol versions are %v, the provider uses %s", m.Metadata.ProtocolVersions, protocol)
	}
	return nil
}

func checkArchive(name string, content []byte, version, sum string) (string, error) {
	parts := archive.FindStringSubmatch(name)
	if parts == nil || parts[1] != version {
		return "", fmt.Errorf("the name is not %s_%s_OS_ARCH.zip", project, version)
	}
	if err := checkSum(content, sum); err != nil {
		return "", err
	}
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return "", err
	}
	program := project + "_v" + version
	if parts[2] == "windows" {
		program += ".exe"
	}
	if !slices.ContainsFunc(r.File, func(f *zip.File) bool { return f.Name == program && f.Mode()&0o111 != 0 }) {
		return "", fmt.Errorf("has no program %s", program)
	}
	return parts[2] + "_" + parts[3], nil
}

func checkSum(content []byte, want string) error {
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != want {
		return fmt.Errorf("the checksum is %s, listed is %q", got, want)
	}
	return nil
}
