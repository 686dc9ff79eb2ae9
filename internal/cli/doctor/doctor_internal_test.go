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

func TestVersionText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"8.0.3":          {"8.0.3", "8.0.3"},
		"24022515":       {"{build}", "24022515"},
		"9.0.2.24383568": {"9.0.2.{build}", "9.0.2.24383568"},
		"":               {"{unknown}", "{unknown}"},
		"8.0\nweb01":     {"{not a number}", "{not a number}"},
		"vc.example.com": {"{not a number}", "{not a number}"},
	} {
		plain, exact := &session{}, &session{options: Options{Build: true}}
		assert.Equal(t, want, [2]string{plain.versionText(text), exact.versionText(text)}, text)
	}
}

// TestGuide_checks verifies that the guide lists all checks, and no others.
func TestGuide_checks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../templates/guides/accounts.md")
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
	want := append(slices.Clone(eventChecks), "privilege-names", "ended-session")
	for _, c := range vcenterChecks {
		want = append(want, c.id)
	}
	for _, c := range applianceChecks {
		want = append(want, c.id)
	}
	slices.Sort(want)
	assert.Equal(t, want, slices.Sorted(maps.Keys(listed)))
}
