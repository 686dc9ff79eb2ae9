package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Blocks of several test binaries are merged: of 20 statements, 19 are reached by any of them.
const profile = `mode: set
m/a/one.go:1.2,3.4 9 0
m/a/one.go:5.2,6.4 1 0
m/a/two.go:1.2,3.4 10 1
m/a/one.go:1.2,3.4 9 1
m/b/one.go:1.2,3.4 5 1
`

func TestCheckCoverage(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, checkCoverage(strings.NewReader(profile), &out))
	assert.Equal(t, " 95.0 % m/a\n100.0 % m/b\n", out.String())
	low := checkCoverage(strings.NewReader(profile+"m/b/one.go:5.2,6.4 1 0\n"), &out)
	require.EqualError(t, low, "a package is below 95%")
	assert.Error(t, checkCoverage(strings.NewReader("mode: set\n"), &out))
}

func TestSets(t *testing.T) {
	t.Parallel()
	const module = "terraform-provider-vsla/internal/"
	plan, whatif, page := listed{ImportPath: module + "plan/link"}, listed{ImportPath: module + "whatif"}, listed{
		ImportPath:   module + "whatif/page",
		XTestImports: []string{module + "dev/acctest"},
	}
	for name, want := range map[string][]bool{
		"core":   {true, true, false},
		"others": {false, false, true},
		"cli":    {false, false, true},
		"unit":   {true, true, false},
	} {
		for i, p := range []listed{plan, whatif, page} {
			assert.Equal(t, want[i], sets[name](p), "%s in %s", p.ImportPath, name)
		}
	}
}
