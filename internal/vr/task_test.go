package vr_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

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
				task, err := c.Configure(t.Context(), l.PairingID(), l.vm(i), l.RemoteVCenterID(),
					l.settings(t, c, l.vm(i)))
				require.NoError(t, err)
				tasks[i] = task
			}
			l.Traffic().Reset()
			var group sync.WaitGroup
			for i := range n {
				group.Go(func() {
					err := c.Wait(t.Context(), tasks[i], nil)
					if err == nil {
						_, err = c.AwaitReplication(t.Context(), l.PairingID(), l.vm(i), l.RemoteVCenterID())
					}
					assert.NoError(t, err)
				})
			}
			group.Wait()
			together := l.Traffic().Count("getRecentTasksInfo")
			single := l.Traffic().Count("getTaskInfo")
			// A task takes 8 s and is polled every 5 s, so each caller needs two polls. The test allows six polls,
			// because callers may join late.
			if !refuse {
				assert.LessOrEqual(t, together, 6)
				assert.LessOrEqual(t, single, 0)
			}
			if refuse {
				assert.Equal(t, 1, together)
				assert.GreaterOrEqual(t, single, n)
			}
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
		"/tasks":                              "shared",
		"/pairings/{pairing_id}/replications": "own",
		vmsPath + "/{vm_id}/disks":            "shared",
	} {
		got := carried[path]
		assert.Equal(t, want, got, "a request to %s carries %v, want %v", path, got, want)
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
			rule:     gateway.TaskRule{Fail: "No space left.", Details: "ds-1"},
			want:     vr.ErrTask,
			messages: []string{"ERROR", "No space left.", "ds-1"},
		},
		"cancelled": {
			rule:     gateway.TaskRule{Cancel: true},
			want:     vr.ErrTask,
			messages: []string{"CANCELLED"},
		},
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
			task, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(),
				l.settings(t, c, l.vm(0)))
			require.NoError(t, err)
			if test.lose {
				l.LoseTasks()
			}
			var percents []int64
			err = c.Wait(t.Context(), task, func(t vr.Task) { percents = append(percents, t.Percent) })
			require.ErrorIs(t, err, test.want)
			for _, part := range test.messages {
				require.Error(t, err)
				assert.Contains(t, err.Error(), part)
			}
			// The number of reported states depends on timing, but the last state is always reported.
			if test.rule.Slow > 0 {
				assert.True(t, slices.IsSorted(percents), "progress %v", percents)
				require.NotEmpty(t, percents)
				assert.EqualValues(t, 100, percents[len(percents)-1])
			}
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

// TestTask_delays verifies that tasks are polled 1, 2, 4 and then every 5 seconds after the last new one.
func TestTask_delays(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	ctx, cancel := context.WithCancel(t.Context())
	var (
		mu     sync.Mutex
		delays []time.Duration
		join   func()
	)
	c := l.client(t, func(config *vr.Config) {
		sleep := config.Sleep
		config.Sleep = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			delays = append(delays, d)
			n := len(delays)
			mu.Unlock()
			switch n {
			case 5:
				join()
				<-ctx.Done() // woken by the new task
				return ctx.Err()
			case 8:
				cancel()
			}
			return sleep(ctx, d)
		}
	})
	l.BreakTasks(gateway.TaskRule{Stuck: true})
	first, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), l.settings(t, c, l.vm(0)))
	require.NoError(t, err)
	second, err := c.Configure(t.Context(), l.PairingID(), l.vm(1), l.RemoteVCenterID(), l.settings(t, c, l.vm(1)))
	require.NoError(t, err)
	delays = nil
	var group sync.WaitGroup
	join = func() {
		group.Go(func() { assert.ErrorIs(t, c.Wait(ctx, second, nil), context.Canceled) })
	}
	require.ErrorIs(t, c.Wait(ctx, first, nil), context.Canceled)
	group.Wait()
	const s = time.Second
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []time.Duration{s, 2 * s, 4 * s, 5 * s, 5 * s, s, 2 * s, 4 * s}, delays)
}
