package audit

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWithTags checks that the caller's tiers are not modified, and that the error names the first tier with a
// missing tag.
func TestWithTags(t *testing.T) {
	t.Parallel()
	n := Named{Scope: Scope{Tiers: map[string]Tier{}}, Category: "sla", TagNames: map[string]string{}}
	ids := map[string]string{}
	for i := range 10 {
		tier := fmt.Sprint("tier-", i)
		n.Tiers[tier], n.TagNames[tier], ids["tag-"+tier] = Tier{RPOMinutes: 15}, "tag-"+tier, "urn:"+tier
	}
	given := maps.Clone(n.Tiers)
	scope, err := n.withTags(ids)
	want := (Tier{TagID: "urn:tier-3", RPOMinutes: 15})
	require.NoError(t, err)
	assert.Equal(t, want, scope.Tiers["tier-3"])
	assert.Equal(t, given, n.Tiers)
	for range 20 {
		_, err := n.withTags(nil)
		blamed, ok := errors.AsType[*ArgumentError](err)
		require.True(t, ok, "got %v at %v, want tiers[\"tier-0\"].tag", err, blamed)
		require.Equal(t, `tiers["tier-0"].tag`, blamed.At.String(), err)
	}
}
