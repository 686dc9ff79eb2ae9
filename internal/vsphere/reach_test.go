package vsphere_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestInventoryAccess checks that an empty list is reported as inconclusive unless the account's role on the root
// folder propagates. The tagged object is in a folder that the account cannot read.
func TestInventoryAccess(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		access vcsim.Access
		want   string // part of the reason, or empty
	}{
		"propagates":              {vcsim.AccessPropagates, ""},
		"on the root folder only": {vcsim.AccessRoot, "does not apply to Datacenter"},
		"below the root folder":   {vcsim.AccessBelow, "lacks the privilege System.Read on the root folder"},
		"not shown":               {vcsim.AccessUnlisted, "returned no permissions for the root folder"},
		"perhaps of another group": {
			vcsim.AccessByGroup,
			`VSPHERE.LOCAL\Automation on the root folder does not propagate`,
		},
	} {
		v, c, _ := startLab(t, vcsim.Config{VMs: 4})
		tag := newTag(t, c)
		hidden := allVMs(v)[:2]
		require.NoError(t, c.AttachTag(t.Context(), tag, hidden))
		v.LimitAccess(test.access, hidden[0].ID, hidden[1].ID)
		v.Traffic().Reset()
		for range 2 {
			got, err := c.CountAssociations(t.Context(), []string{tag})
			require.NoError(t, err, name)
			assert.Zero(t, got.Objects, name)
			assert.Equal(t, test.want == "", got.UnprovenReason == "", name)
			assert.Contains(t, got.UnprovenReason, test.want, name)
		}
		assert.Equal(t, 1, v.Traffic().Count("soap:HasPrivilegeOnEntities"), name)
	}
}

// TestInventoryAccess_detach checks that a refused detach is reported as not done even if the account cannot read the
// object or the tag, which is then missing from listings.
func TestInventoryAccess_detach(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 4})
	tag, vms := newTag(t, c), allVMs(v)
	require.NoError(t, c.AttachTag(t.Context(), tag, vms))
	v.LimitAccess(vcsim.AccessPropagates, vms[0].ID)
	err := c.DetachTag(t.Context(), tag, vms)
	refused, ok := errors.AsType[*vsphere.PartialError](err)
	require.True(t, ok, "got %v, want a refusal of %s", err, vms[0])
	require.Len(t, refused.Refused, 1)
	assert.Equal(t, vms[0].ID, refused.Refused[0].ID)
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

// TestGlobalAccess checks that only a list that contains a content library proves access below the global root.
func TestGlobalAccess(t *testing.T) {
	t.Parallel()
	const kind = "GET content/{id}"
	for name, test := range map[string]struct {
		release tagging.Release
		rule    fault.Rule
		want    vsphere.GlobalAccess
	}{
		"a library": {want: vsphere.GlobalRead},
		"none": {
			rule: fault.Rule{Kind: kind, Status: http.StatusOK, Body: "[]"},
			want: vsphere.GlobalUnknown,
		},
		"refused": {
			rule: fault.Rule{Kind: kind, Status: http.StatusForbidden},
			want: vsphere.GlobalRefused,
		},
		"release without list": {release: tagging.Release70, want: vsphere.GlobalUnknown},
	} {
		v, c, sleeps := startLab(t, vcsim.Config{Release: test.release})
		if test.rule.Kind != "" {
			v.Traffic().Break(test.rule)
		}
		for range 2 {
			got, err := c.GlobalAccess(t.Context())
			assert.Equal(t, test.want, got, name)
			require.NoError(t, err, name)
			assert.Empty(t, sleeps.sleeps, name)
		}
		assert.Equal(t, 1, v.Traffic().Count(kind), name)
	}
	v, c, _ := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusInternalServerError})
	_, err := c.GlobalAccess(t.Context())
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
}
