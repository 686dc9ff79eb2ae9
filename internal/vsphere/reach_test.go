package vsphere_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestReach: no object proves something only where the account's role on the root folder propagates. What carries the
// tag is in a folder that the account cannot read.
func TestReach(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		access vcsim.Access
		want   string // part of the reason, empty for none
	}{
		"propagates":               {vcsim.AccessPropagates, ""},
		"on the root folder only":  {vcsim.AccessRoot, "does not reach Datacenter"},
		"below the root folder":    {vcsim.AccessBelow, "lacks the privilege System.Read on the root folder"},
		"not shown":                {vcsim.AccessUnlisted, "shows no permission of the root folder"},
		"perhaps of another group": {vcsim.AccessByGroup, `VSPHERE.LOCAL\Automation on the root folder does not propagate`},
	} {
		v, c, _ := start(t, vcsim.Config{VMs: 4})
		tag := newTag(t, c)
		hidden := allVMs(v)[:2]
		require.NoError(t, c.AttachTag(t.Context(), tag, hidden))
		v.LimitAccess(test.access, hidden[0].ID, hidden[1].ID)
		v.Traffic().Reset()
		for range 2 {
			got, err := c.Associations(t.Context(), []string{tag})
			if err != nil || got.Objects != 0 || (got.Unproven == "") != (test.want == "") ||
				!strings.Contains(got.Unproven, test.want) {
				t.Errorf("%s: got %+v, %v; want the reason %q", name, got, err, test.want)
			}
		}
		assert.Equal(t, 1, v.Traffic().Count("soap:HasPrivilegeOnEntities"), name)
	}
}

// TestReach_detach: a detach that vCenter refuses is not done for an object, or a tag, that the account may not read:
// the lists that would show it lack it.
func TestReach_detach(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 4})
	tag, vms := newTag(t, c), allVMs(v)
	require.NoError(t, c.AttachTag(t.Context(), tag, vms))
	v.LimitAccess(vcsim.AccessPropagates, vms[0].ID)
	err := c.DetachTag(t.Context(), tag, vms)
	refused, ok := errors.AsType[*vsphere.PartialError](err)
	assert.True(t, ok && len(refused.Refused) == 1 && refused.Refused[0].ID == vms[0].ID,
		"got %v, want a refusal of %s", err, vms[0])
	v.LimitAccess(vcsim.AccessPropagates)
	assert.Len(t, v.Tags().Objects(tag), 1)
	v.Tags().Refuse(vms[0].ID, true)
	v.Traffic().Break(fault.Rule{Kind: "POST tag-association:list-attached-tags", Status: http.StatusOK, Body: "[]"})
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusForbidden})
	err = c.DetachTags(t.Context(), vms[0], []string{tag})
	refused, ok = errors.AsType[*vsphere.PartialError](err)
	require.True(t, ok, "got %v, want a refusal of %s", err, tag)
	assert.Len(t, refused.Refused, 1, "got %v, want a refusal of %s", err, tag)
}
