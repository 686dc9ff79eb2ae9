package vr_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
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

func TestLists(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{PageCap: 7, FilterContains: true})
	c := l.client(t)
	name := l.protected.VMs()[3].Name
	for value, want := range map[string]int{name: 1, name[:len(name)-1]: 0} { // part of a name must not match
		all, err := c.VMsByProperty(t.Context(), l.PairingID(), l.LocalVCenterID(), "name", value)
		require.NoError(t, err, value)
		assert.Len(t, all, want, value)
	}
	for i := range 9 {
		l.replicate(t, c, l.vm(i))
	}
	read := func() (int, error) {
		l.Advance(61 * time.Second)
		all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
		return len(all), err
	}
	for name, test := range map[string]struct {
		times  int
		mutate func(map[string]any)
		want   error
	}{
		"as it is":                {1, func(map[string]any) {}, nil},
		"links are null":          {0, gateway.NullLinks, nil},
		"a row comes twice":       {1, gateway.DuplicateRow, nil},
		"rows always come twice":  {0, gateway.DuplicateRow, vr.ErrPartial},
		"the total is too large":  {0, gateway.WrongTotal(5), vr.ErrPartial},
		"the total was too large": {2, gateway.WrongTotal(5), nil},
		"later fields":            {0, gateway.ExtraFields, nil},
		"an unknown status":       {0, gateway.UnknownValue("status"), nil},
		"an announced gap":        {0, gateway.MetaError("$.list[0].rpo"), vr.ErrPartial},
		"no meta":                 {1, gateway.NullMeta, nil},
	} {
		l.ChangeAnswers("getAllReplications", test.times, test.mutate)
		n, err := read()
		l.MendAnswers()
		require.ErrorIs(t, err, test.want, name)
		if err == nil {
			assert.Equal(t, 9, n, name)
		}
	}
}

// TestLists_null verifies that null in place of a list does not pass for an empty list.
func TestLists_null(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"list": null}`, `{}`} {
		l := startLab(t, gateway.Switches{})
		l.Traffic().Break(fault.Rule{Kind: "getVrPairings", Status: http.StatusOK, Body: body})
		_, err := l.client(t).Pairings(t.Context())
		assert.ErrorContains(t, err, "a list is missing or null", body)
	}
}
