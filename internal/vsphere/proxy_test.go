package vsphere_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// TestReads_noAnswer checks that an empty response or a proxy's 404 page is an error, and is never taken to mean that
// an object is gone, deleted or empty.
func TestReads_noAnswer(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]fault.Rule{
		"404 page": {Status: http.StatusNotFound, Body: "<html><body>404 Not Found</body></html>"},
		"404":      {Status: http.StatusNotFound}, "empty": {Status: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, vcsim.Config{VMs: 2}, 1, 2)
			category, tags := e.anyCategory()
			tag, object := tags[0], allVMs(e.VCenter)[0]
			require.NoError(t, e.client.AttachTag(t.Context(), tag, []vsphere.Object{object}))
			e.Traffic().Break(page)
			reads := map[string]func(context.Context) error{
				"tag":                   func(ctx context.Context) error { _, err := e.client.Tag(ctx, tag); return err },
				"category":              func(ctx context.Context) error { _, err := e.client.Category(ctx, category); return err },
				"categories":            func(ctx context.Context) error { _, err := e.client.CategoryIDs(ctx); return err },
				"objects of a tag":      func(ctx context.Context) error { _, err := e.client.ObjectsWithTag(ctx, tag); return err },
				"objects of tags":       func(ctx context.Context) error { _, err := e.client.ObjectsByTag(ctx, []string{tag}); return err },
				"tags of an object":     func(ctx context.Context) error { _, err := e.client.TagsOfObject(ctx, object); return err },
				"tags of objects":       func(ctx context.Context) error { _, err := e.client.TagsOfObjects(ctx, allVMs(e.VCenter)); return err },
				"refresh of a tag":      func(ctx context.Context) error { _, err := e.client.RefreshTag(ctx, tag); return err },
				"refresh of a category": func(ctx context.Context) error { _, err := e.client.RefreshCategory(ctx, category); return err },
			}
			if page.Status == http.StatusNotFound {
				reads["delete"] = func(ctx context.Context) error { return e.client.DeleteTag(ctx, tag) }
			}
			for what, read := range reads {
				err := read(t.Context())
				require.ErrorIs(t, err, vsphere.ErrUnavailable, what)
				assert.NotErrorIs(t, err, vsphere.ErrNotFound, what)
			}
		})
	}
}

func TestUpdate_concurrentChange(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	tag := vsphere.Tag{ID: newTag(t, c), Name: "silver"}
	rule := fault.Rule{
		Kind: "PATCH tag/{id}", Status: http.StatusConflict, Body: `{"error_type":"CONCURRENT_CHANGE","messages":[]}`,
	}
	rule.Times = 2
	v.Traffic().Break(rule)
	require.NoError(t, c.UpdateTag(t.Context(), tag))
	assert.Len(t, sleeps.sleeps, 2)
	rule.Times = 0
	v.Traffic().Break(rule)
	err := c.UpdateTag(t.Context(), tag)
	require.ErrorIs(t, err, vsphere.ErrUnavailable)
	assert.NotErrorIs(t, err, vsphere.ErrConflict)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRefresh_answersBelongToTheCaller checks that callers that share a request receive sorted copies that they can
// modify. vCenter does not guarantee an order.
func TestRefresh_answersBelongToTheCaller(t *testing.T) {
	t.Parallel()
	vm := vsphere.Object{Type: "VirtualMachine", ID: "vm-1"}
	tags := func(ctx context.Context, c *vsphere.Client) ([]string, error) { return c.RefreshTagsOfObject(ctx, vm) }
	objects := func(ctx context.Context, c *vsphere.Client) (ids []string, err error) {
		list, err := c.RefreshObjectsWithTag(ctx, "a")
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		if len(list) > 0 {
			list[0].ID = "changed"
		}
		return ids, err
	}
	for name, read := range map[string]func(context.Context, *vsphere.Client) ([]string, error){
		"tags": tags, "objects": objects,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { shareAnswer(t, read) })
		})
	}
}

func shareAnswer(t *testing.T, read func(context.Context, *vsphere.Client) ([]string, error)) {
	t.Helper()
	release, batches := make(chan struct{}), 0
	server := roundTripper(func(r *http.Request) (*http.Response, error) {
		result := `["b","a"]`
		switch action := r.URL.Query().Get("action"); {
		case strings.HasSuffix(r.URL.Path, "/session"):
			result = `"session"`
		case strings.HasSuffix(action, "-on-objects"), strings.HasSuffix(action, "-on-tags"):
			if batches++; batches == 1 {
				<-release // make later callers wait and share the next request
			}
			result = `[{"object_id":{"type":"VirtualMachine","id":"vm-1"},"tag_ids":["b","a"],"tag_id":"a",` +
				`"object_ids":[{"type":"VirtualMachine","id":"b"},{"type":"VirtualMachine","id":"a"}]}]`
		case action == "list-attached-objects":
			result = `[]`
		}
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(result)), Request: r,
		}, nil
	})
	c, err := vsphere.New(vsphere.Config{
		Server: "vc.example.com", User: "u", Password: "p",
		Settings: transport.Settings{Wrap: func(http.RoundTripper) http.RoundTripper { return server }},
	})
	require.NoError(t, err)
	_, err = read(t.Context(), c) // the first read is not shared
	require.NoError(t, err)
	answers := make([][]string, 3)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			var err error
			answers[i], err = read(t.Context(), c)
			assert.NoError(t, err)
		})
		synctest.Wait() // the first read must be in flight before the others start
	}
	close(release)
	group.Wait()
	for i, got := range answers {
		require.Equal(t, []string{"a", "b"}, got, i)
		got[0] = "changed" // modifies the caller's copy
	}
	assert.Equal(t, 2, batches)
}

func newFilledEstate(t *testing.T, n int, change ...func(*vsphere.Config)) (e estate, category string) {
	t.Helper()
	e = newEstate(t, vcsim.Config{VMs: -1}, 1, n, change...)
	category, _ = e.anyCategory()
	return e, category
}

func TestLookUps_areShared(t *testing.T) {
	t.Parallel()
	e, _ := newFilledEstate(t, 1000)
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
			require.NoError(t, err)
			assert.Equal(t, name, tag.Name)
		})
	}
	group.Wait()
	// The login, the probe for a listing with names, one listing and one read of categories, and one listing and 1,000
	// reads of tags.
	assert.Equal(t, 1+1+2+1+1000, e.Traffic().Total(), e.Traffic().Counts())
}

func TestLookUps_seeOwnWrites(t *testing.T) {
	t.Parallel()
	e, category := newFilledEstate(t, 2)
	lookUp := func(name string, want bool) {
		t.Helper()
		_, err := e.client.TagByName(t.Context(), category, name)
		if found := err == nil; found != want || (err != nil && !errors.Is(err, vsphere.ErrNotFound)) {
			t.Errorf("%s is found: %v (%v), want %v", name, found, err, want)
		}
	}
	lookUp("gold", false)
	id, err := e.client.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	lookUp("gold", true)
	require.NoError(t, e.client.UpdateTag(t.Context(), vsphere.Tag{ID: id, Name: "silver"}))
	lookUp("gold", false)
	lookUp("silver", true)
	require.NoError(t, e.client.DeleteTag(t.Context(), id))
	lookUp("silver", false)
	err = e.client.UpdateCategory(t.Context(), vsphere.Category{ID: category, Name: "tiers", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	_, err = e.client.CategoryByName(t.Context(), "c-0")
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
	lookUp("gold", false)
	e.Traffic().Reset()
	lookUp("gold", false)
	assert.Equal(t, 0, e.Traffic().Total())
}

func TestLookUps_doNotKeepFailures(t *testing.T) {
	t.Parallel()
	e, category := newFilledEstate(t, 2)
	e.Traffic().Break(fault.Rule{Kind: "POST tag:list-tags-for-category", Status: http.StatusForbidden})
	_, err := e.client.TagByName(t.Context(), category, "tag-0000")
	assert.ErrorIs(t, err, vsphere.ErrPermission)
	e.Traffic().Mend()
	_, err = e.client.TagByName(t.Context(), category, "tag-0000")
	assert.NoError(t, err)
	err = e.client.DeleteTag(t.Context(), "urn:vmomi:InventoryServiceTag:none:GLOBAL") // invalidates the caches
	require.NoError(t, err)
	gate := fault.NewGate()
	e.Traffic().Break(fault.Rule{Kind: "POST tag:list-tags-for-category", Times: 1, Before: gate.Hold})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := e.client.TagByName(ctx, category, "tag-0001")
		first <- err
	}()
	<-gate.Arrived()
	go func() {
		_, err := e.client.TagByName(t.Context(), category, "tag-0001")
		second <- err
	}()
	cancel()
	assert.ErrorIs(t, <-first, context.Canceled)
	gate.Open()
	assert.NoError(t, <-second)
	done, stop := context.WithCancel(t.Context())
	stop()
	_, err = e.client.TagByName(done, "another", "x")
	assert.ErrorIs(t, err, context.Canceled)
}
