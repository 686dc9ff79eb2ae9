package difference_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

// TestSensitive: a value that one of the documents marks as sensitive, and what could be computed back to it, is in no
// form of the difference, whichever side has it.
func TestSensitive(t *testing.T) {
	t.Parallel()
	marked := func(r thing, names ...string) thing {
		r.sensitive = names
		return r
	}
	secret := managed("vsla_tag.x", map[string]any{"id": "urn:1", "name": "secret-name", "category_id": "c"})
	other := managed("vsla_tag.x", map[string]any{"id": "urn:1", "name": "secret-too", "category_id": "c"}, "update")
	for name, pair := range map[string][2]world{
		"before": {
			state(marked(tier(t, gold, 15, 901.25), "throughput_mbps"), marked(secret, "name")),
			planOf(tier(t, gold, 15, 440.75), other),
		},
		"after": {
			state(tier(t, gold, 15, 901.25), secret),
			planOf(marked(tier(t, gold, 15, 440.75), "throughput_mbps"), marked(other, "name")),
		},
		"both": {
			state(marked(tier(t, gold, 15, 901.25), "throughput_mbps"), marked(secret, "name")),
			planOf(marked(tier(t, gold, 15, 440.75), "throughput_mbps"), marked(other, "name")),
		},
	} {
		// At 901.25 Mbit/s a cycle takes 714.8 s, at 440.75 it takes 1,461.7 s; the initial sync 20 times that.
		secrets := []string{
			"901.25", "901.3", "440.75", "440.8", "11m 55s", "11m 56s", "24m 22s", "3h 58m", "8h 7m", "714.", "1461.",
			"secret",
		}
		var files bytes.Buffer
		files.Write(pair[0].json(t))
		files.Write(pair[1].json(t))
		require.Contains(t, files.String(), "901.25", "the files do not have the values, so nothing is shown")
		require.Contains(t, files.String(), "secret-too", "the files do not have the values, so nothing is shown")
		d := compared(t, pair[0], pair[1])
		all := fmt.Sprint(forms(t, d))
		for _, text := range secrets {
			assert.NotContains(t, all, text, name)
		}
		// The verdicts are not sensitive, and one gets worse.
		i := result(t, d, gold)
		assert.True(t, i.Turn == difference.TurnWorse && i.After.Level == wording.Misses && d.Outcome == difference.Worse,
			"%s: %+v", name, i)
		tag := result(t, d, "vsla_tag.x")
		require.Equal(t, difference.Unknown, tag.Category, name)
		assert.Empty(t, tag.Changes, name)
	}
}
