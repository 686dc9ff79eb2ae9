package vsphere_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestTagByPath(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: -1})
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
