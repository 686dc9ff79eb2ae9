package audit

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestResolveTags verifies that the IDs of the tags do not change the given tiers, and that the same tier is named in
// each run if several tags are missing.
func TestResolveTags(t *testing.T) {
	t.Parallel()
	n := NamedScope{Scope: Scope{Tiers: map[string]Tier{}}, Category: "sla", TagNames: map[string]string{}}
	ids := map[string]string{}
	for i := range 10 {
		tier := fmt.Sprint("tier-", i)
		n.Tiers[tier] = Tier{RPOMinutes: 15}
		n.TagNames[tier] = "tag-" + tier
		ids["tag-"+tier] = "urn:" + tier
	}
	given := maps.Clone(n.Tiers)
	scope, err := n.resolveTags(ids)
	want := (Tier{TagID: "urn:tier-3", RPOMinutes: 15})
	require.NoError(t, err)
	assert.Equal(t, want, scope.Tiers["tier-3"])
	assert.Equal(t, given, n.Tiers)
	for range 20 {
		_, err := n.resolveTags(nil)
		blamed, ok := errors.AsType[*ArgumentError](err)
		require.True(t, ok, "got %v at %v, want tiers[\"tier-0\"].tag", err, blamed)
		require.Equal(t, `tiers["tier-0"].tag`, blamed.Path.String(), "%+v", err)
	}
}
