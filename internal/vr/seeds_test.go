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

func TestSeeds(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	datastore := l.datastore(t, c)
	l.AddFile(datastore, "later/disk1.vmdk")
	l.AddFile(datastore, "archive/disk1.vmdk")
	l.AddFile(datastore, "archive/other.vmdk")
	first := vr.VMDisk{VM: l.vm(0), Key: 2000}
	second := vr.VMDisk{VM: l.vm(1), Key: 2000}
	for folder, want := range map[string][]string{
		"":        {"archive/disk1.vmdk", "later/disk1.vmdk"},
		"archive": {"archive/disk1.vmdk"},
		"none":    {},
	} {
		got, err := c.FindSeeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), datastore, folder, []vr.VMDisk{
			second,
			first,
		})
		want := map[vr.VMDisk][]string{first: want, second: want}
		require.NoError(t, err, folder)
		assert.Equal(t, want, got, folder)
	}
	assert.Equal(t, 3, l.Traffic().Count("getSeedsForDisks"))
	_, err := c.FindSeeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), "Datastore:none:"+l.RemoteVCenterID(), "",
		[]vr.VMDisk{first})
	assert.ErrorIs(t, err, vr.ErrNotFound)
}

// TestSeeds_batches checks that 101 disks take two requests, because a request can contain at most 100.
func TestSeeds_batches(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	disks := make([]vr.VMDisk, 101)
	for i := range disks {
		disks[i] = vr.VMDisk{VM: l.vm(0), Key: int64(2000 + i)}
	}
	got, err := c.FindSeeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), l.datastore(t, c), "", disks)
	requests := l.Traffic().Count("getSeedsForDisks")
	require.NoError(t, err)
	assert.Len(t, got, 101)
	assert.Equal(t, 2, requests)
}

func TestSeeds_answers(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	disk := vr.VMDisk{VM: l.vm(0), Key: 2000}
	for seeds, want := range map[string][]string{
		`null`:             {},
		`[null, "b", "a"]`: {"a", "b"},
		"missing":          nil,
	} {
		body := `{"list": [{"vm_disk": {"vm_id": "` + disk.VM + `", "device_key": 2000}, "found_seeds": ` + seeds +
			`}]}`
		if want == nil {
			body = `{"list": []}`
		}
		l.Traffic().Break(fault.Rule{Kind: "getSeedsForDisks", Times: 1, Status: http.StatusOK, Body: body})
		got, err := c.FindSeeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), l.datastore(t, c), "",
			[]vr.VMDisk{disk})
		switch {
		case want == nil:
			require.ErrorIs(t, err, vr.ErrPartial)
			assert.Contains(t, err.Error(), "disk 2000 of "+disk.VM)
		case err != nil || !reflect.DeepEqual(got[disk], want):
			t.Errorf("%s: %v, %v; want %v", seeds, got, err, want)
		}
	}
}
