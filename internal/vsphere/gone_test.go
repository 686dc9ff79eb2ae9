package vsphere_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	listTags      = "POST tag-association:list-attached-tags"
	tagsOfBatch   = "POST tag-association:list-attached-tags-on-objects"
	objectsOfTags = "POST tag-association:list-attached-objects-on-tags"
	attachBatch   = "POST tag-association:attach-tag-to-multiple-objects"
)

// TestTagsOfObject_gone checks that a missing object is detected over SOAP, because the tagging service reports only a
// missing privilege for it.
func TestTagsOfObject_gone(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 2})
	v.Tags().ForbidGone(true)
	vms := allVMs(v)
	for _, gone := range []vsphere.Object{
		{Type: "VirtualMachine", ID: "vm-0"},
		{Type: "HostSystem", ID: "host-0"},
	} {
		_, err := c.TagsOfObject(t.Context(), gone)
		require.ErrorIs(t, err, vsphere.ErrObjectGone, "%+v", gone)
		require.NotErrorIs(t, err, vsphere.ErrPermission, "%+v", gone)
	}
	v.Traffic().Break(fault.Rule{Kind: listTags, Status: http.StatusForbidden})
	exists := func(what string) {
		t.Helper()
		_, err := c.TagsOfObject(t.Context(), vms[0])
		require.ErrorIs(t, err, vsphere.ErrPermission, what)
		assert.NotErrorIs(t, err, vsphere.ErrObjectGone, what)
	}
	exists("an object that exists")
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:RetrievePropertiesEx",
		Status: http.StatusInternalServerError,
		Body:   soapFault("NoPermission", ""),
	})
	exists("an object that the user may not read")
	v.Traffic().Mend()
	v.Traffic().Break(fault.Rule{Kind: listTags, Status: http.StatusForbidden})
	v.Traffic().Break(fault.Rule{Kind: "soap:RetrievePropertiesEx", Status: http.StatusServiceUnavailable})
	exists("where SOAP does not answer")
}

func TestTagsOfObjects_gone(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 100}, 1, 1)
	e.Tags().ForbidGone(true)
	objects := allVMs(e.VCenter)
	for _, tags := range e.tags {
		require.NoError(t, e.client.AttachTag(t.Context(), tags[0], objects))
	}
	for _, i := range []int{10, 90} {
		require.NoError(t, e.DestroyVM(objects[i].ID))
	}
	e.Traffic().Reset()
	got, err := e.client.TagsOfObjects(t.Context(), objects)
	require.NoError(t, err)
	assert.Len(t, got, 98)
	// After the first request, the batch is halved at most seven times (log2(128)) for each of the two missing objects,
	// with two requests each time. This makes at most 1 + 2 * 7 * 2 = 29 requests.
	n := e.Traffic().Count(tagsOfBatch)
	require.GreaterOrEqual(t, n, 3)
	assert.LessOrEqual(t, n, 29)
	e.Traffic().Break(fault.Rule{Kind: tagsOfBatch, Status: http.StatusForbidden})
	_, err = e.client.TagsOfObjects(t.Context(), allVMs(e.VCenter)[:3])
	assert.ErrorIs(t, err, vsphere.ErrPermission)
}

// TestNewObject checks that, if vCenter refuses to read or attach the tags of a new object, the request is retried for
// 7.5 seconds and then fails.
func TestNewObject(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 3}, 1, 1)
	objects := allVMs(e.VCenter)
	fresh := objects[1]
	for _, tags := range e.tags {
		e.Tags().RefuseNext(fresh.ID, 3)
		if _, err := e.client.TagsOfNewObject(t.Context(), fresh); err != nil || !slices.Equal(e.sleeps.sleeps,
			newObjectDelays[:3]) {
			t.Errorf("tags: %v after %v", err, e.sleeps.sleeps)
		}
		e.Tags().RefuseNext(fresh.ID, 99)
		if _, err := e.client.TagsOfNewObject(t.Context(), fresh); !errors.Is(err, vsphere.ErrPermission) {
			t.Errorf("tags that stay refused: %v", err)
		}
		assert.Equal(t, newObjectDelays, e.sleeps.sleeps[3:])
		e.sleeps.sleeps = nil
		e.Tags().RefuseNext(fresh.ID, 2)
		require.NoError(t, e.client.AttachTag(t.Context(), tags[0], objects))
		assert.Equal(t, newObjectDelays[:2], e.sleeps.sleeps)
		assert.Equal(t, 3, e.Traffic().Count(attachBatch))
		require.NoError(t, e.client.DetachTag(t.Context(), tags[0], objects))
		e.Tags().RefuseNext(fresh.ID, 99)
		err := e.client.AttachTag(t.Context(), tags[0], objects)
		var refused *vsphere.PartialError
		require.ErrorAs(t, err, &refused, "an attach that stays refused")
		require.Len(t, refused.Refused, 1, "an attach that stays refused")
		assert.Equal(t, fresh.ID, refused.Refused[0].ID, "an attach that stays refused")
		assert.False(t, refused.AllRefused(), "an attach that stays refused: %v", err)
	}
}

func TestObjectsByTag_batches(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 2}, 1, 450)
	for _, tags := range e.tags {
		for _, tag := range tags {
			require.NoError(t, e.Tags().Attach(tag, tagging.Object(allVMs(e.VCenter)[0])))
		}
		read := func(what string, requests int) {
			t.Helper()
			e.Traffic().Reset()
			got, err := e.client.ObjectsByTag(t.Context(), tags)
			require.NoError(t, err, what)
			require.Len(t, got, 450, what)
			assert.Len(t, got[tags[449]], 1, what)
			assert.Equal(t, requests, e.Traffic().Count(objectsOfTags), what)
		}
		read("batches", 3)
		e.Traffic().Reset()
		for _, matchAny := range []bool{true, false} { // the VM has all tags
			got, err := e.client.ObjectsWithTags(t.Context(), tags, matchAny)
			require.NoError(t, err, "%+v", matchAny)
			assert.Len(t, got, 1, "%+v", matchAny)
		}
		assert.Equal(t, 2*3, e.Traffic().Total())
		// Each tag takes 137 bytes in the response, so a response for 100 tags is within the limit, but one for 200
		// tags is not. The last batch has 50 tags.
		e.Tags().SetAnswerLimit(20_000)
		read("too large", 2*3+1)
		e.Tags().SetAnswerLimit(0)
		e.Traffic().Break(fault.Rule{
			Kind:   objectsOfTags,
			Times:  1,
			Status: http.StatusBadRequest,
			Body:   "<html></html>",
		})
		read("a 400 without a reason", 3+2)
		assert.Empty(t, e.sleeps.sleeps)
		e.Tags().SetAnswerLimit(20)
		_, err := e.client.ObjectsByTag(t.Context(), tags[:2])
		assert.ErrorIs(t, err, vsphere.ErrUnavailable)
	}
}
