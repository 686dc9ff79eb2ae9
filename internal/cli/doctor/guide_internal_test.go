package doctor

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGuide: the guide lists every check, and no other.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../templates/guides/report-a-real-system.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| check | assumption of vsla |")
	require.True(t, found, "the guide has no table of checks")
	listed := make(map[string]bool)
	id := regexp.MustCompile("`([a-z-]+)`")
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, match := range id.FindAllStringSubmatch(cells[1], -1) {
				listed[match[1]] = true
			}
		}
	}
	want := append(slices.Concat(lifeCycleIDs, eventChecks), "privilege-names", "ended-session")
	for _, c := range vcenterChecks {
		want = append(want, c.id)
	}
	for _, c := range applianceChecks {
		want = append(want, c.id)
	}
	slices.Sort(want)
	assert.Equal(t, want, slices.Sorted(maps.Keys(listed)))
}

func TestBuildOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0.1.0": "0.1.0",
		"0.0.0-20261122172651-72f049c1abcd+dirty": "0.0.0-20261122172651-72f049c1abcd+dirty",
		"72f049c1abcd":       "72f049c1abcd",
		"72f049c1abcd-dirty": "72f049c1abcd-dirty",
		"dev":                "dev", "unknown": "unknown",
		"built by alice": "{another build}", "": "{another build}",
	} {
		assert.Equal(t, want, buildOf(text), text)
	}
}
