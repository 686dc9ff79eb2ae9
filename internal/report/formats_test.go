package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWriteMarkdown writes a promise that does not hold: 440 Mbit/s are less than the 715.8 Mbit/s of estimated. A
// zero-width space, \u200b, makes plain text of what GitHub would take for a mention.
func TestWriteMarkdown(t *testing.T) {
	t.Parallel()
	rows := []struct{ rule, text, want string }{
		{"a bar does not end a cell, and a line does not begin a heading", "a | b\n# c", `a \| b \# c`},
		{"HTML is text", "<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"},
		{"neither a link nor a URL is a link", "[d](http://e)", `\[d\](http\://e)`},
		{"code is text", "`f`", "f"},
		{"stars are text", "**g**", `\*\*g\*\*`},
		{"a mention names no one", "@h", "\\@\u200bh"},
		{"an email address is not a link", "i@j.k", "i\\@\u200bj.k"},
	}
	var texts, escaped []string
	for _, row := range rows {
		texts, escaped = append(texts, row.text), append(escaped, row.want)
	}
	values := estimated(t, 440)
	values["summary"] = strings.Join(texts, " ")
	r := build(t, state(t, data("vsla_replication_estimate", `x["|<b>"]`, values)))
	var b bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&b))
	text := b.String()
	for _, row := range rows {
		assert.Contains(t, text, row.want, row.rule)
	}
	assert.Contains(t, text, strings.Join(escaped, " "))
	assert.Contains(t, text, `### \|&lt;b&gt;: ✕ does not hold`)
	assert.Contains(t, text, "| ✕ does not hold |")
	assert.Contains(t, text, "<details><summary>Other throughputs</summary>")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			assert.True(t, strings.HasSuffix(line, "|\n"), "a row is broken: %q", line)
		}
	}
}

// TestWriteJSON writes a promise at risk: 901 Mbit/s are more than the 795.4 Mbit/s that estimated needs with likely
// inputs, but less than the 906.7 Mbit/s with the margin.
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
	require.Len(t, got.Sections, 1)
	require.Len(t, got.Sections[0].Subjects, 1)
	s := got.Sections[0].Subjects[0]
	assert.Equal(t, "2.0", got.Format)
	assert.Equal(t, "at_risk", got.Verdict)
	assert.Equal(t, "data.vsla_replication_estimate.x", s.Address)
	assert.Equal(t, "at_risk", s.Level)
	require.NotEmpty(t, s.Facts)
	assert.Equal(t, "vm_count", s.Facts[0].Name)
	assert.EqualValues(t, 15.0, s.Facts[0].Value)
	assert.NotContains(t, b.String(), ": null", "empty lists are [], and facts without a value are omitted")
}
