package difference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/report/difference"
)

// TestErrored: a comment on a plan that ended with an error says so before anything else, also where protection gets
// weaker or a verdict turns, and never that nothing changes.
func TestErrored(t *testing.T) {
	t.Parallel()
	kept, silver := tier(t, gold, 60, 901), tier(t, gold, 60, 1)
	for name, worlds := range map[string][2]world{
		"no change":        {state(kept), planOf(kept)},
		"a verdict turns":  {state(kept), planOf(silver)},
		"a result is gone": {state(kept), planOf()},
		"a tag renamed":    {planOf(kept), planOf(kept, managed("vsla_tag.a", map[string]any{"name": "b"}, "update"))},
	} {
		text := strings.NewReplacer(
			`"format_version":"1.2"`, `"errored":true,"format_version":"1.2"`,
			`"actions":["update"]`, `"actions":["update"],"before":{"name":"a"}`,
		).Replace(string(worlds[1].json(t)))
		after, err := document.Read(strings.NewReader(text))
		require.NoError(t, err)
		comment := difference.New(worlds[0].document(t), after).Markdown(limit)
		first, rest, _ := strings.Cut(comment, "\n")
		assert.Regexp(t, "^#+ ✕ The plan ended with an error and cannot be applied", first, name)
		assert.Equal(t, name == "a tag renamed", strings.Contains(first, "Protection gets weaker: 1 other resource"), first)
		assert.Contains(t, rest, "Results may be missing in a plan that ended with an error.", name)
	}
}
