package audit

import (
	"errors"
	"fmt"
	"maps"
	"testing"
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
	if want := (Tier{TagID: "urn:tier-3", RPOMinutes: 15}); err != nil || scope.Tiers["tier-3"] != want {
		t.Errorf("got %v, %v, want %v", scope.Tiers["tier-3"], err, want)
	}
	if !maps.Equal(n.Tiers, given) {
		t.Errorf("tiers of the caller: got %v, want %v", n.Tiers, given)
	}
	for range 20 {
		_, err := n.withTags(nil)
		blamed, ok := errors.AsType[*ArgumentError](err)
		if !ok || blamed.At.String() != `tiers["tier-0"].tag` {
			t.Fatalf("got %v at %v, want tiers[\"tier-0\"].tag", err, blamed)
		}
	}
}
