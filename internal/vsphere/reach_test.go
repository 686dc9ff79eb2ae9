package vsphere_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
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
		"propagates":               {vcsim.AccessPropagates, ""},
		"on the root folder only":  {vcsim.AccessRoot, "does not apply to Datacenter"},
		"below the root folder":    {vcsim.AccessBelow, "lacks the privilege System.Read on the root folder"},
		"not shown":                {vcsim.AccessUnlisted, "returned no permissions for the root folder"},
		"perhaps of another group": {vcsim.AccessByGroup, `VSPHERE.LOCAL\Automation on the root folder does not propagate`},
	} {
		v, c, _ := startLab(t, vcsim.Config{VMs: 4})
		tag := newTag(t, c)
		hidden := allVMs(v)[:2]
		require.NoError(t, c.AttachTag(t.Context(), tag, hidden))
		v.LimitAccess(test.access, hidden[0].ID, hidden[1].ID)
		v.Traffic().Reset()
		for range 2 {
			got, err := c.CountAssociations(t.Context(), []string{tag})
			assert.True(t, err == nil && got.Objects == 0 && (got.UnprovenReason == "") == (test.want == "") &&
				strings.Contains(got.UnprovenReason, test.want),
				"%s: got %+v, %v; want the reason %q", name, got, err, test.want)
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

const topologyKind = "GET /api/vcenter/topology/nodes"

// TestTopology_linked checks that the result names the linked vCenters, because each vCenter reports only associations
// with its own objects.
func TestTopology_linked(t *testing.T) {
	t.Parallel()
	first, c, _ := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	second, other, _ := startLab(t, vcsim.Config{Site: 1, LinkedTo: first})
	require.NoError(t, other.AttachTag(t.Context(), tag, allVMs(second)[:3]))
	first.Traffic().Reset()
	for range 3 {
		got, err := c.CountAssociations(t.Context(), []string{tag})
		assert.True(t, err == nil && got.Objects == 0 &&
			slices.Equal(got.LinkedNodes, []string{"vc1.lab", "vc2.lab"}) && !got.TopologyUnknown,
			"%+v, %v; want no objects here, and two vCenters", got, err)
	}
	assert.Equal(t, 1, first.Traffic().Count(topologyKind))
}

func TestTopology_single(t *testing.T) {
	t.Parallel()
	_, c, _ := startLab(t, vcsim.Config{})
	got, err := c.CountAssociations(t.Context(), []string{newTag(t, c)})
	assert.True(t, err == nil && got.LinkedNodes == nil && !got.TopologyUnknown,
		"got %+v, %v, want no linked vCenters, and a known topology", got, err)
}

func TestTopology_unknown(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*vcsim.VCenter){
		"release": func(*vcsim.VCenter) {},
		"privilege": func(v *vcsim.VCenter) {
			v.Traffic().Break(fault.Rule{Kind: topologyKind, Status: http.StatusForbidden})
		},
		"no node": func(v *vcsim.VCenter) {
			v.Traffic().Break(fault.Rule{Kind: topologyKind, Status: http.StatusOK, Body: "[]"})
		},
		"text": func(v *vcsim.VCenter) {
			v.Traffic().Break(fault.Rule{Kind: topologyKind, Status: http.StatusNotFound, Body: "404"})
		},
	} {
		config := vcsim.Config{}
		if name == "release" {
			config.Release = tagging.Release70
		}
		v, c, sleeps := startLab(t, config)
		tag := newTag(t, c)
		prepare(v)
		got, err := c.CountAssociations(t.Context(), []string{tag})
		assert.True(t, err == nil && got.TopologyUnknown && len(sleeps.sleeps) == 0,
			"%s: %+v, %v, waited %v", name, got, err, sleeps.sleeps)
	}
	v, c, _ := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: topologyKind, Status: http.StatusInternalServerError})
	_, err := c.CountAssociations(t.Context(), []string{tag})
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
}

func TestByName_twice(t *testing.T) {
	t.Parallel()
	first, c, _ := startLab(t, vcsim.Config{})
	_, other, _ := startLab(t, vcsim.Config{Site: 1, LinkedTo: first})
	for _, client := range []*vsphere.Client{c, other} {
		category, err := client.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Single})
		require.NoError(t, err)
		_, err = client.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
		require.NoError(t, err)
	}
	if _, err := c.CategoryByName(t.Context(), "sla"); err != nil {
		t.Errorf("before the other one arrives: %v", err)
	}
	first.Advance(time.Hour)
	fresh, err := vsphere.New(vsphere.Config{
		Server: first.URL(), User: first.User(), Password: first.Password(), Settings: transport.Settings{Insecure: true},
	})
	require.NoError(t, err)
	defer func() { _ = fresh.Close(t.Context()) }()
	_, err = fresh.CategoryByName(t.Context(), "sla")
	assert.ErrorIs(t, err, vsphere.ErrAmbiguous)
	_, err = fresh.TagByPath(t.Context(), "sla/gold")
	assert.ErrorIs(t, err, vsphere.ErrAmbiguous)
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
		"a library":            {want: vsphere.GlobalRead},
		"none":                 {rule: fault.Rule{Kind: kind, Status: http.StatusOK, Body: "[]"}, want: vsphere.GlobalUnknown},
		"refused":              {rule: fault.Rule{Kind: kind, Status: http.StatusForbidden}, want: vsphere.GlobalRefused},
		"release without list": {release: tagging.Release70, want: vsphere.GlobalUnknown},
	} {
		v, c, sleeps := startLab(t, vcsim.Config{Release: test.release})
		if test.rule.Kind != "" {
			v.Traffic().Break(test.rule)
		}
		for range 2 {
			got, err := c.GlobalAccess(t.Context())
			assert.True(t, got == test.want && err == nil && len(sleeps.sleeps) == 0,
				"%s: got %d, %v, waited %v; want %d", name, got, err, sleeps.sleeps, test.want)
		}
		assert.Equal(t, 1, v.Traffic().Count(kind), name)
	}
	v, c, _ := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusInternalServerError})
	_, err := c.GlobalAccess(t.Context())
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
}

func TestCategory_allowsLibraries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		types []string
		want  bool
	}{
		{nil, true},
		{[]string{"VirtualMachine"}, false},
		{[]string{"VirtualMachine", "com.vmware.content.Library"}, true},
		{[]string{"com.vmware.content.library.Item"}, true},
	} {
		assert.Equal(t, test.want, (vsphere.Category{AssociableTypes: test.types}).AllowsLibraries())
	}
}
