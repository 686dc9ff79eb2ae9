package vr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestList_asAppliancesAnswer reads 10 replications in pages of 4 from gateways that differ in undocumented behavior.
// This takes three requests, and one more if the first is rejected.
func TestList_asAppliancesAnswer(t *testing.T) {
	t.Parallel()
	const n = 10
	for name, test := range map[string]struct {
		switches gateway.Switches
		mutate   func(map[string]any)
		first    int
	}{
		"plainly":                   {first: 3},
		"sorted by name only":       {switches: gateway.Switches{SortByNameOnly: true}, first: 4},
		"with a content type only":  {switches: gateway.Switches{RequireContentType: true}, first: 3},
		"by links, without a total": {mutate: linksOnly, first: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.switches.PageCap = 4
			test.switches.SessionTTL = -1
			test.switches.SessionIdle = -1
			l := startLab(t, test.switches)
			c := l.client(t)
			vms := make([]string, n)
			for i := range n {
				vms[i] = l.vm(i)
			}
			require.NoError(t, l.AddReplications(15, vms...))
			l.Advance(time.Minute)
			if test.mutate != nil {
				l.ChangeAnswers("getAllReplications", 0, test.mutate)
			}
			for round, requests := range []int{test.first, 3} {
				l.Traffic().Reset()
				all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Unverified)
				require.NoError(t, err, "%+v", round)
				assert.Len(t, all, n, "%+v", round)
				assert.Equal(t, requests, l.Traffic().Count("getAllReplications"), "%+v", round)
				l.Advance(2 * time.Minute)
			}
		})
	}
}

// linksOnly removes the total, so that only the link shows that there is another page. The link points to another host.
func linksOnly(result map[string]any) {
	meta, _ := result["_meta"].(map[string]any)
	links, _ := meta["links"].(map[string]any)
	delete(meta, "total")
	if next, ok := links["next"].(map[string]any); ok {
		href, _ := next["href"].(string)
		_, query, _ := strings.Cut(href, "?")
		next["href"] = "https://elsewhere.invalid/api?" + query
	}
}
