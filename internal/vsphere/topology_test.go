package vsphere_test

import (
	"net/http"
	"slices"
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

const topologyKind = "GET /api/vcenter/topology/nodes"

// TestTopology_linked: a tag that nothing carries here may be carried by objects of a linked vCenter, which only that
// one reports.
func TestTopology_linked(t *testing.T) {
	t.Parallel()
	first, c, _ := start(t, vcsim.Config{})
	tag := newTag(t, c)
	second, other, _ := start(t, vcsim.Config{Site: 1, LinkedTo: first})
	require.NoError(t, other.AttachTag(t.Context(), tag, allVMs(second)[:3]))
	first.Traffic().Reset()
	for range 3 {
		got, err := c.Associations(t.Context(), []string{tag})
		if err != nil || got.Objects != 0 || !slices.Equal(got.Linked, []string{"vc1.lab", "vc2.lab"}) ||
			got.TopologyUnknown {
			t.Errorf("%+v, %v; want no objects here, and two vCenters", got, err)
		}
	}
	assert.Equal(t, 1, first.Traffic().Count(topologyKind))
}

func TestTopology_single(t *testing.T) {
	t.Parallel()
	_, c, _ := start(t, vcsim.Config{})
	got, err := c.Associations(t.Context(), []string{newTag(t, c)})
	assert.True(t, err == nil && got.Linked == nil && !got.TopologyUnknown,
		"got %+v, %v, want no linked vCenters, and a known topology", got, err)
}

// TestTopology_unknown: a release without the operation, and a user who may not use it, are not an error.
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
		v, c, naps := start(t, config)
		tag := newTag(t, c)
		prepare(v)
		got, err := c.Associations(t.Context(), []string{tag})
		assert.True(t, err == nil && got.TopologyUnknown && len(naps.taken) <= 0,
			"%s: %+v, %v, waited %v", name, got, err, naps.taken)
	}
	v, c, _ := start(t, vcsim.Config{})
	tag := newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: topologyKind, Status: http.StatusInternalServerError})
	_, err := c.Associations(t.Context(), []string{tag})
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
}

// TestByName_twice: two linked vCenters can create the same name; a look-up does not choose one of them.
func TestByName_twice(t *testing.T) {
	t.Parallel()
	first, c, _ := start(t, vcsim.Config{})
	_, other, _ := start(t, vcsim.Config{Site: 1, LinkedTo: first})
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
		Server: first.URL(), User: first.User(), Password: first.Password(),
		Settings: transport.Settings{Insecure: true},
	})
	require.NoError(t, err)
	defer func() { _ = fresh.Close(t.Context()) }()
	_, err = fresh.CategoryByName(t.Context(), "sla")
	assert.ErrorIs(t, err, vsphere.ErrAmbiguous)
	_, err = fresh.TagByPath(t.Context(), "sla/gold")
	assert.ErrorIs(t, err, vsphere.ErrAmbiguous)
}
