package vsphere_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestWithArrivals checks that a change waits for a tag or category that is replicated from a linked vCenter within a
// minute. A plan does not wait, nor does a change on a vCenter that is not linked to others.
func TestWithArrivals(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(context.Context, *vsphere.Client, string, string, vsphere.Object) error{
		"tag on objects": func(ctx context.Context, c *vsphere.Client, _, tag string, vm vsphere.Object) error {
			return c.AttachTag(ctx, tag, []vsphere.Object{vm})
		},
		"tags on an object": func(ctx context.Context, c *vsphere.Client, _, tag string, vm vsphere.Object) error {
			return c.AttachTags(ctx, vm, []string{tag})
		},
		"tag in a category": func(ctx context.Context, c *vsphere.Client, category, _ string, _ vsphere.Object) error {
			_, err := c.CreateTag(ctx, vsphere.Tag{Name: "silver", CategoryID: category})
			return err
		},
		"tag": func(ctx context.Context, c *vsphere.Client, _, tag string, _ vsphere.Object) error {
			_, err := c.Tag(ctx, tag)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, c, _ := startLab(t, vcsim.Config{})
			second, other, sleeps := startLab(t, vcsim.Config{Site: 1, LinkedTo: first}, func(config *vsphere.Config) {
				sleep := config.Sleep
				config.Sleep = func(ctx context.Context, d time.Duration) error {
					first.Advance(d)
					return sleep(ctx, d)
				}
			})
			category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Multiple})
			require.NoError(t, err)
			tag, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
			require.NoError(t, err)
			vm := allVMs(second)[0]
			require.Error(t, use(t.Context(), other, category, tag, vm))
			assert.Empty(t, sleeps.sleeps)
			before := sleeps.now()
			require.NoError(t, use(vsphere.WithArrivals(t.Context(), &vsphere.Arrivals{}), other, category, tag, vm),
				"%+v", sleeps.sleeps)
			waited := sleeps.now().Sub(before)
			require.GreaterOrEqual(t, waited, 55*time.Second)
			assert.LessOrEqual(t, waited, time.Minute)
		})
	}
	_, c, sleeps := startLab(t, vcsim.Config{})
	_, err := c.Tag(vsphere.WithArrivals(t.Context(), &vsphere.Arrivals{}), "urn:vmomi:InventoryServiceTag:none:GLOBAL")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	assert.Empty(t, sleeps.sleeps)
}
