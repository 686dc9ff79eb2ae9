package vcsim_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// at is a time so many minutes after the epoch.
func at(minutes int) time.Time { return vcsim.Epoch.Add(time.Duration(minutes) * time.Minute) }

// collect opens a collector of events of replication as govmomi's own users do.
func collect(t *testing.T, m *event.Manager, filter types.EventFilterSpec) *event.HistoryCollector {
	t.Helper()
	if filter.EventTypeId == nil {
		filter.EventTypeId = []string{vcsim.EventDelta, vcsim.EventRPOViolated}
	}
	c, err := m.CreateCollectorForEvents(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// told returns the minutes of events.
func told(t *testing.T, events []types.BaseEvent, err error) []int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, e := range events {
		list = append(list, int(e.GetEvent().CreatedTime.Sub(vcsim.Epoch).Minutes()))
	}
	return list
}

func TestEvents_collector(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	one, two := v.VMs()[0], v.VMs()[1]
	v.Events().Post(
		vcsim.Event{At: at(1), Type: vcsim.EventDelta, VMID: one.ID, Bytes: 1 << 40},
		vcsim.Event{At: at(3), Type: vcsim.EventDelta, VMID: two.ID, Bytes: 3},
		vcsim.Event{At: at(4), Type: vcsim.EventFullSync, VMID: one.ID, Bytes: 4},
		vcsim.Event{At: at(5), Type: vcsim.EventDelta, VMID: one.ID, Bytes: 5},
		vcsim.Event{At: at(2), Type: vcsim.EventRPOViolated, VMID: one.ID}, // noticed late
	)
	client := connect(t, v)
	m := event.NewManager(client.Client)
	c := collect(t, m, types.EventFilterSpec{})
	first, err := c.ReadNextEvents(t.Context(), 2)
	if got := told(t, first, err); !slices.Equal(got, []int{1, 2}) {
		t.Fatalf("the oldest two are %v", got)
	}
	e, ok := first[0].(*types.EventEx)
	if !ok || e.EventTypeId != vcsim.EventDelta || e.Vm == nil || e.Vm.Vm.Value != one.ID || e.Vm.Name != one.Name ||
		len(e.Arguments) != 1 || e.Arguments[0].Value != int64(1<<40) || e.Key != 1 {
		t.Errorf("%#v", first[0])
	}
	for _, want := range [][]int{{3, 5}, nil} {
		page, err := c.ReadNextEvents(t.Context(), 2)
		if got := told(t, page, err); !slices.Equal(got, want) {
			t.Errorf("the next are %v, want %v", got, want)
		}
	}
	back, err := c.ReadPreviousEvents(t.Context(), 3)
	if got := told(t, back, err); !slices.Equal(got, []int{5, 3, 2}) {
		t.Errorf("back are %v", got)
	}
	filtered := collect(t, m, types.EventFilterSpec{
		EventTypeId: []string{vcsim.EventDelta},
		Entity: &types.EventFilterSpecByEntity{
			Entity:    types.ManagedObjectReference{Type: "VirtualMachine", Value: one.ID},
			Recursion: types.EventFilterSpecRecursionOptionSelf,
		},
		Time: &types.EventFilterSpecByTime{BeginTime: new(at(2)), EndTime: new(at(5))},
	})
	page, err := filtered.ReadNextEvents(t.Context(), 1000)
	if got := told(t, page, err); !slices.Equal(got, []int{5}) {
		t.Errorf("filtered are %v", got)
	}
	if _, err := filtered.ReadNextEvents(t.Context(), 1001); !fault.Is(err, &types.InvalidArgument{}) {
		t.Errorf("a page of 1,001: %v", err)
	}
	if err := c.Destroy(t.Context()); err != nil || v.Events().Collectors() != 1 {
		t.Errorf("%v, and %d collectors are open", err, v.Events().Collectors())
	}
	if now, err := methods.GetCurrentTime(t.Context(), client); err != nil || !now.Equal(at(5)) {
		t.Errorf("the time is %v, %v", now, err)
	}
	found, err := m.QueryEvents(t.Context(), types.EventFilterSpec{EventTypeId: []string{vcsim.EventFullSync}})
	if got := told(t, found, err); !slices.Equal(got, []int{4}) {
		t.Errorf("a query returns %v", got)
	}
}

// TestEvents_kept: 30 days are kept, less where it is set so, and not what was lost.
func TestEvents_kept(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	for _, day := range []int{0, 1, 10, 30, 31} {
		v.Events().Post(vcsim.Event{At: at(day * 1440), Type: vcsim.EventDelta, VMID: v.VMs()[0].ID})
	}
	m := event.NewManager(connect(t, v).Client)
	days := func() []int {
		c := collect(t, m, types.EventFilterSpec{})
		page, err := c.ReadNextEvents(t.Context(), 10)
		list := told(t, page, err)
		for i := range list {
			list[i] /= 1440
		}
		return list
	}
	if got := days(); !slices.Equal(got, []int{1, 10, 30, 31}) {
		t.Errorf("kept are days %v", got)
	}
	v.Events().Lose(at(30*1440-1), at(30*1440))
	v.Events().Retain(21 * 24 * time.Hour)
	if got := days(); !slices.Equal(got, []int{10, 31}) || len(v.Events().All()) != 2 {
		t.Errorf("kept are days %v, %d events", got, len(v.Events().All()))
	}
}

// TestEvents_sessions: collectors end with their session, and one session has 32 at most.
func TestEvents_sessions(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	m := event.NewManager(connect(t, v).Client)
	var last *event.HistoryCollector
	for range 32 {
		last = collect(t, m, types.EventFilterSpec{})
	}
	if _, err := m.CreateCollectorForEvents(
		t.Context(), types.EventFilterSpec{EventTypeId: []string{vcsim.EventDelta}},
	); err == nil || !strings.Contains(err.Error(), "Too many") {
		t.Errorf("the 33rd: %v", err)
	}
	v.ExpireSessions()
	other := event.NewManager(connect(t, v).Client)
	if _, err := last.ReadNextEvents(t.Context(), 1); !fault.Is(err, &types.NotAuthenticated{}) {
		t.Errorf("after its session: %v", err)
	}
	collect(t, other, types.EventFilterSpec{})
	if n := v.Events().Collectors(); n != 1 {
		t.Errorf("%d collectors are open, want 1", n)
	}
}

// generated are events of one VM, one a second.
type generated struct {
	vm string
	n  int
}

func (g generated) Len() int { return g.n }

func (g generated) Event(i int) vcsim.Event {
	return vcsim.Event{
		At: vcsim.Epoch.Add(time.Duration(i) * time.Second), Type: vcsim.EventDelta, VMID: g.vm, Bytes: int64(i),
	}
}

// TestEvents_generated serves the last page of a million events, which nothing stores.
func TestEvents_generated(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	const n = 1_000_000
	v.Events().Serve(generated{v.VMs()[0].ID, n})
	c := collect(t, event.NewManager(connect(t, v).Client), types.EventFilterSpec{
		Time: &types.EventFilterSpecByTime{BeginTime: new(vcsim.Epoch.Add((n - 7) * time.Second))},
	})
	page, err := c.ReadNextEvents(t.Context(), 1000)
	if err != nil || len(page) != 7 || page[6].GetEvent().Key != n {
		t.Errorf("%d events, %v", len(page), err)
	}
}

// TestSetExtraConfig changes the settings of one VM only.
func TestSetExtraConfig(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	id := v.VMs()[0].ID
	for _, settings := range []map[string]string{
		{"hbr_filter.rpo": "15", "hbr_filter.pause": "true"},
		{"hbr_filter.rpo": "60", "hbr_filter.pause": ""},
	} {
		if err := v.SetExtraConfig(id, settings); err != nil {
			t.Fatal(err)
		}
	}
	if got := v.ExtraConfig(id)["hbr_filter.rpo"]; got != "60" {
		t.Errorf("the RPO is %q", got)
	}
	if got, set := v.ExtraConfig(id)["hbr_filter.pause"]; set {
		t.Errorf("pause is %q", got)
	}
	if got, set := v.ExtraConfig(v.VMs()[1].ID)["hbr_filter.rpo"]; set {
		t.Errorf("the RPO of another VM is %q", got)
	}
	if v.SetExtraConfig("vm-none", nil) == nil {
		t.Error("a VM that does not exist has settings")
	}
}
