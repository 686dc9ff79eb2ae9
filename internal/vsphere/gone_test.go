package vsphere_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

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

var waited = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// TestTagsOfObject_gone: vCenter refuses an object that is gone as it refuses a missing privilege; SOAP
// distinguishes the two.
func TestTagsOfObject_gone(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 2})
	v.Tags().ForbidGone(true)
	vms := allVMs(v)
	for _, gone := range []vsphere.Object{{Type: "VirtualMachine", ID: "vm-0"}, {Type: "HostSystem", ID: "host-0"}} {
		_, err := c.TagsOfObject(t.Context(), gone)
		require.ErrorIs(t, err, vsphere.ErrObjectGone, gone)
		assert.NotErrorIs(t, err, vsphere.ErrPermission, gone)
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
		Kind: "soap:RetrievePropertiesEx", Status: http.StatusInternalServerError, Body: soapFault("NoPermission", ""),
	})
	exists("an object that the user may not read")
	v.Traffic().Mend()
	v.Traffic().Break(fault.Rule{Kind: listTags, Status: http.StatusForbidden})
	v.Traffic().Break(fault.Rule{Kind: "soap:RetrievePropertiesEx", Status: http.StatusServiceUnavailable})
	exists("where SOAP does not answer")
}

// TestTagsOfObjects_gone: a batch that is refused because of two objects that are gone is read in halves.
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
	// Two paths of halves down from 100: at most 2 * 2 * log2(128) requests and the first.
	n := e.Traffic().Count(tagsOfBatch)
	require.GreaterOrEqual(t, n, 3)
	assert.LessOrEqual(t, n, 29)
	e.Traffic().Break(fault.Rule{Kind: tagsOfBatch, Status: http.StatusForbidden})
	_, err = e.client.TagsOfObjects(t.Context(), allVMs(e.VCenter)[:3])
	assert.ErrorIs(t, err, vsphere.ErrPermission)
}

// TestNewObject: a new object is refused for some seconds, by reads and by attaches; a refusal that stays is
// an error after 7.5 seconds.
func TestNewObject(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 3}, 1, 1)
	objects := allVMs(e.VCenter)
	fresh := objects[1]
	for _, tags := range e.tags {
		e.Tags().RefuseNext(fresh.ID, 3)
		if _, err := e.client.TagsOfNewObject(t.Context(), fresh); err != nil || !slices.Equal(e.naps.taken, waited[:3]) {
			t.Errorf("tags: %v after %v", err, e.naps.taken)
		}
		e.Tags().RefuseNext(fresh.ID, 99)
		if _, err := e.client.TagsOfNewObject(t.Context(), fresh); !errors.Is(err, vsphere.ErrPermission) {
			t.Errorf("tags that stay refused: %v", err)
		}
		assert.Equal(t, waited, e.naps.taken[3:])
		e.naps.taken = nil
		e.Tags().RefuseNext(fresh.ID, 2)
		require.NoError(t, e.client.AttachTag(t.Context(), tags[0], objects))
		assert.Equal(t, waited[:2], e.naps.taken)
		assert.Equal(t, 3, e.Traffic().Count(attachBatch))
		require.NoError(t, e.client.DetachTag(t.Context(), tags[0], objects))
		e.Tags().RefuseNext(fresh.ID, 99)
		err := e.client.AttachTag(t.Context(), tags[0], objects)
		var refused *vsphere.PartialError
		if !errors.As(err, &refused) || len(refused.Refused) != 1 || refused.Refused[0].ID != fresh.ID || refused.All() {
			t.Errorf("an attach that stays refused: %v", err)
		}
	}
}

// TestObjectsByTag_batches: 450 tags are asked for in batches of 200. An answer that is too large for the endpoint is
// read in halves, without a wait; one tag whose own answer is too large is an error.
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
			assert.True(t, err == nil && len(got) == 450 && len(got[tags[449]]) == 1,
				"%s: %d tags, %v; want 450", what, len(got), err)
			assert.Equal(t, requests, e.Traffic().Count(objectsOfTags), what)
		}
		read("batches", 3)
		e.Traffic().Reset()
		for _, matchAny := range []bool{true, false} { // the one VM has all of them
			got, err := e.client.ObjectsWithTags(t.Context(), tags, matchAny)
			require.NoError(t, err, matchAny)
			assert.Len(t, got, 1, matchAny)
		}
		assert.Equal(t, 2*3, e.Traffic().Total())
		// A tag takes 137 bytes of the answer, so 100 tags fit and 200 do not; the last batch has 50.
		e.Tags().SetAnswerLimit(20_000)
		read("too large", 2*3+1)
		e.Tags().SetAnswerLimit(0)
		e.Traffic().Break(fault.Rule{Kind: objectsOfTags, Times: 1, Status: http.StatusBadRequest, Body: "<html></html>"})
		read("a 400 without a reason", 3+2)
		assert.Empty(t, e.naps.taken)
		e.Tags().SetAnswerLimit(20)
		_, err := e.client.ObjectsByTag(t.Context(), tags[:2])
		assert.ErrorIs(t, err, vsphere.ErrUnavailable)
	}
}

// TestMeansEveryType: the list that the vSphere Client sets for "all objects" has 17 types.
func TestMeansEveryType(t *testing.T) {
	t.Parallel()
	list := []string{
		"Folder", "Datacenter", "HostSystem", "ClusterComputeResource", "ResourcePool", "VirtualApp", "VirtualMachine",
		"Datastore", "StoragePod", "Network", "HostNetwork", "OpaqueNetwork", "DistributedVirtualPortgroup",
		"DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch", "com.vmware.content.Library",
		"com.vmware.content.library.Item",
	}
	for want, lists := range map[bool][][]string{
		true: {nil, {}, list}, false: {list[1:], append([]string{"Other"}, list...), {"VirtualMachine"}},
	} {
		for _, l := range lists {
			assert.Equal(t, want, vsphere.MeansEveryType(l), len(l))
		}
	}
}
