package docstest_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFromAFileGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"RVTools_tabvInfo.csv", "tiers.yaml"} {
		write(t, dir, name, string(read(t, "examples", "from-a-file", name)))
	}
	printed := follow(t, read(t, "templates", "guides", "from-a-file.md"), dir, nil, 9)
	// The twelve VMs, including one that is powered off, use 3,436,544 MiB (3,356 GiB).
	assert.Contains(t, printed, "12 VMs (1 powered off) with 3,356 GiB in use")
	begin(t, dir, map[string]string{
		"inventory.json": "{",
		"review.html":    "<!DOCTYPE html>",
		"review.md":      "# Capacity review",
	})
}

// arguments splits a command as a shell would and drops the program name. It prefixes file names with the folder.
func arguments(command, dir string) []string {
	args := []string{}
	for _, part := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(command, -1)[1:] {
		part = strings.Trim(part, "'")
		if regexp.MustCompile(`^([A-Za-z_-]+\.(csv|yaml|html|md|json)|tfplan)$`).MatchString(part) {
			part = filepath.Join(dir, part)
		}
		args = append(args, part)
	}
	return args
}
