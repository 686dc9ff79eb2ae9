package docstest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// refused contains the expected error message for each example whose plan must fail.
var refused = map[string]string{"examples/precondition": "promises what this link cannot keep"}

var quoting = map[string]string{"examples/first-replication": "first-replication.md"}

func TestExamples(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	start := func() *acctest.Lab {
		lab := acctest.Start(t, vcsim.Config{VMs: 40, StatisticsLevel: 2})
		lab.KeepObjects()
		cluster := lab.Clusters()[0].ID
		switches := gateway.Switches{Latest: gateway.Latest{Mappings: true}}
		lab.AddReplication(t, gateway.Config{Switches: switches}).SetMappings(gateway.Mapping{
			Source:          cluster,
			Target:          cluster,
			Throughput:      2,
			ThroughputUnits: "Gbps",
			Latency:         5,
			LatencyUnits:    "ms",
			Status:          "OK",
			TestedAt:        lab.Now().Add(-48 * time.Hour).UnixMilli(),
		})
		lab.AddProtection(t, snapservice.Config{})
		return lab
	}
	lab, untagged := start(), start()
	sla, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	gold, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: sla})
	require.NoError(t, err)
	_, err = lab.Tags().AddTag(tagging.Tag{Name: "silver", CategoryID: sla})
	require.NoError(t, err)
	for _, m := range lab.VMs()[:5] {
		require.NoError(t, lab.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: m.ID}))
	}
	folders := exampleFolders(t, root)
	require.GreaterOrEqual(t, len(folders), 15)
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(folder, "examples/actions/") {
				acctest.RequireTerraform(t, "1.14.0") // older CLIs report a syntax error for an action
			}
			lab := lab
			if createsCategory(t, filepath.Join(root, folder)) {
				lab = untagged // the plan rejects a name that is taken
			}
			w, dir := acctest.Workspace(t, lab, folder)
			prepare(t, dir)
			if want, ok := refused[folder]; ok {
				out := acctest.RunTerraform(t, w, 1, "plan", "-input=false", "-no-color")
				assert.Contains(t, strings.Join(strings.Fields(out), " "), want)
				return
			}
			out := acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
			if guide, ok := quoting[folder]; ok {
				checkQuotes(t, read(t, "docs", "guides", guide), out)
			}
		})
	}
}

func createsCategory(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(content), `resource "vsla_tag_category"`)
	})
}

func checkQuotes(t *testing.T, guide []byte, out string) {
	t.Helper()
	_, after, _ := strings.Cut(string(guide), "```text\n")
	quote, _, ok := strings.Cut(after, "```")
	require.True(t, ok, "the guide quotes no output")
	for line := range strings.Lines(quote) {
		line = strings.TrimSpace(line)
		assert.Contains(t, out, line)
	}
}

func exampleFolders(t *testing.T, root string) []string {
	t.Helper()
	var folders []string
	err := filepath.WalkDir(filepath.Join(root, "examples"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".tf") {
			folder, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			folders = append(folders, filepath.ToSlash(folder))
		}
		return err
	})
	require.NoError(t, err)
	slices.Sort(folders)
	return slices.Compact(folders)
}

// prepare adds a provider requirement to an example that lacks one, and removes connection settings, which do not work
// in the lab.
func prepare(t *testing.T, dir string) {
	t.Helper()
	// Remove import blocks, which other tests cover. They need existing objects, and older CLIs report a syntax error
	// for an identity argument.
	imports, err := filepath.Glob(filepath.Join(dir, "import-by-*.tf"))
	require.NoError(t, err)
	for _, file := range imports {
		require.NoError(t, os.Remove(file))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	require.NoError(t, err, dir)
	require.NotEmpty(t, files, dir)
	whole := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		text := regexp.MustCompile(`(?m)^  (vsphere_server|user|ca_file) .*\n`).ReplaceAllString(string(content), "")
		whole = whole || strings.Contains(text, "required_providers")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	if !whole {
		block := "terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "providers.tf"), []byte(block), 0o600))
	}
}
