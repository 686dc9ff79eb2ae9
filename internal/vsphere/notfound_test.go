package vsphere_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestNotFound_forms checks that a 404 that does not identify a missing object is retried and never becomes
// ErrNotFound, because vCenter returns such a 404 while its services are starting.
func TestNotFound_forms(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]tagging.Missing{
		"no such URL":       tagging.MissingURL,
		"endpoint starts":   tagging.MissingHTTP,
		"no such operation": tagging.MissingOperation,
		"service starts":    tagging.MissingService,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			tag := newTag(t, c)
			v.Tags().SetMissing(form)
			for what, read := range map[string]func() error{
				"tag": func() error {
					_, err := c.Tag(t.Context(), tag)
					return err
				},
				"associations": func() error {
					_, err := c.ObjectsWithTag(t.Context(), tag)
					return err
				},
				"category": func() error {
					_, err := c.Category(t.Context(), "x")
					return err
				},
			} {
				err := read()
				require.ErrorIs(t, err, vsphere.ErrNoOperation, what)
				require.NotErrorIs(t, err, vsphere.ErrNotFound, what)
			}
			if len(sleeps.sleeps) != 12 { // four delays per call
				t.Errorf("waited %d times, want 12", len(sleeps.sleeps))
			}
			require.Error(t, c.DeleteTag(t.Context(), tag), "the tag passes for deleted")
			v.Tags().SetMissing(tagging.NotMissing)
			_, err := c.Tag(t.Context(), tag)
			assert.NoError(t, err)
		})
	}
}

// startUntyped starts a lab in which requests for a tag fail with a 404 without an error type, as from a proxy. It
// returns an existing tag.
func startUntyped(t *testing.T) (v *vcsim.VCenter, c *vsphere.Client, tag string) {
	t.Helper()
	v, c, _ = startLab(t, vcsim.Config{})
	tag = newTag(t, c)
	for _, kind := range []string{
		"GET tag/{id}",
		"DELETE tag/{id}",
		"POST tag-association/{id}?list-attached-objects",
	} {
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusNotFound, Body: "Not found"})
	}
	return v, c, tag
}

// TestNotFound_untyped checks that an untyped 404 becomes ErrNotFound only if a listing of the tags confirms it.
func TestNotFound_untyped(t *testing.T) {
	t.Parallel()
	_, c, tag := startUntyped(t)
	_, err := c.Tag(t.Context(), tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	require.ErrorIs(t, err, vsphere.ErrUnavailable)
	_, err = c.ObjectsWithTag(t.Context(), tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	require.Error(t, c.DeleteTag(t.Context(), tag), "a tag that exists passes for deleted")
	_, err = c.Tag(t.Context(), "urn:vmomi:InventoryServiceTag:1:GLOBAL")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
}

// TestNotFound_untypedShared checks that concurrent reads share confirmations: there are fewer listings than reads.
func TestNotFound_untypedShared(t *testing.T) {
	t.Parallel()
	const reads = 50
	v, c, tag := startUntyped(t)
	v.Traffic().Reset()
	var group sync.WaitGroup
	for range reads {
		group.Go(func() { _, _ = c.Tag(t.Context(), tag) })
	}
	group.Wait()
	assert.Less(t, v.Traffic().Count("GET tag"), reads)
}

// TestNotFound_untypedForbidden checks that an untyped 404 is not ErrNotFound if the user may not list the tags.
func TestNotFound_untypedForbidden(t *testing.T) {
	t.Parallel()
	v, c, tag := startUntyped(t)
	v.Traffic().Break(fault.Rule{Kind: "GET tag", Status: http.StatusForbidden})
	_, err := c.Tag(t.Context(), tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.ErrorIs(t, err, vsphere.ErrPermission)
}
