package vsphere_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	tagPages      = "GET /api/vcenter/tagging/tags"
	categoryPages = "GET /api/vcenter/tagging/categories"
)

type estate struct {
	*vcsim.VCenter
	client *vsphere.Client
	sleeps *sleepRecorder
	tags   map[string][]string // tag IDs by category ID
}

func newEstate(t *testing.T, config vcsim.Config, categories, tags int, change ...func(*vsphere.Config)) estate {
	t.Helper()
	v, c, sleeps := startLab(t, config, change...)
	e := estate{v, c, sleeps, make(map[string][]string)}
	for i := range categories {
		category, err := v.Tags().AddCategory(tagging.Category{Name: fmt.Sprintf("c-%d", i), Cardinality: "MULTIPLE"})
		require.NoError(t, err)
		for k := range tags {
			id, err := v.Tags().AddTag(tagging.Tag{Name: fmt.Sprintf("tag-%04d", k), CategoryID: category})
			require.NoError(t, err)
			e.tags[category] = append(e.tags[category], id)
		}
	}
	v.Traffic().Reset()
	return e
}

func (e estate) anyCategory() (category string, tags []string) {
	for category, tags = range e.tags {
		break
	}
	return category, tags
}

// TestListing_refresh refreshes ten categories with 1,000 tags each. One tag of each category is attached to 40 VMs.
// The refresh takes at most 23 requests: the login, one category, one page of categories, ten pages of tags, the
// objects of one tag, and one to nine requests for the objects of the other nine tags.
func TestListing_refresh(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 40, Release: tagging.Release91}, 10, 1000)
	for _, tags := range e.tags {
		for _, o := range allVMs(e.VCenter) {
			require.NoError(t, e.Tags().Attach(tags[0], tagging.Object(o)))
		}
	}
	var group sync.WaitGroup
	for category, tags := range e.tags {
		group.Go(func() {
			got, err := e.client.RefreshCategory(t.Context(), category)
			if assert.NoError(t, err) {
				assert.Equal(t, category, got.ID)
			}
			if got, err := e.client.TagsOwned(t.Context(), category, tags); err != nil || len(got) != len(tags) {
				t.Errorf("%d tags, %v; want %d", len(got), err, len(tags))
			}
			if got, err := e.client.RefreshObjectsWithTag(t.Context(), tags[0]); err != nil || len(got) != 40 {
				t.Errorf("%d objects, %v; want 40", len(got), err)
			}
		})
	}
	group.Wait()
	got, shared := e.Traffic().Total(), e.Traffic().Count(listBatch)
	assert.GreaterOrEqual(t, shared, 1)
	assert.LessOrEqual(t, shared, 9)
	assert.Equal(t, 1+2+10+1+shared, got)
}

// TestListing_names checks that looking up 100 names in a category of 1,000 tags takes three requests in addition to
// the login: the categories, the first name, and all tags.
func TestListing_names(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release90}, 1, 1000)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			name := fmt.Sprintf("tag-%04d", i*10)
			category, err := e.client.CategoryByName(t.Context(), "c-0")
			if err != nil {
				t.Error(err)
				return
			}
			tag, err := e.client.TagByName(t.Context(), category.ID, name)
			assert.Equal(t, e.tags[category.ID][i*10], tag.ID, name)
			assert.NoError(t, err, name)
		})
	}
	group.Wait()
	assert.Equal(t, 3, e.Traffic().Total()-e.Traffic().Count("POST session"), "%+v", e.Traffic().Counts())
}

func TestListing_oneName(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release90}, 2, 30)
	for category, tags := range e.tags {
		tag, err := e.client.TagByName(t.Context(), category, "tag-0029")
		require.NoError(t, err)
		assert.Equal(t, tags[29], tag.ID)
		assert.Equal(t, category, tag.CategoryID)
		break
	}
	assert.Equal(t, 2, e.Traffic().Total())
	for category := range e.tags {
		_, err := e.client.TagByName(t.Context(), category, "none")
		missing, ok := errors.AsType[*transport.NameError](err)
		require.True(t, ok, "a name that does not exist: got %v with %+v, want ErrNotFound with 30 names", err, missing)
		require.ErrorIs(t, err, vsphere.ErrNotFound, "a name that does not exist")
		assert.Len(t, missing.Names, 30, "a name that does not exist")
	}
	for path, names := range map[string]int{"c-0/none": 30, "c-9/none": 2, "none": 2} {
		_, err := e.client.TagByPath(t.Context(), path)
		missing, ok := errors.AsType[*transport.NameError](err)
		require.True(t, ok, "%s: got %v with %+v, want ErrNotFound with %d names", path, err, missing, names)
		require.ErrorIs(t, err, vsphere.ErrNotFound, path)
		assert.Len(t, missing.Names, names, path)
	}
}

func TestListing_staleMarker(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 1, 1500)
	expire := func(*http.Request) { e.Tags().ExpireMarkers() }
	e.Traffic().Break(fault.Rule{Kind: tagPages, Skip: 1, Times: 1, Before: expire})
	for category, tags := range e.tags {
		got, err := e.client.TagsOfCategory(t.Context(), category)
		require.NoError(t, err)
		assert.Len(t, got, len(tags))
		assert.Equal(t, 4, e.Traffic().Count(tagPages))
		require.NoError(t, e.client.DeleteTag(t.Context(), tags[0])) // invalidates the listing
		e.Traffic().Mend()
		e.Traffic().Break(fault.Rule{Kind: tagPages, Before: expire})
		_, err = e.client.TagsOfCategory(t.Context(), category)
		require.ErrorIs(t, err, vsphere.ErrUnavailable)
		assert.Equal(t, 4+6, e.Traffic().Count(tagPages))
	}
}

// TestListing_isConfirmed checks that a tag that is missing from a listing is read separately before it is reported as
// missing, because it may have been created between two pages.
func TestListing_isConfirmed(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 1, 20)
	for category, tags := range e.tags {
		_, err := e.client.TagsOwned(t.Context(), category, tags) // lists all tags
		require.NoError(t, err)
		late, err := e.Tags().AddTag(tagging.Tag{Name: "late", CategoryID: category})
		require.NoError(t, err)
		const gone = "urn:vmomi:InventoryServiceTag:gone:GLOBAL"
		tag, err := e.client.RefreshTag(t.Context(), late)
		require.NoError(t, err)
		assert.Equal(t, "late", tag.Name)
		_, err = e.client.RefreshTag(t.Context(), gone)
		require.ErrorIs(t, err, vsphere.ErrNotFound)
		owned, err := e.client.TagsOwned(t.Context(), category, append([]string{late, gone}, tags...))
		require.NoError(t, err)
		require.Len(t, owned, len(tags)+1)
		assert.Equal(t, "late", owned[0].Name)
	}
	_, err := e.client.TagsOfCategory(t.Context(), "none")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	_, err = e.client.RefreshCategory(t.Context(), "none")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	_, err = e.client.RefreshCategory(t.Context(), "none")
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
}

func TestListing_missing(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]vcsim.Config{
		"8.0":          {VMs: -1, Release: tagging.Release80},
		"no privilege": {VMs: -1, Release: tagging.Release91},
	} {
		e := newEstate(t, config, 2, 30)
		if config.Release == tagging.Release91 {
			e.Traffic().Break(fault.Rule{Kind: tagPages, Status: http.StatusForbidden})
		}
		for category, tags := range e.tags {
			for _, id := range tags {
				tag, err := e.client.RefreshTag(t.Context(), id)
				require.NoError(t, err, name)
				assert.Equal(t, id, tag.ID, name)
			}
			_, err := e.client.RefreshCategory(t.Context(), category)
			require.NoError(t, err, name)
		}
		counts := e.Traffic().Counts()
		assert.Equal(t, 60, counts["GET tag/{id}"], name)
		assert.Equal(t, 2, counts["GET category/{id}"], name)
		assert.Equal(t, 1, counts[tagPages]+counts[categoryPages], name)
		assert.Empty(t, e.sleeps.sleeps, name)
	}
}

// TestListing_notFound checks that a not_found error for the listing itself is not taken to mean that existing tags and
// categories are gone.
func TestListing_notFound(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 2, 20)
	for _, kind := range []string{tagPages, categoryPages} {
		e.Traffic().Break(fault.Rule{
			Kind:   kind,
			Status: http.StatusNotFound,
			Body: `{"error_type":"NOT_FOUND","messages":[{"id":"gateway.route","default_message":"No ` +
				`route.","args":[]}]}`,
		})
	}
	for category, tags := range e.tags {
		for _, id := range tags {
			got, err := e.client.RefreshTag(t.Context(), id)
			require.NotErrorIs(t, err, vsphere.ErrNotFound)
			if err == nil {
				assert.Equal(t, id, got.ID)
			}
		}
		_, err := e.client.TagsOwned(t.Context(), category, tags)
		require.NotErrorIs(t, err, vsphere.ErrNotFound)
		_, err = e.client.RefreshCategory(t.Context(), category)
		assert.NotErrorIs(t, err, vsphere.ErrNotFound)
	}
}

// TestListing_staysOffered checks that, once a listing has worked, services that are starting are not mistaken for a
// release without listings.
func TestListing_staysOffered(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 1, 20)
	for category := range e.tags {
		for range 2 {
			e.Traffic().Break(fault.Rule{
				Kind:   tagPages,
				Skip:   1,
				Times:  1,
				Status: http.StatusNotFound,
				Body:   `{"error_type":"OPERATION_NOT_FOUND","messages":[]}`,
			})
			got, err := e.client.TagsOfCategory(t.Context(), category)
			require.NoError(t, err)
			assert.Len(t, got, 20)
			require.NoError(t, e.client.DeleteTag(t.Context(), "none")) // invalidates the listing
		}
	}
	assert.Equal(t, 0, e.Traffic().Count("GET tag/{id}"))
	assert.Equal(t, 3, e.Traffic().Count(tagPages))
}
