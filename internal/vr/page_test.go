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

// TestList_asAppliancesAnswer reads 10 replications in pages of 4 from gateways that differ in what the API leaves
// open: three requests, and one more where the first one is refused.
func TestList_asAppliancesAnswer(t *testing.T) {
	t.Parallel()
	const n = 10
	for name, test := range map[string]struct {
		switches gateway.Switches
		spoil    func(map[string]any)
		first    int
	}{
		"plainly":                   {first: 3},
		"sorted by name only":       {switches: gateway.Switches{SortByNameOnly: true}, first: 4},
		"with a content type only":  {switches: gateway.Switches{RequireContentType: true}, first: 3},
		"by links, without a total": {spoil: linksOnly, first: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.switches.PageCap = 4
			test.switches.SessionTTL, test.switches.SessionIdle = -1, -1
			l := start(t, test.switches)
			c := l.client(t)
			vms := make([]string, n)
			for i := range n {
				vms[i] = l.vm(i)
			}
			require.NoError(t, l.AddReplications(15, vms...))
			l.Advance(time.Minute)
			if test.spoil != nil {
				l.Spoil("getAllReplications", 0, test.spoil)
			}
			for round, requests := range []int{test.first, 3} {
				l.Traffic().Reset()
				all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Glance)
				require.NoError(t, err, round)
				assert.Len(t, all, n, round)
				assert.Equal(t, requests, l.Traffic().Count("getAllReplications"), round)
				l.Advance(2 * time.Minute)
			}
		})
	}
}

// linksOnly removes the total, so that only the link announces another page. Its host is not the gateway's.
func linksOnly(answer map[string]any) {
	meta, _ := answer["_meta"].(map[string]any)
	links, _ := meta["links"].(map[string]any)
	delete(meta, "total")
	if next, ok := links["next"].(map[string]any); ok {
		href, _ := next["href"].(string)
		_, query, _ := strings.Cut(href, "?")
		next["href"] = "https://elsewhere.invalid/api?" + query
	}
}
