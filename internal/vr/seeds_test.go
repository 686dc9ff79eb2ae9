package vr_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestSeeds finds the files of two disks, everywhere and in one folder.
func TestSeeds(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	datastore := l.datastore(t, c)
	l.AddFile(datastore, "later/disk1.vmdk")
	l.AddFile(datastore, "archive/disk1.vmdk")
	l.AddFile(datastore, "archive/other.vmdk")
	first, second := vr.VMDisk{VM: l.vm(0), Key: 2000}, vr.VMDisk{VM: l.vm(1), Key: 2000}
	for folder, want := range map[string][]string{
		"":        {"archive/disk1.vmdk", "later/disk1.vmdk"},
		"archive": {"archive/disk1.vmdk"},
		"none":    {},
	} {
		got, err := c.Seeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), datastore, folder, []vr.VMDisk{second, first})
		want := map[vr.VMDisk][]string{first: want, second: want}
		require.NoError(t, err, folder)
		assert.Equal(t, want, got, folder)
	}
	assert.Equal(t, 3, l.Traffic().Count("getSeedsForDisks"))
	_, err := c.Seeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), "Datastore:none:"+l.RemoteVCenterID(), "",
		[]vr.VMDisk{first})
	assert.ErrorIs(t, err, vr.ErrNotFound)
}

// TestSeeds_batches: 101 disks are two requests.
func TestSeeds_batches(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	disks := make([]vr.VMDisk, 101)
	for i := range disks {
		disks[i] = vr.VMDisk{VM: l.vm(0), Key: int64(2000 + i)}
	}
	got, err := c.Seeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), l.datastore(t, c), "", disks)
	requests := l.Traffic().Count("getSeedsForDisks")
	assert.True(t, err == nil && len(got) == 101 && requests == 2,
		"%d disks with %d requests, %v", len(got), requests, err)
}

// TestSeeds_answers: a null is no seed, and a disk that is missing in the answer is an error.
func TestSeeds_answers(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	disk := vr.VMDisk{VM: l.vm(0), Key: 2000}
	for seeds, want := range map[string][]string{`null`: {}, `[null, "b", "a"]`: {"a", "b"}, "missing": nil} {
		body := `{"list": [{"vm_disk": {"vm_id": "` + disk.VM + `", "device_key": 2000}, "found_seeds": ` + seeds + `}]}`
		if want == nil {
			body = `{"list": []}`
		}
		l.Traffic().Break(fault.Rule{Kind: "getSeedsForDisks", Times: 1, Status: http.StatusOK, Body: body})
		got, err := c.Seeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), l.datastore(t, c), "", []vr.VMDisk{disk})
		switch {
		case want == nil:
			require.ErrorIs(t, err, vr.ErrPartial)
			assert.Contains(t, err.Error(), "disk 2000 of "+disk.VM)
		case err != nil || !reflect.DeepEqual(got[disk], want):
			t.Errorf("%s: %v, %v; want %v", seeds, got, err, want)
		}
	}
}
