package vsphere_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

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

// estate is a vCenter of categories that have tags.
type estate struct {
	*vcsim.VCenter
	client *vsphere.Client
	naps   *naps
	tags   map[string][]string // by category
}

func newEstate(t *testing.T, config vcsim.Config, categories, tags int) estate {
	t.Helper()
	v, c, naps := start(t, config)
	e := estate{v, c, naps, make(map[string][]string)}
	for i := range categories {
		category, err := v.Tags().AddCategory(tagging.Category{Name: fmt.Sprintf("c-%d", i), Cardinality: "MULTIPLE"})
		if err != nil {
			t.Fatal(err)
		}
		for k := range tags {
			id, err := v.Tags().AddTag(tagging.Tag{Name: fmt.Sprintf("tag-%04d", k), CategoryID: category})
			if err != nil {
				t.Fatal(err)
			}
			e.tags[category] = append(e.tags[category], id)
		}
	}
	v.Traffic().Reset()
	return e
}

// TestListing_refresh: ten categories of 1,000 tags, each with a tag on 40 VMs, are refreshed in 23 requests at
// most: the login, one category alone and one page of categories, ten pages of tags, one tag's objects alone, and those
// of the nine other tags in one request or more.
func TestListing_refresh(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 40, Release: tagging.Release91}, 10, 1000)
	for _, tags := range e.tags {
		for _, o := range allVMs(e.VCenter) {
			if err := e.Tags().Attach(tags[0], tagging.Object(o)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var group sync.WaitGroup
	for category, tags := range e.tags {
		group.Go(func() {
			if got, err := e.client.RefreshCategory(t.Context(), category); err != nil || got.ID != category {
				t.Errorf("category %s is %+v, %v", category, got, err)
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
	got, shared := e.Traffic().Total(), e.Traffic().Count(listTogether)
	if shared < 1 || shared > 9 || got != 1+2+10+1+shared {
		t.Errorf("%d requests: %v", got, e.Traffic().Counts())
	}
}

// TestListing_names: 100 names in a category of 1,000 tags take three requests in addition to the login: the
// categories, the first name, and all tags.
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
			if err != nil || tag.ID != e.tags[category.ID][i*10] {
				t.Errorf("%s is %+v, %v", name, tag, err)
			}
		})
	}
	group.Wait()
	if got := e.Traffic().Total() - e.Traffic().Count("POST session"); got != 3 {
		t.Errorf("%d requests, want 3: %v", got, e.Traffic().Counts())
	}
}

// TestListing_oneName: a name that two categories have is one request, and found in the category that is asked for.
func TestListing_oneName(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release90}, 2, 30)
	for category, tags := range e.tags {
		tag, err := e.client.TagByName(t.Context(), category, "tag-0029")
		if err != nil || tag.ID != tags[29] || tag.CategoryID != category {
			t.Errorf("got %+v, %v; want %s", tag, err, tags[29])
		}
		break
	}
	if got := e.Traffic().Total(); got != 2 {
		t.Errorf("%d requests, want the login and one", got)
	}
	for category := range e.tags {
		_, err := e.client.TagByName(t.Context(), category, "none")
		missing, ok := errors.AsType[*transport.NameError](err)
		if !ok || !errors.Is(err, vsphere.ErrNotFound) || len(missing.Names) != 30 {
			t.Errorf("a name that does not exist: got %v with %+v, want ErrNotFound with 30 names", err, missing)
		}
	}
	for path, names := range map[string]int{"c-0/none": 30, "c-9/none": 2, "none": 2} {
		_, err := e.client.TagByPath(t.Context(), path)
		missing, ok := errors.AsType[*transport.NameError](err)
		if !ok || !errors.Is(err, vsphere.ErrNotFound) || len(missing.Names) != names {
			t.Errorf("%s: got %v with %+v, want ErrNotFound with %d names", path, err, missing, names)
		}
	}
}

// TestListing_staleMarker: a marker that vCenter has forgotten starts the listing again, from its first page.
func TestListing_staleMarker(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 1, 1500)
	expire := func(*http.Request) { e.Tags().ExpireMarkers() }
	e.Traffic().Break(fault.Rule{Kind: tagPages, Skip: 1, Times: 1, Before: expire})
	for category, tags := range e.tags {
		got, err := e.client.TagsOfCategory(t.Context(), category)
		if err != nil || len(got) != len(tags) {
			t.Errorf("%d tags, %v; want %d", len(got), err, len(tags))
		}
		if n := e.Traffic().Count(tagPages); n != 4 {
			t.Errorf("%d pages, want 4", n)
		}
		if err := e.client.DeleteTag(t.Context(), tags[0]); err != nil { // drops the listing
			t.Fatal(err)
		}
		e.Traffic().Mend()
		e.Traffic().Break(fault.Rule{Kind: tagPages, Before: expire})
		if _, err := e.client.TagsOfCategory(t.Context(), category); !errors.Is(err, vsphere.ErrUnavailable) {
			t.Errorf("markers that are never valid: %v", err)
		}
		if n := e.Traffic().Count(tagPages); n != 4+6 {
			t.Errorf("%d pages, want 10: three listings of two", n)
		}
	}
}

// TestListing_isConfirmed: pages are not read at one moment, so a tag that they lack may exist, and is asked for by
// itself before it passes for gone.
func TestListing_isConfirmed(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 1, 20)
	for category, tags := range e.tags {
		if _, err := e.client.TagsOwned(t.Context(), category, tags); err != nil { // lists all
			t.Fatal(err)
		}
		late, err := e.Tags().AddTag(tagging.Tag{Name: "late", CategoryID: category})
		if err != nil {
			t.Fatal(err)
		}
		const gone = "urn:vmomi:InventoryServiceTag:gone:GLOBAL"
		if tag, err := e.client.RefreshTag(t.Context(), late); err != nil || tag.Name != "late" {
			t.Errorf("a tag that the listing lacks: %+v, %v", tag, err)
		}
		if _, err := e.client.RefreshTag(t.Context(), gone); !errors.Is(err, vsphere.ErrNotFound) {
			t.Errorf("a tag that does not exist: %v", err)
		}
		owned, err := e.client.TagsOwned(t.Context(), category, append([]string{late, gone}, tags...))
		if err != nil || len(owned) != len(tags)+1 || owned[0].Name != "late" {
			t.Errorf("%d tags, %v; want %d", len(owned), err, len(tags)+1)
		}
	}
	if _, err := e.client.TagsOfCategory(t.Context(), "none"); !errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("a category that does not exist: %v", err)
	}
	if _, err := e.client.RefreshCategory(t.Context(), "none"); !errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("a category that does not exist, alone: %v", err)
	}
	if _, err := e.client.RefreshCategory(t.Context(), "none"); !errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("a category that does not exist, listed: %v", err)
	}
}

// TestListing_missing: a release without listings, and a user who may not list, cost one request for the connection;
// the tags are read one at a time.
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
				if tag, err := e.client.RefreshTag(t.Context(), id); err != nil || tag.ID != id {
					t.Errorf("%s: %+v, %v", name, tag, err)
				}
			}
			if _, err := e.client.RefreshCategory(t.Context(), category); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		counts := e.Traffic().Counts()
		if counts["GET tag/{id}"] != 60 || counts["GET category/{id}"] != 2 || counts[tagPages]+counts[categoryPages] != 1 {
			t.Errorf("%s: %v", name, counts)
		}
		if len(e.naps.taken) > 0 {
			t.Errorf("%s: waited %v", name, e.naps.taken)
		}
	}
}

// TestListing_notFound: a not_found of a listing is about the listing. Tags and categories that exist do not pass for
// gone.
func TestListing_notFound(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 2, 20)
	for _, kind := range []string{tagPages, categoryPages} {
		e.Traffic().Break(fault.Rule{
			Kind: kind, Status: http.StatusNotFound,
			Body: `{"error_type":"NOT_FOUND","messages":[{"id":"gateway.route","default_message":"No route.","args":[]}]}`,
		})
	}
	for category, tags := range e.tags {
		for _, id := range tags {
			got, err := e.client.RefreshTag(t.Context(), id)
			if errors.Is(err, vsphere.ErrNotFound) || err == nil && got.ID != id {
				t.Errorf("got the tag %+v, %v; want no ErrNotFound", got, err)
			}
		}
		if _, err := e.client.TagsOwned(t.Context(), category, tags); errors.Is(err, vsphere.ErrNotFound) {
			t.Errorf("got %v for tags of a category, want no ErrNotFound", err)
		}
		if _, err := e.client.RefreshCategory(t.Context(), category); errors.Is(err, vsphere.ErrNotFound) {
			t.Errorf("got %v for a category, want no ErrNotFound", err)
		}
	}
}

// TestListing_staysOffered: services that start do not pass for a release without listings once these have worked.
func TestListing_staysOffered(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: -1, Release: tagging.Release91}, 1, 20)
	for category := range e.tags {
		for range 2 {
			e.Traffic().Break(fault.Rule{
				Kind: tagPages, Skip: 1, Times: 1, Status: http.StatusNotFound,
				Body: `{"error_type":"OPERATION_NOT_FOUND","messages":[]}`,
			})
			if got, err := e.client.TagsOfCategory(t.Context(), category); err != nil || len(got) != 20 {
				t.Errorf("%d tags, %v", len(got), err)
			}
			if err := e.client.DeleteTag(t.Context(), "none"); err != nil { // drops the listing
				t.Fatal(err)
			}
		}
	}
	if got := e.Traffic().Count("GET tag/{id}"); got != 0 {
		t.Errorf("%d tags were read by themselves", got)
	}
	if got := e.Traffic().Count(tagPages); got != 3 {
		t.Errorf("%d listings, want 3: the second was repeated", got)
	}
}
