package vsphere_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

const listAll = "GET /api/vcenter/tagging/associations"

func refreshAll(t *testing.T, v *vcsim.VCenter, c *vsphere.Client, tags []string) {
	t.Helper()
	all := allVMs(v)
	var group sync.WaitGroup
	for i, tag := range tags {
		group.Go(func() {
			got, err := c.RefreshObjectsWithTag(t.Context(), tag)
			want := slices.Clone(all[:min(i+1, len(all))])
			slices.SortFunc(want, func(a, b vsphere.Object) int { return strings.Compare(a.ID, b.ID) })
			assert.Equal(t, want, got, "%+v", i)
			assert.NoError(t, err, "%+v", i)
		})
	}
	group.Wait()
}

// TestRefresh_isOneListing checks that refreshing 100 tags takes one request for the first tag, one to nine for the
// next nine, and one listing.
func TestRefresh_isOneListing(t *testing.T) {
	t.Parallel()
	v, c, tags := newTaggedEstate(t, 100, 10)
	refreshAll(t, v, c, tags)
	refreshAll(t, v, c, tags)
	counts := v.Traffic().Counts()
	shared, total := counts[listBatch], v.Traffic().Total()
	assert.Equal(t, 1, counts["POST tag-association:list-attached-objects"], "requests")
	assert.Equal(t, 1, counts[listAll], "requests")
	assert.GreaterOrEqual(t, shared, 1, "requests")
	assert.LessOrEqual(t, shared, 9, "requests")
	assert.Equal(t, 1+2+shared, total, "requests")
	for i, o := range allVMs(v) {
		// Tag k is on VMs 0 to k, so VM i has all tags from tag i on.
		got, err := c.RefreshTagsOfObject(t.Context(), o)
		want := slices.Sorted(slices.Values(tags[i:]))
		require.NoError(t, err, "%+v", o)
		assert.Equal(t, want, got, "%+v", o)
	}
	assert.Equal(t, total, v.Traffic().Total())
}

// TestRefresh_staleMarker checks that a listing starts again when its marker has expired. If this happens repeatedly,
// the client goes back to merging concurrent reads.
func TestRefresh_staleMarker(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		expire, lists int
		together      bool
	}{
		"once":  {1, 4, false}, // page 1, the stale page 2, then both pages
		"often": {9, 6, true},  // page 1 and the stale page 2, three times
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, tags := newTaggedEstate(t, 65, 65) // 1 + 2 + … + 65 = 2,145 associations, on two pages
			refreshAll(t, v, c, tags[:10])
			few := v.Traffic().Count(listBatch)
			left := test.expire
			v.Traffic().Break(fault.Rule{
				Kind: listAll,
				Before: func(r *http.Request) {
					if r.URL.Query().Get("marker") != "" && left > 0 {
						left--
						v.Tags().ExpireMarkers()
					}
				},
			})
			refreshAll(t, v, c, tags)
			counts := v.Traffic().Counts()
			require.Equal(t, test.lists, counts[listAll])
			assert.Equal(t, test.together, counts[listBatch] > few)
		})
	}
}

func TestRefresh_pages(t *testing.T) {
	t.Parallel()
	v, c, tags := newTaggedEstate(t, 59, 100) // 1 + 2 + … + 59 = 1,770 associations
	extra, err := v.Tags().AddCategory(tagging.Category{Name: "more", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	for i := range 33 { // 33 × 100 = 3,300 more associations, 5,070 in total
		id, err := v.Tags().AddTag(tagging.Tag{Name: strconv.Itoa(i), CategoryID: extra})
		require.NoError(t, err)
		for _, o := range allVMs(v) {
			require.NoError(t, v.Tags().Attach(id, tagging.Object(o)))
		}
	}
	refreshAll(t, v, c, tags)
	assert.Equal(t, 3, v.Traffic().Count(listAll))
}

func TestRefresh_seesOwnWrites(t *testing.T) {
	t.Parallel()
	v, c, tags := newTaggedEstate(t, 2, 3)
	refreshAll(t, v, c, tags)
	third := allVMs(v)[2]
	require.NoError(t, c.AttachTag(t.Context(), tags[0], []vsphere.Object{third}))
	for range 2 {
		got, err := c.RefreshObjectsWithTag(t.Context(), tags[0])
		require.NoError(t, err)
		assert.True(t, slices.Contains(got, third), "after the attach: %v, %v", got, err)
	}
	require.NoError(t, c.DetachTags(t.Context(), third, tags[:1]))
	for range 2 {
		got, err := c.RefreshObjectsWithTag(t.Context(), tags[0])
		require.NoError(t, err)
		assert.False(t, slices.Contains(got, third), "after the detach: %v, %v", got, err)
	}
}

func TestRefresh_tellsGoneFromEmpty(t *testing.T) {
	t.Parallel()
	for name, unlisted := range map[string]bool{"associations": false, "unlisted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, tags := newTaggedEstate(t, 3, 3)
			if unlisted {
				v.Traffic().Break(fault.Rule{Kind: listAll, Status: http.StatusForbidden})
			}
			refreshAll(t, v, c, tags)
			for _, o := range allVMs(v) {
				require.NoError(t, v.Tags().Detach(tags[0], tagging.Object(o)))
			}
			require.NoError(t, v.Tags().RemoveTag(tags[1]))
			fresh, err := c.RefreshObjectsWithTag(t.Context(), "urn:vmomi:InventoryServiceTag:none:GLOBAL")
			require.ErrorIs(t, err, vsphere.ErrNotFound, "%+v", fresh)
			require.NoError(t, c.AttachTag(t.Context(), tags[2], nil)) // invalidates the cache
			for range 2 {
				got, err := c.RefreshObjectsWithTag(t.Context(), tags[0])
				require.NoError(t, err)
				assert.Empty(t, got)
				_, err = c.RefreshObjectsWithTag(t.Context(), tags[1])
				assert.ErrorIs(t, err, vsphere.ErrNotFound)
			}
		})
	}
}

func TestRefresh_fallsBack(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"not found": 404, "refused": 403, "bad request": 400} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, tags := newTaggedEstate(t, 30, 10)
			v.Traffic().Break(fault.Rule{Kind: listAll, Status: status})
			refreshAll(t, v, c, tags)
			assert.Equal(t, 1, v.Traffic().Count(listAll))
			for i, o := range allVMs(v) {
				got, err := c.RefreshTagsOfObject(t.Context(), o)
				require.NoError(t, err, "%+v", o)
				assert.Len(t, got, 30-i, "%+v", o)
			}
		})
	}
}

// TestRefresh_unknownStatus checks that a listing with an unknown final status is treated as incomplete: each tag is on
// both VMs, but the listing contains only one of them.
func TestRefresh_unknownStatus(t *testing.T) {
	t.Parallel()
	v, c, tags := newTaggedEstate(t, 20, 2)
	associations := make([]string, 0, len(tags))
	for _, tag := range tags {
		associations = append(associations,
			fmt.Sprintf(`{"tag":%q,"object":{"type":"VirtualMachine","id":%q}}`, tag, v.VMs()[0].ID))
	}
	v.Traffic().Break(fault.Rule{
		Kind:   listAll,
		Status: http.StatusOK,
		Body:   `{"status":"INTERRUPTED","associations":[` + strings.Join(associations, ",") + `]}`,
	})
	refreshAll(t, v, c, tags)
	assert.NotEqual(t, 0, v.Traffic().Count(listAll), "the listing was not asked for")
}
