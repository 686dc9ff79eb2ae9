package vsphere_test

import (
	"errors"
	"slices"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

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
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		for _, tags := range e.tags {
			if err := e.client.AttachTags(t.Context(), vm, tags[:2]); err != nil {
				t.Fatal(err)
			}
			offered, err := e.client.ChangeTags(t.Context(), vm, tags[:1], tags[2:3])
			if err != nil || offered != (release >= tagging.Release91) {
				t.Errorf("%s: offered %t, %v", release, offered, err)
			}
			if !offered {
				if offered, err = e.client.ChangeTags(t.Context(), vm, tags[:1], tags[2:3]); offered || err != nil {
					t.Errorf("%s: offered %t, %v", release, offered, err)
				}
				if n := e.Traffic().Count(patch); n != 1 || !slices.Equal(has(), tags[:2]) {
					t.Errorf("%s: %d requests, and the VM carries %v", release, n, has())
				}
				continue
			}
			if got := has(); !slices.Equal(got, tags[1:3]) {
				t.Errorf("the VM carries %v, want %v", got, tags[1:3])
			}
			e.Tags().RefuseAttach(tags[3], vm.ID, true)
			_, err = e.client.ChangeTags(t.Context(), vm, tags[1:2], tags[3:])
			var refused *vsphere.PartialError
			if !errors.As(err, &refused) || !refused.All() {
				t.Fatalf("a tag that is refused: %v", err)
			}
			if i := slices.IndexFunc(refused.Refused, func(r vsphere.Refusal) bool { return r.ID == tags[3] }); i < 0 ||
				refused.Refused[i].Message == "" {
				t.Errorf("the error does not say why: %v", err)
			}
			if got := has(); !slices.Equal(got, tags[1:3]) {
				t.Errorf("after the refusal the VM carries %v, want %v", got, tags[1:3])
			}
			gone := vsphere.Object{Type: "VirtualMachine", ID: "vm-0"}
			if _, err := e.client.ChangeTags(t.Context(), gone, tags[:1], tags[1:2]); !errors.Is(err, vsphere.ErrNotFound) {
				t.Errorf("an object that is gone: %v", err)
			}
		}
	}
}
