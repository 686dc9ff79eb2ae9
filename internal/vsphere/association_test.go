package vsphere_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestAttachTag_tellsHowFarItCame(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: 4500})
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
		require.ErrorAs(t, err, &interrupted, "status %d", test.status)
		assert.Equal(t, 2000, interrupted.Confirmed, "status %d", test.status)
		assert.Equal(t, test.reached, interrupted.Reached, "status %d", test.status)
		assert.Equal(t, 4500, interrupted.Total, "status %d", test.status)
	}
	assert.Len(t, v.Tags().Objects(tag), 2000)
}

func TestAttachTag_namesTheRefused(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 20})
	tag := newTag(t, c)
	var want []string
	for _, vm := range v.VMs()[:12] {
		v.Tags().Refuse(vm.ID, true)
		want = append(want, vm.ID)
	}
	err := c.AttachTag(t.Context(), tag, allVMs(v))
	var partial *vsphere.PartialError
	require.ErrorAs(t, err, &partial, "got %v", err)
	require.Len(t, partial.Refused, 12)
	for _, r := range partial.Refused {
		require.Contains(t, want, r.ID)
		assert.Contains(t, r.Message, "may not tag it")
	}
	assert.Contains(t, err.Error(), "and 2 more")
	// Detach the tag from the other eight VMs, which have it.
	require.NoError(t, c.DetachTag(t.Context(), tag, allVMs(v)[12:]))
	assert.Empty(t, v.Tags().Objects(tag))
}
