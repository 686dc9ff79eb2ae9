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

func TestAttachTag_tellsHowFarItCame(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{Hosts: 4, VMs: 4500})
	tag := newTag(t, c)
	for _, test := range []struct {
		status  int
		reached int
	}{{http.StatusForbidden, 2000}, {http.StatusServiceUnavailable, 4000}} {
		v.Traffic().
			Break(fault.Rule{Kind: "POST tag-association:attach-tag-to-multiple-objects", Skip: 1, Status: test.status})
		err := c.AttachTag(t.Context(), tag, allVMs(v))
		v.Traffic().Mend()
		var interrupted *vsphere.InterruptedError
		if !errors.As(err, &interrupted) || interrupted.Confirmed != 2000 || interrupted.Reached != test.reached ||
			interrupted.Total != 4500 {
			t.Errorf("status %d: got %+v (%v)", test.status, interrupted, err)
		}
	}
	assert.Equal(t, 2000, len(v.Tags().Objects(tag)))
}

func TestAttachTag_namesTheRefused(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 20})
	tag := newTag(t, c)
	var want []string
	for _, vm := range v.VMs()[:12] {
		v.Tags().Refuse(vm.ID, true)
		want = append(want, vm.ID)
	}
	err := c.AttachTag(t.Context(), tag, allVMs(v))
	var partial *vsphere.PartialError
	require.True(t, errors.As(err, &partial), "got %v", err)
	require.Len(t, partial.Refused, 12)
	for _, r := range partial.Refused {
		require.Contains(t, want, r.ID)
		assert.Contains(t, r.Message, "may not tag it")
	}
	assert.Contains(t, err.Error(), "and 2 more")
	// The other eight were attached: they can be detached, and no association is left.
	assert.NoError(t, c.DetachTag(t.Context(), tag, allVMs(v)[12:]))
	assert.Empty(t, v.Tags().Objects(tag))
}

func TestTagByPath(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: -1})
	add := func(category, tag string) string {
		id := ""
		for _, known := range v.Tags().Categories() {
			if known.Name == category {
				id = known.ID
			}
		}
		var err error
		if id == "" {
			id, err = v.Tags().AddCategory(tagging.Category{Name: category, Cardinality: "SINGLE"})
			require.NoError(t, err)
		}
		tagID, err := v.Tags().AddTag(tagging.Tag{Name: tag, CategoryID: id})
		require.NoError(t, err)
		return tagID
	}
	gold, slash := add("sla", "gold"), add("sla", "a/b")
	add("x", "y/z")
	add("x/y", "z")
	for path, want := range map[string]string{"sla/gold": gold, "sla/a/b": slash} {
		got, err := c.FindTag(t.Context(), path)
		require.NoError(t, err, path)
		assert.Equal(t, want, got.ID, path)
	}
	got, err := c.FindTag(t.Context(), gold)
	require.NoError(t, err)
	assert.Equal(t, "gold", got.Name)
	for path, want := range map[string]error{
		"x/y/z":     vsphere.ErrAmbiguous,
		"sla/none":  vsphere.ErrNotFound,
		"none/gold": vsphere.ErrNotFound,
		"gold":      vsphere.ErrNotFound,
		"sla/":      vsphere.ErrNotFound,
	} {
		_, err := c.FindTag(t.Context(), path)
		assert.ErrorIs(t, err, want, path)
	}
}

const patch = "PATCH /api/vcenter/tagging/associations"

// TestChangeTags: since 9.1 an object's tags are exchanged in one request, as a whole or not at all; before, the client
// reports the lack after one question for the connection.
func TestChangeTags(t *testing.T) {
	t.Parallel()
	for _, release := range []tagging.Release{tagging.Release67, tagging.Release80, tagging.Release90, tagging.Release91} {
		e := newEstate(t, vcsim.Config{VMs: 2, Release: release}, 1, 4)
		vm := allVMs(e.VCenter)[0]
		has := func() []string {
			t.Helper()
			list, err := e.client.TagsOfObject(t.Context(), vm)
			require.NoError(t, err)
			return list
		}
		for _, tags := range e.tags {
			require.NoError(t, e.client.AttachTags(t.Context(), vm, tags[:2]))
			offered, err := e.client.ChangeTags(t.Context(), vm, tags[:1], tags[2:3])
			require.NoError(t, err)
			assert.Equal(t, release >= tagging.Release91, offered)
			if !offered {
				offered, err = e.client.ChangeTags(t.Context(), vm, tags[:1], tags[2:3])
				require.False(t, offered, "%s: offered %t, %v", release, offered, err)
				assert.NoError(t, err, release)
				require.Equal(t, 1, e.Traffic().Count(patch), release)
				assert.Equal(t, tags[:2], has(), release)
				continue
			}
			assert.Equal(t, tags[1:3], has())
			e.Tags().RefuseAttach(tags[3], vm.ID, true)
			_, err = e.client.ChangeTags(t.Context(), vm, tags[1:2], tags[3:])
			var refused *vsphere.PartialError
			require.True(t, errors.As(err, &refused), "a tag that is refused: %v", err)
			require.True(t, refused.All(), "a tag that is refused: %v", err)
			i := slices.IndexFunc(refused.Refused, func(r vsphere.Refusal) bool { return r.ID == tags[3] })
			require.GreaterOrEqual(t, i, 0, "the error does not say why: %v", err)
			assert.NotEqual(t, "", refused.Refused[i].Message, "the error does not say why: %v", err)
			assert.Equal(t, tags[1:3], has())
			gone := vsphere.Object{Type: "VirtualMachine", ID: "vm-0"}
			_, err = e.client.ChangeTags(t.Context(), gone, tags[:1], tags[1:2])
			assert.ErrorIs(t, err, vsphere.ErrNotFound)
		}
	}
}
