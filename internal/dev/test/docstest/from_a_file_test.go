package docstest_test

import (
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
