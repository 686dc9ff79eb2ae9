package settings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/gate/settings"
)

func TestRead_problems(t *testing.T) {
	t.Parallel()
	for promise, want := range map[string]string{
		"{rpo_minutes: 1441}":                   "rpo_minutes must be more than 0 and at most 1,440",
		"{rpo_minutes: .inf}":                   "rpo_minutes must be more than 0 and at most 1,440",
		"{rpo_minutes: .nan}":                   "rpo_minutes must be more than 0 and at most 1,440",
		"{rpo_minutes: 15, rpo_minutes: 60}":    "promises.gold.rpo_minutes is set twice",
		"{rpo_minutes: 15, tag: a/b, tag: c/d}": "promises.gold.tag is set twice",
	} {
		s, err := settings.Read(strings.NewReader("promises:\n  gold: "+promise), "policy.yaml")
		require.NoError(t, err, promise)
		require.Len(t, s.Problems, 1, promise)
		assert.Equal(t, "policy.yaml:2", s.Problems[0].Subject, promise)
		assert.Contains(t, s.Problems[0].Message, want, promise)
	}
}
