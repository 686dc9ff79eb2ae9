package eventlog_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"terraform-provider-vsla/internal/lab/vcsim"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/provider/kit/eventlog"
)

// computed is the log of VMs that sync every hour, in turn, and that change more by day.
type computed struct {
	ids   []string
	hours int
}

func newestOf(vms, hours int) computed { return computed{idsOf(vms), hours} }

func idsOf(vms int) []string {
	list := make([]string, 0, vms)
	for i := range vms {
		list = append(list, fmt.Sprintf("vm-%d", 1000+i))
	}
	return list
}

// Len is the number of events.
func (c computed) Len() int { return len(c.ids) * c.hours }

// Event is the sync of a VM in an hour.
func (c computed) Event(i int) vcsim.Event {
	hour, vm := i/len(c.ids), i%len(c.ids)
	return vcsim.Event{
		At:   vcsim.Epoch.Add(time.Duration(hour)*time.Hour + time.Duration(vm)*time.Hour/time.Duration(len(c.ids))),
		Type: vcsim.EventDelta, VMID: c.ids[vm], Bytes: int64(1+hour%24) << 20 * int64(1+vm%50),
	}
}

// TestRead_largest: 25,000 VMs with an RPO of an hour have 4.2 million events in 7 days. They stay within 300 MiB. The
// log takes all of them; the last hour goes through vCenter and the client, because the rest would take minutes.
//
//nolint:paralleltest // it measures the memory of the process
func TestRead_largest(t *testing.T) {
	if testing.Short() {
		t.Skip("4.2 million events take longer than a unit test may; make test-race reads them")
	}
	const vms, hours, read = 25_000, 7 * 24, 1
	v, err := vcsim.Start(t.Context(), vcsim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	source := newestOf(vms, hours)
	v.Events().Serve(source)
	from, to := vcsim.Epoch, vcsim.Epoch.Add(hours*time.Hour)
	log := history.NewLog(from, to)
	for _, id := range source.ids {
		log.Watch(id, history.VM{Size: 100 * gib, RPOMinutes: 60})
	}
	// The provider sets a limit as well; see main.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(240 << 20))
	var peak uint64
	events := 0
	add := func(id string, e history.Event) {
		if events++; events%25_000 == 0 {
			peak = max(peak, used())
		}
		log.Add(id, e)
	}
	for i := range vms * (hours - read) {
		e := source.Event(i)
		add(e.VMID, history.Event{At: e.At, Bytes: float64(e.Bytes)})
	}
	count, err := eventlog.Read(t.Context(), client(t, v), eventlog.Reading{
		VMIDs: source.ids, From: to.Add(-read * time.Hour), To: to, Most: 24 * time.Hour,
	}, add)
	if err != nil || count != vms*read || events != vms*hours {
		t.Fatalf("%d events of %d, %v", count, events, err)
	}
	s := log.Finish()
	peak = max(peak, used())
	// A MiB more in each hour of the day, from 1 to 24, times 1 to 50: 300 MiB a day times 25.5 on average. The syncs
	// cover whole days but for the first hour, whose 1 MiB of 300 is the error.
	want := 300.0 / 1024 * 25.5 * vms
	if got := *s.Total.DailyChangeGiB; got < want*0.99 || got > want*1.01 || *s.Total.CompliancePercent != 100 {
		t.Errorf("%v GiB a day, want %v; compliance %v", got, want, *s.Total.CompliancePercent)
	}
	pages := v.Traffic().Count("soap:ReadNextEvents")
	t.Logf("%d events, of which %d in %d pages; %d MiB at most", events, count, pages, peak>>20)
	if pages > vms*read/1000+2 {
		t.Errorf("%d pages", pages)
	}
	if peak > 300<<20 {
		t.Errorf("%d MiB, want 300 at most", peak>>20)
	}
}

// used is the memory that the process has from the system and has not returned.
func used() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
