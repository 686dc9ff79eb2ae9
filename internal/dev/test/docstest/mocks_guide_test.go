package docstest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

func TestMocksGuide(t *testing.T) {
	t.Parallel()
	guide := string(read(t, "templates", "guides", "gate-a-pipeline.md"))
	_, section, _ := strings.Cut(guide, "\n## Test a configuration\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 2)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		w, dir := acctest.WorkspaceWithCLI(t, cli, nil, "examples/readme")
		write(t, dir, "main.tf", blocks[1][1])
		require.NoError(t, os.Mkdir(filepath.Join(dir, "tests"), 0o700))
		write(t, dir, "tests/promise.tftest.hcl", blocks[0][1])
		assert.Contains(t, acctest.RunTerraform(t, w, 0, "test", "-no-color"), "2 passed, 0 failed")
	})
}
