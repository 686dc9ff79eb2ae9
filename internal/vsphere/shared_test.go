package vsphere_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// filled returns a vCenter with a category of n tags.
func filled(t *testing.T, n int) (*vcsim.VCenter, *vsphere.Client, string) {
	t.Helper()
	v, c, _ := start(t, vcsim.Config{VMs: -1})
	return v, c, fill(t, v, n)
}

func filledWithNaps(t *testing.T, n int, change ...func(*vsphere.Config)) (*vcsim.VCenter, *vsphere.Client, *naps) {
	t.Helper()
	v, c, naps := start(t, vcsim.Config{VMs: -1}, change...)
	fill(t, v, n)
	return v, c, naps
}

func fill(t *testing.T, v *vcsim.VCenter, n int) string {
	t.Helper()
	category, err := v.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	for i := range n {
		_, err := v.Tags().AddTag(tagging.Tag{Name: fmt.Sprintf("tag-%04d", i), CategoryID: category})
		require.NoError(t, err)
	}
	return category
}

// TestLookUps_areShared: any number of names in a category cost one listing and one pass of reads together.
func TestLookUps_areShared(t *testing.T) {
	t.Parallel()
	v, c, _ := filled(t, 1000)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			name := fmt.Sprintf("tag-%04d", i*10)
			category, err := c.CategoryByName(t.Context(), "sla")
			if err != nil {
				t.Error(err)
				return
			}
			tag, err := c.TagByName(t.Context(), category.ID, name)
			require.NoError(t, err)
			assert.Equal(t, name, tag.Name)
		})
	}
	group.Wait()
	// A login, the question for a listing with names, the categories listed and one read, the tags listed and 1,000 read.
	assert.Equal(t, 1+1+2+1+1000, v.Traffic().Total(), v.Traffic().Counts())
}

// TestLookUps_seeOwnWrites: after each change of this client's, a look-up reads afresh.
func TestLookUps_seeOwnWrites(t *testing.T) {
	t.Parallel()
	v, c, category := filled(t, 2)
	lookUp := func(name string, want bool) {
		t.Helper()
		_, err := c.TagByName(t.Context(), category, name)
		if found := err == nil; found != want || (err != nil && !errors.Is(err, vsphere.ErrNotFound)) {
			t.Errorf("%s is found: %v (%v), want %v", name, found, err, want)
		}
	}
	lookUp("gold", false)
	id, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	lookUp("gold", true)
	require.NoError(t, c.UpdateTag(t.Context(), vsphere.Tag{ID: id, Name: "silver"}))
	lookUp("gold", false)
	lookUp("silver", true)
	require.NoError(t, c.DeleteTag(t.Context(), id))
	lookUp("silver", false)
	err = c.UpdateCategory(
		t.Context(),
		vsphere.Category{ID: category, Name: "tiers", Cardinality: "MULTIPLE"},
	)
	require.NoError(t, err)
	_, err = c.CategoryByName(t.Context(), "sla")
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
	// Without its own change, it does not ask again.
	lookUp("gold", false)
	v.Traffic().Reset()
	lookUp("gold", false)
	assert.Equal(t, 0, v.Traffic().Total())
}

// TestLookUps_doNotKeepFailures: neither an error nor another caller's end is shared.
func TestLookUps_doNotKeepFailures(t *testing.T) {
	t.Parallel()
	v, c, category := filled(t, 2)
	v.Traffic().Break(fault.Rule{Kind: "POST tag:list-tags-for-category", Status: http.StatusForbidden})
	_, err := c.TagByName(t.Context(), category, "tag-0000")
	assert.ErrorIs(t, err, vsphere.ErrPermission)
	v.Traffic().Mend()
	_, err = c.TagByName(t.Context(), category, "tag-0000")
	assert.NoError(t, err)
	if err := c.DeleteTag(t.Context(), "urn:vmomi:InventoryServiceTag:none:GLOBAL"); err != nil { // drops the readings
		t.Fatal(err)
	}
	gate := fault.NewGate()
	v.Traffic().Break(fault.Rule{Kind: "POST tag:list-tags-for-category", Times: 1, Before: gate.Hold})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.TagByName(ctx, category, "tag-0001")
		first <- err
	}()
	<-gate.Arrived()
	go func() {
		_, err := c.TagByName(t.Context(), category, "tag-0001")
		second <- err
	}()
	cancel()
	assert.ErrorIs(t, <-first, context.Canceled)
	gate.Open()
	assert.NoError(t, <-second)
	// And one who waits can be cancelled himself.
	done, stop := context.WithCancel(t.Context())
	stop()
	_, err = c.TagByName(done, "another", "x")
	assert.ErrorIs(t, err, context.Canceled)
}
