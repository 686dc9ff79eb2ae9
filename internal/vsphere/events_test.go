package vsphere_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

type hourlyEvents struct {
	vms   []string
	hours int
}

func (h hourlyEvents) Len() int { return len(h.vms) * h.hours }

func (h hourlyEvents) Event(i int) vcsim.Event {
	return vcsim.Event{
		At:    vcsim.Epoch.Add(time.Duration(i/len(h.vms))*time.Hour + time.Duration(i%len(h.vms))*time.Second),
		Type:  vcsim.EventDelta,
		VMID:  h.vms[i%len(h.vms)],
		Bytes: int64(i),
	}
}

// newVMIDs returns n VM IDs. VMs with these IDs need not exist.
func newVMIDs(n int) []string {
	list := make([]string, 0, n)
	for i := range n {
		list = append(list, fmt.Sprintf("vm-%d", 1000+i))
	}
	return list
}

func startHourlyEvents(
	t *testing.T, n, hours int, change ...func(*vsphere.Config),
) (*vcsim.VCenter, *vsphere.Client, hourlyEvents) {
	t.Helper()
	v, c, _ := startLab(t, vcsim.Config{}, change...)
	log := hourlyEvents{newVMIDs(n), hours}
	v.Events().Serve(log)
	return v, c, log
}

func useTickingClock(config *vsphere.Config) {
	now := vcsim.Epoch
	config.Now = func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func assertEvents(t *testing.T, c *vsphere.Client, log hourlyEvents, wanted []string) {
	t.Helper()
	next := 0
	_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: wanted,
		From:  vcsim.Epoch,
		To:    log.Event(log.Len() - 1).At,
	}, func(e vsphere.ReplicationEvent) {
		want := log.Event(next)
		for !slices.Contains(wanted, want.VMID) {
			next++
			want = log.Event(next)
		}
		if e != (vsphere.ReplicationEvent{At: want.At, Type: want.Type, VMID: want.VMID, Bytes: want.Bytes}) &&
			!t.Failed() {
			t.Errorf("event %d is %+v, want %+v", next, e, want)
		}
		next++
	})
	for next < log.Len() && !slices.Contains(wanted, log.Event(next).VMID) {
		next++
	}
	require.NoError(t, err)
	assert.Equal(t, log.Len(), next)
}

// TestReplicationEvents reads 24,000 events of 100 VMs over 10 days, in slices of 1, 2, 4 and 3 days and pages of
// 1,000. The 2,400 events of one day take three pages, followed by two empty ones.
func TestReplicationEvents(t *testing.T) {
	t.Parallel()
	v, c, log := startHourlyEvents(t, 100, 240)
	assertEvents(t, c, log, log.vms[10:])
	// The slices contain 2,400, 4,800, 9,600 and 7,200 events. Each slice takes one request per 1,000 events and two
	// that return empty pages. The last event of a slice can also be the first event of the next slice.
	want := map[string]int{
		"soap:CreateCollectorForEvents": 4,
		"soap:DestroyCollector":         4,
		"soap:ReadNextEvents":           5 + 7 + 12 + 10,
	}
	for kind, n := range want {
		assert.Equal(t, n, v.Traffic().Count(kind), kind)
	}
	assert.Equal(t, 0, v.Events().Collectors())
}

func TestReplicationEvents_few(t *testing.T) {
	t.Parallel()
	v, c, log := startHourlyEvents(t, 100, 240)
	counts := make(map[string]int)
	sent, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: log.vms[:16],
		From:  vcsim.Epoch,
		To:    vcsim.Epoch.Add(240 * time.Hour),
	}, func(e vsphere.ReplicationEvent) { counts[e.VMID]++ })
	require.NoError(t, err)
	assert.EqualValues(t, 16*240, sent)
	require.Len(t, counts, 16)
	assert.Equal(t, 240, counts[log.vms[15]])
	// The 240 events of a VM take one page, followed by two empty ones.
	assert.Equal(t, 3*16, v.Traffic().Count("soap:ReadNextEvents"))
}

func TestReplicationEvents_sessionEnds(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	log := simultaneousEvents{hourlyEvents{newVMIDs(100), 72}}
	v.Events().Serve(log)
	seen := make(map[string]int)
	sent, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: log.vms,
		From:  vcsim.Epoch,
		To:    vcsim.Epoch.Add(72 * time.Hour),
	}, func(e vsphere.ReplicationEvent) {
		seen[fmt.Sprint(e.VMID, e.At)]++
		if n := len(seen); n == 950 || n == 4150 {
			v.ExpireSessions()
		}
	})
	twice := 0
	for _, n := range seen {
		if n > 1 {
			twice++
		}
	}
	require.NoError(t, err)
	assert.EqualValues(t, 100*72, sent)
	assert.Len(t, seen, 100*72)
	assert.Zero(t, twice)
	assert.Equal(t, 0, v.Events().Collectors())
	assert.Equal(t, 1+2, v.Traffic().Count("soap:Login")) // the session expires twice
}

type simultaneousEvents struct{ hourlyEvents }

func (l simultaneousEvents) Event(i int) vcsim.Event {
	e := l.hourlyEvents.Event(i)
	e.At = e.At.Truncate(time.Hour)
	return e
}

func TestReplicationEvents_fails(t *testing.T) {
	t.Parallel()
	v, c, log := startHourlyEvents(t, 100, 48)
	v.Traffic().Break(fault.Rule{Kind: "soap:ReadNextEvents", Skip: 2, Times: 1, CloseConnection: true})
	assertEvents(t, c, log, log.vms)
	// Two slices, of which one needs a second collector after the failure.
	assert.Equal(t, 2+1, v.Traffic().Count("soap:CreateCollectorForEvents"))
	v.Traffic().Break(fault.Rule{Kind: "soap:ReadNextEvents", Status: 400})
	_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: log.vms,
		From:  vcsim.Epoch,
		To:    vcsim.Epoch.Add(48 * time.Hour),
	}, func(vsphere.ReplicationEvent) {})
	require.Error(t, err, "a page that cannot be read is no error")
	assert.Equal(t, 0, v.Events().Collectors())
}

func TestReplicationEvents_outlook(t *testing.T) {
	t.Parallel()
	v, c, log := startHourlyEvents(t, 100, 240, useTickingClock)
	refused := errors.New("too long")
	var outlook vsphere.EventEstimate
	_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: log.vms,
		From:  vcsim.Epoch,
		To:    vcsim.Epoch.Add(240 * time.Hour),
		Check: func(o vsphere.EventEstimate) error {
			outlook = o
			return refused
		},
	}, func(vsphere.ReplicationEvent) {})
	require.ErrorIs(t, err, refused)
	// The first page covers 9 hours and 99 seconds, which is 32,499 of 864,000 seconds. The estimate is therefore
	// 864,000 / 32,499 = 26.585 pages, which take one second each.
	assert.EqualValues(t, 27, outlook.Requests)
	assert.EqualValues(t, 26585, outlook.Events)
	assert.Equal(t, 27*time.Second, outlook.Duration.Round(time.Second))
	require.Equal(t, 1, v.Traffic().Count("soap:ReadNextEvents"))
	assert.Equal(t, 0, v.Events().Collectors())
}

func TestReplicationEvents_none(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	for _, ids := range [][]string{newVMIDs(100), newVMIDs(1), nil} {
		n, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
			VMIDs: ids,
			From:  vcsim.Epoch,
			To:    vcsim.Epoch.Add(time.Hour),
		}, func(e vsphere.ReplicationEvent) { t.Errorf("got %+v, want no event", e) })
		require.EqualValues(t, 0, n)
		require.NoError(t, err)
	}
	now, err := c.Time(t.Context())
	require.NoError(t, err)
	assert.True(t, now.Equal(v.Now()), "%v, %v, want %v", now, err, v.Now())
}

// TestReplicationEvents_dropped checks that no event of a readable VM is lost if the account cannot read most VMs.
// vCenter drops the events of the other VMs after dividing all events into pages, so some pages are short or empty.
func TestReplicationEvents_dropped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		access vcsim.Access
		hidden int // number of VMs that cannot be read
		empty  int
	}{
		"role on a folder":                         {vcsim.AccessBelow, 80, 0},
		"role on a folder, and empty pages":        {vcsim.AccessBelow, 80, 2},
		"no access further down":                   {vcsim.AccessPropagates, 80, 0},
		"no access further down, and empty pages":  {vcsim.AccessPropagates, 80, 2},
		"everything can be read, but empty pages":  {vcsim.AccessPropagates, 0, 3},
		"role on the root folder, and empty pages": {vcsim.AccessRoot, 80, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, log := startHourlyEvents(t, 100, 48)
			v.Events().Behave(vcsim.Behaviour{Hidden: log.vms[:test.hidden], EmptyPages: test.empty})
			v.LimitAccess(test.access)
			next := map[string]int{} // hour of the next event, by VM ID
			_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
				VMIDs: log.vms[80:],
				From:  vcsim.Epoch,
				To:    log.Event(log.Len() - 1).At,
			}, func(e vsphere.ReplicationEvent) {
				want := log.Event(next[e.VMID]*100 + slices.Index(log.vms, e.VMID))
				require.True(t, e.At.Equal(want.At), "got %+v, want %+v", e, want)
				assert.Equal(t, want.Bytes, e.Bytes)
				next[e.VMID]++
			})
			require.NoError(t, err)
			for _, id := range log.vms[80:] {
				assert.Equal(t, 48, next[id], id)
			}
		})
	}
}

// TestReplicationEvents_hiddenBelow uses an account that can read only 100 of 3,000 VMs. The events of those VMs are
// all at the beginning or all at the end of each hour. Between the events of one hour and those of the next, there are
// two empty pages, which look like the end of a collector.
func TestReplicationEvents_hiddenBelow(t *testing.T) {
	t.Parallel()
	for name, readable := range map[string]func([]string) (hidden, readable []string){
		"at the beginning": func(vms []string) ([]string, []string) { return vms[100:], vms[:100] },
		"at the end":       func(vms []string) ([]string, []string) { return vms[:2900], vms[2900:] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, log := startHourlyEvents(t, 3000, 24)
			hidden, wanted := readable(log.vms)
			v.Events().Behave(vcsim.Behaviour{Hidden: hidden})
			got := make(map[string]int)
			_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
				VMIDs: wanted,
				From:  vcsim.Epoch,
				To:    log.Event(log.Len() - 1).At,
			}, func(e vsphere.ReplicationEvent) { got[e.VMID]++ })
			require.NoError(t, err)
			for _, id := range wanted {
				assert.Equal(t, 24, got[id], id)
			}
		})
	}
}

// TestReplicationEvents_cheapest checks that 17 of 1,000 VMs are queried separately, because reading the events of all
// VMs would take 240 pages.
func TestReplicationEvents_cheapest(t *testing.T) {
	t.Parallel()
	v, c, log := startHourlyEvents(t, 1000, 240)
	seen := 0
	_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: log.vms[:17],
		From:  vcsim.Epoch,
		To:    vcsim.Epoch.Add(240 * time.Hour),
	}, func(vsphere.ReplicationEvent) { seen++ })
	require.NoError(t, err)
	assert.Equal(t, 17*240, seen)
	// One page of all events, then one page and two empty ones for each VM.
	assert.Equal(t, 1+17*3, v.Traffic().Count("soap:ReadNextEvents"))
}

func TestReplicationEvents_elapsed(t *testing.T) {
	t.Parallel()
	_, c, log := startHourlyEvents(t, 100, 48, useTickingClock)
	var elapsed time.Duration
	checks := 0
	_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{
		VMIDs: log.vms,
		From:  vcsim.Epoch,
		To:    vcsim.Epoch.Add(48 * time.Hour),
		Check: func(o vsphere.EventEstimate) error {
			checks++
			assert.Greater(t, o.Elapsed, elapsed, "page %d", checks)
			elapsed = o.Elapsed
			return nil
		},
	}, func(vsphere.ReplicationEvent) {})
	require.NoError(t, err)
	assert.Equal(t, 2*3, checks) // two days of 2,400 events, three pages each
}

func TestReplicationEvents_shared(t *testing.T) {
	t.Parallel()
	v, c, log := startHourlyEvents(t, 100, 48)
	end := log.Event(log.Len() - 1).At.Add(5 * time.Minute)
	read := func(from time.Time, vms []string) (seen int) {
		t.Helper()
		_, err := c.ReplicationEvents(t.Context(), vsphere.EventQuery{VMIDs: vms, From: from, To: end},
			func(vsphere.ReplicationEvent) { seen++ })
		assert.NoError(t, err)
		return seen
	}
	var group sync.WaitGroup
	for i, vms := range [][]string{log.vms[:40], log.vms[40:], log.vms} {
		group.Go(func() {
			got, want := read(vcsim.Epoch, vms), 48*len(vms)
			assert.Equal(t, want, got, "%+v", i)
		})
	}
	group.Wait()
	assert.Equal(t, 24*100, read(vcsim.Epoch.Add(24*time.Hour), log.vms))
	// Each of the two days has 2,400 events, which take three pages and two empty ones. They are read once for all four
	// callers.
	assert.Equal(t, 2*(3+2), v.Traffic().Count("soap:ReadNextEvents"))
	assert.Equal(t, 48*100, read(vcsim.Epoch.Add(-24*time.Hour), log.vms))
	assert.Greater(t, v.Traffic().Count("soap:CreateCollectorForEvents"), 2)
}
