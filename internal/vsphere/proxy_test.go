package vsphere_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestReads_noAnswer checks that an empty response or a proxy's 404 page is an error, and is never taken to mean that
// an object is gone, deleted or empty.
func TestReads_noAnswer(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]fault.Rule{
		"404 page": {Status: http.StatusNotFound, Body: "<html><body>404 Not Found</body></html>"},
		"404":      {Status: http.StatusNotFound},
		"empty":    {Status: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, vcsim.Config{VMs: 2}, 1, 2)
			category, tags := e.anyCategory()
			tag, object := tags[0], allVMs(e.VCenter)[0]
			require.NoError(t, e.client.AttachTag(t.Context(), tag, []vsphere.Object{object}))
			e.Traffic().Break(page)
			reads := map[string]func(context.Context) error{
				"tag": func(ctx context.Context) error {
					_, err := e.client.Tag(ctx, tag)
					return err
				},
				"category": func(ctx context.Context) error {
					_, err := e.client.Category(ctx, category)
					return err
				},
				"categories": func(ctx context.Context) error {
					_, err := e.client.CategoryIDs(ctx)
					return err
				},
				"objects of a tag": func(ctx context.Context) error {
					_, err := e.client.ObjectsWithTag(ctx, tag)
					return err
				},
				"objects of tags": func(ctx context.Context) error {
					_, err := e.client.ObjectsByTag(ctx, []string{tag})
					return err
				},
				"tags of an object": func(ctx context.Context) error {
					_, err := e.client.TagsOfObject(ctx, object)
					return err
				},
				"tags of objects": func(ctx context.Context) error {
					_, err := e.client.TagsOfObjects(ctx, allVMs(e.VCenter))
					return err
				},
				"refresh of a tag": func(ctx context.Context) error {
					_, err := e.client.RefreshTag(ctx, tag)
					return err
				},
				"refresh of a category": func(ctx context.Context) error {
					_, err := e.client.RefreshCategory(ctx, category)
					return err
				},
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
		Kind:   "PATCH tag/{id}",
		Status: http.StatusConflict,
		Body:   `{"error_type":"CONCURRENT_CHANGE","messages":[]}`,
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

func newFilledEstate(t *testing.T, n int, change ...func(*vsphere.Config)) (e estate, category string) {
	t.Helper()
	e = newEstate(t, vcsim.Config{VMs: -1}, 1, n, change...)
	category, _ = e.anyCategory()
	return e, category
}
