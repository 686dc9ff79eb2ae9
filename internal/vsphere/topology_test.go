package vsphere_test

import (
	"net/http"
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
		require.NoError(t, err)
		assert.Zero(t, got.Objects)
		assert.Equal(t, []string{"vc1.lab", "vc2.lab"}, got.LinkedNodes)
		assert.False(t, got.TopologyUnknown, "%+v, %v; want no objects here, and two vCenters", got, err)
	}
	assert.Equal(t, 1, first.Traffic().Count(topologyKind))
}

func TestTopology_single(t *testing.T) {
	t.Parallel()
	_, c, _ := startLab(t, vcsim.Config{})
	got, err := c.CountAssociations(t.Context(), []string{newTag(t, c)})
	require.NoError(t, err)
	assert.Nil(t, got.LinkedNodes)
	assert.False(t, got.TopologyUnknown, "got %+v, %v, want no linked vCenters, and a known topology", got, err)
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
		require.NoError(t, err, name)
		assert.True(t, got.TopologyUnknown, "%s: %+v, %v, waited %v", name, got, err, sleeps.sleeps)
		assert.Empty(t, sleeps.sleeps, name)
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
		Server:   first.URL(),
		User:     first.User(),
		Password: first.Password(),
		Settings: transport.Settings{Insecure: true},
	})
	require.NoError(t, err)
	defer func() { _ = fresh.Close(t.Context()) }()
	_, err = fresh.CategoryByName(t.Context(), "sla")
	require.ErrorIs(t, err, vsphere.ErrAmbiguous)
	_, err = fresh.TagByPath(t.Context(), "sla/gold")
	assert.ErrorIs(t, err, vsphere.ErrAmbiguous)
}
