package vr_test

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

func TestTasks_arePolledTogether(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]bool{"by filter": false, "the filter is refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Switches{})
			c := l.client(t)
			if refuse {
				l.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Status: http.StatusBadRequest})
			}
			const n = 30
			tasks := make([]vr.Task, n)
			for i := range n {
				task, err := c.Configure(t.Context(), l.PairingID(), l.vm(i), l.RemoteVCenterID(), l.settings(t, c, l.vm(i)))
				require.NoError(t, err)
				tasks[i] = task
			}
			l.Traffic().Reset()
			var group sync.WaitGroup
			for i := range n {
				group.Go(func() {
					assert.NoError(t, c.Wait(t.Context(), tasks[i], nil))
					_, err := c.AwaitReplication(t.Context(), l.PairingID(), l.vm(i), l.RemoteVCenterID())
					assert.NoError(t, err)
				})
			}
			group.Wait()
			together, single := l.Traffic().Count("getRecentTasksInfo"), l.Traffic().Count("getTaskInfo")
			// A task takes 8 s and is polled every 5 s, so each caller needs two polls. The test allows six polls, because
			// callers may join late.
			assert.False(t, !refuse && (together > 6 || single > 0), "%d requests for all, %d for one", together, single)
			assert.False(t, refuse && (together != 1 || single < n), "%d requests for all, %d for one", together, single)
			assert.LessOrEqual(t, l.Traffic().Count("getAllReplications"), 6)
		})
	}
}

func TestTask_detached(t *testing.T) {
	t.Parallel()
	type key struct{}
	l := startLab(t, gateway.Switches{})
	var mu sync.Mutex
	carried := map[string]any{}
	c := l.client(t, func(config *vr.Config) {
		background := context.WithValue(t.Context(), key{}, "shared")
		config.Background = func() context.Context { return background }
		config.Observe = func(ctx context.Context, e vr.Event) {
			mu.Lock()
			defer mu.Unlock()
			carried[e.Path] = ctx.Value(key{})
		}
	})
	ctx := context.WithValue(t.Context(), key{}, "own")
	task, err := c.Configure(ctx, l.PairingID(), l.vm(0), l.RemoteVCenterID(), l.settings(t, c, l.vm(0)))
	require.NoError(t, err)
	require.NoError(t, c.Wait(ctx, task, nil))
	mu.Lock()
	defer mu.Unlock()
	for path, want := range map[string]any{
		"/tasks": "shared", "/pairings/{pairing_id}/replications": "own",
		vmsPath + "/{vm_id}/disks": "shared",
	} {
		got := carried[path]
		assert.True(t, got == want, "a request to %s carries %v, want %v", path, got, want)
	}
}

const vmsPath = "/pairings/{pairing_id}/vcenters/{vcenter_id}/vms"

func TestTask_ends(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule     gateway.TaskRule
		mutate   func(map[string]any)
		lose     bool
		want     error
		messages []string
	}{
		"well": {},
		"in an error": {
			rule: gateway.TaskRule{Fail: "No space left.", Details: "ds-1"}, want: vr.ErrTask,
			messages: []string{"ERROR", "No space left.", "ds-1"},
		},
		"cancelled":             {rule: gateway.TaskRule{Cancel: true}, want: vr.ErrTask, messages: []string{"CANCELLED"}},
		"late":                  {rule: gateway.TaskRule{Slow: 20}},
		"not that anyone knows": {lose: true, want: vr.ErrTaskLost},
		"with later fields":     {mutate: gateway.ExtraFields},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
			c := l.client(t)
			l.BreakTasks(test.rule)
			if test.mutate != nil {
				l.ChangeAnswers("getRecentTasksInfo", 0, test.mutate)
			}
			task, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), l.settings(t, c, l.vm(0)))
			require.NoError(t, err)
			if test.lose {
				l.LoseTasks()
			}
			var percents []int64
			err = c.Wait(t.Context(), task, func(t vr.Task) { percents = append(percents, t.Percent) })
			assert.ErrorIs(t, err, test.want)
			for _, part := range test.messages {
				require.Error(t, err)
				assert.Contains(t, err.Error(), part)
			}
			// The number of reported states depends on timing, but the last state is always reported.
			assert.True(t, test.rule.Slow <= 0 || (slices.IsSorted(percents) && len(percents) != 0 &&
				percents[len(percents)-1] == 100), "progress %v", percents)
		})
	}
}

func TestTask_stuck(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	c := l.client(t)
	l.BreakTasks(gateway.TaskRule{Stuck: true})
	task, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), l.settings(t, c, l.vm(0)))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	err = c.Wait(ctx, task, func(t vr.Task) {
		if t.Percent == 99 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Contains(t, err.Error(), "99%")
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	datastore := l.datastore(t, c)
	l.AddFile(datastore, "later/disk1.vmdk")
	l.AddFile(datastore, "archive/disk1.vmdk")
	l.AddFile(datastore, "archive/other.vmdk")
	first, second := vr.VMDisk{VM: l.vm(0), Key: 2000}, vr.VMDisk{VM: l.vm(1), Key: 2000}
	for folder, want := range map[string][]string{
		"": {"archive/disk1.vmdk", "later/disk1.vmdk"}, "archive": {"archive/disk1.vmdk"}, "none": {},
	} {
		got, err := c.FindSeeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), datastore, folder, []vr.VMDisk{
			second, first,
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
	assert.True(t, err == nil && len(got) == 101 && requests == 2,
		"%d disks with %d requests, %v", len(got), requests, err)
}

func TestSeeds_answers(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	disk := vr.VMDisk{VM: l.vm(0), Key: 2000}
	for seeds, want := range map[string][]string{`null`: {}, `[null, "b", "a"]`: {"a", "b"}, "missing": nil} {
		body := `{"list": [{"vm_disk": {"vm_id": "` + disk.VM + `", "device_key": 2000}, "found_seeds": ` + seeds + `}]}`
		if want == nil {
			body = `{"list": []}`
		}
		l.Traffic().Break(fault.Rule{Kind: "getSeedsForDisks", Times: 1, Status: http.StatusOK, Body: body})
		got, err := c.FindSeeds(t.Context(), l.PairingID(), l.RemoteVCenterID(), l.datastore(t, c), "", []vr.VMDisk{disk})
		switch {
		case want == nil:
			require.ErrorIs(t, err, vr.ErrPartial)
			assert.Contains(t, err.Error(), "disk 2000 of "+disk.VM)
		case err != nil || !reflect.DeepEqual(got[disk], want):
			t.Errorf("%s: %v, %v; want %v", seeds, got, err, want)
		}
	}
}
