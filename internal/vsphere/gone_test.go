package vsphere_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	listTags    = "POST tag-association:list-attached-tags"
	tagsOfBatch = "POST tag-association:list-attached-tags-on-objects"
	attachBatch = "POST tag-association:attach-tag-to-multiple-objects"
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

// newObjectDelays contains the delays before the retries for a new object.
var newObjectDelays = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// TestNewObject checks that, if vCenter refuses to read or attach the tags of a new object, the request is retried for
// 7.5 seconds and then fails.
func TestNewObject(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 3}, 1, 1)
	objects := allVMs(e.VCenter)
	fresh := objects[1]
	for _, tags := range e.tags {
		e.Tags().RefuseNext(fresh.ID, 3)
		_, err := e.client.TagsOfNewObject(t.Context(), fresh)
		require.NoError(t, err)
		assert.Equal(t, newObjectDelays[:3], e.sleeps.sleeps)
		e.Tags().RefuseNext(fresh.ID, 99)
		_, err = e.client.TagsOfNewObject(t.Context(), fresh)
		require.ErrorIs(t, err, vsphere.ErrPermission, "tags that stay refused")
		assert.Equal(t, newObjectDelays, e.sleeps.sleeps[3:])
		e.sleeps.sleeps = nil
		e.Tags().RefuseNext(fresh.ID, 2)
		require.NoError(t, e.client.AttachTag(t.Context(), tags[0], objects))
		assert.Equal(t, newObjectDelays[:2], e.sleeps.sleeps)
		assert.Equal(t, 3, e.Traffic().Count(attachBatch))
		require.NoError(t, e.client.DetachTag(t.Context(), tags[0], objects))
		e.Tags().RefuseNext(fresh.ID, 99)
		err = e.client.AttachTag(t.Context(), tags[0], objects)
		var refused *vsphere.PartialError
		require.ErrorAs(t, err, &refused, "an attach that stays refused")
		require.Len(t, refused.Refused, 1, "an attach that stays refused")
		assert.Equal(t, fresh.ID, refused.Refused[0].ID, "an attach that stays refused")
		assert.False(t, refused.AllRefused(), "an attach that stays refused: %v", err)
	}
}
