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
	"terraform-provider-vsla/internal/vsphere"
)

func TestLookUps_areShared(t *testing.T) {
	t.Parallel()
	e, _ := newFilledEstate(t, 1000)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			name := fmt.Sprintf("tag-%04d", i*10)
			category, err := e.client.CategoryByName(t.Context(), "c-0")
			if err != nil {
				t.Error(err)
				return
			}
			tag, err := e.client.TagByName(t.Context(), category.ID, name)
			assert.Equal(t, name, tag.Name)
			assert.NoError(t, err)
		})
	}
	group.Wait()
	// The login, the probe for a listing with names, one listing and one read of categories, and one listing and 1,000
	// reads of tags.
	assert.Equal(t, 1+1+2+1+1000, e.Traffic().Total(), "%+v", e.Traffic().Counts())
}

func TestLookUps_seeOwnWrites(t *testing.T) {
	t.Parallel()
	e, category := newFilledEstate(t, 2)
	lookUp := func(name string, want bool) {
		t.Helper()
		_, err := e.client.TagByName(t.Context(), category, name)
		if found := err == nil; found != want || (err != nil && !errors.Is(err, vsphere.ErrNotFound)) {
			t.Errorf("%s is found: %v (%v), want %v", name, found, err, want)
		}
	}
	lookUp("gold", false)
	id, err := e.client.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	lookUp("gold", true)
	require.NoError(t, e.client.UpdateTag(t.Context(), vsphere.Tag{ID: id, Name: "silver"}))
	lookUp("gold", false)
	lookUp("silver", true)
	require.NoError(t, e.client.DeleteTag(t.Context(), id))
	lookUp("silver", false)
	err = e.client.UpdateCategory(t.Context(), vsphere.Category{ID: category, Name: "tiers", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	_, err = e.client.CategoryByName(t.Context(), "c-0")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	lookUp("gold", false)
	e.Traffic().Reset()
	lookUp("gold", false)
	assert.Equal(t, 0, e.Traffic().Total())
}

func TestLookUps_doNotKeepFailures(t *testing.T) {
	t.Parallel()
	e, category := newFilledEstate(t, 2)
	e.Traffic().Break(fault.Rule{Kind: "POST tag:list-tags-for-category", Status: http.StatusForbidden})
	_, err := e.client.TagByName(t.Context(), category, "tag-0000")
	require.ErrorIs(t, err, vsphere.ErrPermission)
	e.Traffic().Mend()
	_, err = e.client.TagByName(t.Context(), category, "tag-0000")
	require.NoError(t, err)
	err = e.client.DeleteTag(t.Context(), "urn:vmomi:InventoryServiceTag:none:GLOBAL") // invalidates the caches
	require.NoError(t, err)
	gate := fault.NewGate()
	e.Traffic().Break(fault.Rule{Kind: "POST tag:list-tags-for-category", Times: 1, Before: gate.Hold})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := e.client.TagByName(ctx, category, "tag-0001")
		first <- err
	}()
	<-gate.Arrived()
	go func() {
		_, err := e.client.TagByName(t.Context(), category, "tag-0001")
		second <- err
	}()
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	gate.Open()
	require.NoError(t, <-second)
	done, stop := context.WithCancel(t.Context())
	stop()
	_, err = e.client.TagByName(done, "another", "x")
	assert.ErrorIs(t, err, context.Canceled)
}
