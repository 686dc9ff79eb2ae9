package vr_test

import (
	"context"
	"math"
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

// TestTasks_arePolledTogether waits for 30 tasks at once. A task takes 8 s, so polls after 1, 3, 7 and 12 s suffice.
// The test allows two more, because callers may join late.
func TestTasks_arePolledTogether(t *testing.T) {
	t.Parallel()
	const n, polls = 30, 4 + 2
	for name, test := range map[string]struct {
		refuse           bool
		together, single [2]int // least and most requests
	}{
		"by filter":             {false, [2]int{1, polls}, [2]int{0, 0}},
		"the filter is refused": {true, [2]int{1, 1}, [2]int{n, math.MaxInt}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Switches{})
			c := l.client(t)
			if test.refuse {
				l.Traffic().Break(fault.Rule{Kind: "getRecentTasksInfo", Status: http.StatusBadRequest})
			}
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
			assert.GreaterOrEqual(t, together, test.together[0])
			assert.LessOrEqual(t, together, test.together[1])
			single := l.Traffic().Count("getTaskInfo")
			assert.GreaterOrEqual(t, single, test.single[0])
			assert.LessOrEqual(t, single, test.single[1])
			// The callers whose tasks end in the same poll share a listing.
			assert.LessOrEqual(t, l.Traffic().Count("getAllReplications"), polls)
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
		assert.Equal(t, want, carried[path], path)
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

// TestTask_delays verifies that tasks are polled 1, 2, 4 and then every 5 seconds after the last new one. The first
// caller waits alone until a second one joins in the fifth delay, which ends early. Both give up in the eighth.
func TestTask_delays(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	l.BreakTasks(gateway.TaskRule{Stuck: true})
	var tasks [2]vr.Task
	for i := range tasks {
		c := l.client(t)
		task, err := c.Configure(t.Context(), l.PairingID(), l.vm(i), l.RemoteVCenterID(), l.settings(t, c, l.vm(i)))
		require.NoError(t, err)
		tasks[i] = task
	}
	ctx, cancel := context.WithCancel(t.Context())
	join := make(chan struct{})
	var mu sync.Mutex
	var delays []time.Duration
	c := l.client(t, func(config *vr.Config) {
		sleep := config.Sleep
		config.Sleep = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			delays = append(delays, d)
			n := len(delays)
			mu.Unlock()
			switch n {
			case 5:
				close(join)
			case 8:
				cancel()
			default:
				return sleep(ctx, d)
			}
			<-ctx.Done() // woken by the second task, or ended because no caller is left
			return ctx.Err()
		}
	})
	var group sync.WaitGroup
	group.Go(func() {
		select {
		case <-join:
		case <-ctx.Done():
		}
		assert.ErrorIs(t, c.Wait(ctx, tasks[1], nil), context.Canceled)
	})
	require.ErrorIs(t, c.Wait(ctx, tasks[0], nil), context.Canceled)
	group.Wait()
	const s = time.Second
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []time.Duration{s, 2 * s, 4 * s, 5 * s, 5 * s, s, 2 * s, 4 * s}, delays)
}
