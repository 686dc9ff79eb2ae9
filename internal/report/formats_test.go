package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteMarkdown(t *testing.T) {
	t.Parallel()
	values := estimated(t, 440)
	values["summary"] = "a | b\n# c <img src=x onerror=alert(1)> [d](http://e) `f` **g** @h i@j.k"
	r := build(t, state(t, data("vsla_replication_estimate", `x["|<b>"]`, values)))
	var b bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&b))
	text := b.String()
	for _, want := range []string{
		`### \|&lt;b&gt;: ✕ does not hold`, "a \\| b \\# c &lt;img src=x onerror=alert(1)&gt; \\[d\\](http\\://e) f " +
			"\\*\\*g\\*\\* \\@\u200bh i\\@\u200bj.k",
		"| ✕ does not hold |", "<details><summary>Other throughputs</summary>",
	} {
		assert.Contains(t, text, want)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			assert.True(t, strings.HasSuffix(line, "|\n"), "a row is broken: %q", line)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	r := build(t, state(t, data("vsla_replication_estimate", "x", estimated(t, 901))))
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	var got struct {
		Format   string `json:"format_version"`
		Verdict  string `json:"verdict"`
		Sections []struct {
			ID       string `json:"id"`
			Subjects []struct {
				Address string `json:"address"`
				Level   string `json:"level"`
				Facts   []struct {
					Name  string `json:"name"`
					Value any    `json:"value"`
				} `json:"facts"`
			} `json:"subjects"`
		} `json:"sections"`
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	s := got.Sections[0].Subjects[0]
	assert.Equal(t, "2.0", got.Format)
	assert.Equal(t, "at_risk", got.Verdict)
	assert.Equal(t, "data.vsla_replication_estimate.x", s.Address)
	assert.Equal(t, "at_risk", s.Level)
	assert.Equal(t, "vm_count", s.Facts[0].Name)
	assert.EqualValues(t, 15.0, s.Facts[0].Value)
	assert.NotContains(t, b.String(), ": null")
}
