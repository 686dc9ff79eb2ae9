package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuildOf(t *testing.T) {
	t.Parallel()
	for build, want := range map[string]string{
		"0.1.0": "0.1.0",
		"0.0.0-20261122172651-72f049c1abcd+dirty": "0.0.0-20261122172651-72f049c1abcd+dirty",
		"72f049c1abcd":       "72f049c1abcd",
		"72f049c1abcd-dirty": "72f049c1abcd-dirty",
		"dev":                "dev",
		"unknown":            "unknown",
		"built by alice":     "{another build}",
		"":                   "{another build}",
	} {
		assert.Equal(t, want, buildOf(build), build)
	}
}

func TestWriteMarkdown_cut(t *testing.T) {
	t.Parallel()
	r := &Report{Version: "1.2.3", Full: true}
	for range 400 {
		r.exchanges = append(r.exchanges, exchange{
			shape: shape{
				request:        "vCenter GET /api/session",
				responseFields: strings.Repeat("x", maxNames),
				status:         200,
			},
			count:   2,
			minTime: time.Millisecond,
			maxTime: 3 * time.Millisecond,
			bytes:   1500,
		})
	}
	r.requests = 800
	var b strings.Builder
	require.NoError(t, r.WriteMarkdown(&b))
	text := b.String()
	n := len(text)
	require.LessOrEqual(t, n, MaxReport, "%d characters, want just below %d", n, MaxReport)
	assert.GreaterOrEqual(t, n, MaxReport-2*maxNames, "%d characters, want just below %d", n, MaxReport)
	shown := strings.Count(text, "vCenter GET /api/session")
	note := "(" + countText(2*(400-shown), "request", "requests") + " of " + countText(400-shown, "kind", "kinds") +
		" omitted to fit the report into an issue)"
	require.Contains(t, text, note, "%+v", shown)
	assert.True(t, strings.HasSuffix(text, "```\n"), "%d shown, no %q", shown, note)
	assert.Contains(t, text, "  200, 2 times, 1 ms to 3 ms, 1,500 bytes\n")
}
