package vsphere_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

const patch = "PATCH /api/vcenter/tagging/associations"

// TestChangeTags checks that vCenter 9.1 changes an object's tags in one atomic request. On older releases, the client
// reports that the operation is missing, and tries it only once per connection.
func TestChangeTags(t *testing.T) {
	t.Parallel()
	for _, release := range []tagging.Release{
		tagging.Release70,
		tagging.Release80,
		tagging.Release90,
		tagging.Release91,
	} {
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
				require.NoError(t, err, "%+v", release)
				require.Equal(t, 1, e.Traffic().Count(patch), "%+v", release)
				assert.Equal(t, tags[:2], has(), "%+v", release)
				continue
			}
			assert.Equal(t, tags[1:3], has())
			e.Tags().RefuseAttach(tags[3], vm.ID, true)
			_, err = e.client.ChangeTags(t.Context(), vm, tags[1:2], tags[3:])
			var refused *vsphere.PartialError
			require.ErrorAs(t, err, &refused, "a tag that is refused: %v", err)
			require.True(t, refused.AllRefused(), "a tag that is refused: %v", err)
			i := slices.IndexFunc(refused.Refused, func(r vsphere.Refusal) bool { return r.ID == tags[3] })
			require.GreaterOrEqual(t, i, 0, "the error does not say why: %v", err)
			assert.NotEmpty(t, refused.Refused[i].Message, "the error does not say why: %v", err)
			assert.Equal(t, tags[1:3], has())
			gone := vsphere.Object{Type: "VirtualMachine", ID: "vm-0"}
			_, err = e.client.ChangeTags(t.Context(), gone, tags[:1], tags[1:2])
			assert.ErrorIs(t, err, vsphere.ErrNotFound)
		}
	}
}
