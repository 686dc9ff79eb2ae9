package gateway_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// status is what a replication reports: its status, and whether and for how many minutes the RPO is violated.
type status struct {
	name     string
	violated bool
	minutes  float64
}

func (l *lab) status(t *testing.T, replication string) status {
	t.Helper()
	a := l.get(t, replication).want(t, http.StatusOK)
	violated, _ := a.at(t, "status.rpo_violation").(bool)
	return status{a.text(t, "status.status"), violated, a.number(t, "current_rpo_violation")}
}

// TestStatus_backToBack is the documentation's example through the API: RPO 15, syncs of 10 minutes back to back,
// violated from minute 15 to minute 20 after the first sync's start.
func TestStatus_backToBack(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Link: 1e6})
	l.SetUsed(l.vm(0), 600e6) // 10 minutes of the link
	l.SetChangeRate(l.vm(0), 1e6)
	replication := l.configured(t, 0) // the initial sync starts now
	for _, test := range []struct {
		minute int
		want   status
	}{
		{5, status{"INITIAL_FULL_SYNC", false, 0}},
		{12, status{"SYNC", false, 0}},
		{15, status{"SYNC", false, 0}},
		{17, status{"SYNC_RPO_VIOLATION", true, 2}},
		{21, status{"SYNC", false, 0}},
		{26, status{"SYNC_RPO_VIOLATION", true, 1}},
	} {
		l.Advance(gateway.Epoch.Add(8*time.Second + time.Duration(test.minute)*time.Minute).Sub(l.Now()))
		if got := l.status(t, replication); got != test.want {
			t.Errorf("minute %d: %+v, want %+v", test.minute, got, test.want)
		}
	}
	a := l.get(t, replication)
	start := gateway.Epoch.Add(8 * time.Second)
	// The newest instance is that of minute 10, which came at minute 20: 600 MB in 600 s.
	if a.number(t, "last_sync_time") != float64(start.Add(20*time.Minute).UnixMilli()) ||
		a.number(t, "last_sync_duration") != 600 ||
		a.number(t, "last_sync_size") != 600e6 {
		t.Errorf("%s", a.raw)
	}
	v := l.Replications()[0].Violations
	if len(v) != 2 || v[0].Start != start.Add(15*time.Minute) || v[0].End != start.Add(20*time.Minute) ||
		!v[1].End.IsZero() {
		t.Errorf("violations %+v", v)
	}
}

// TestStatus_oracle: 10 GiB at 12.5 MB/s take 858.99 s.
func TestStatus_oracle(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(0), 10<<30)
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(l.spec(t, 0), "rpo", 60)}).
		want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	replication := l.replication(t, 0)
	l.Advance(858990 * time.Millisecond)
	a := l.get(t, replication)
	if a.text(t, "status.status") != "INITIAL_FULL_SYNC" || a.number(t, "sync_progress.progress") != 99 ||
		a.number(t, "sync_progress.transferred_total") != 10<<30 {
		t.Errorf("after 858.99 s: %s", a.raw)
	}
	l.Advance(10 * time.Millisecond)
	// 10 * 2^30 / 12.5e6 = 858.993 s after the 8 s of the task.
	a = l.get(t, replication)
	if a.text(t, "status.status") != "OK" ||
		a.number(t, "last_sync_time") != float64(gateway.Epoch.UnixMilli()+8000+858993) ||
		a.at(t, "sync_progress") != nil {
		t.Errorf("after 859 s: %s", a.raw)
	}
}

func TestStatus_timeIsStart(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{SyncTimeIsStart: true}})
	l.SetUsed(l.vm(0), 125e6) // 10 s
	replication := l.configured(t, 0)
	l.Advance(time.Minute)
	if a := l.get(t, replication); a.number(t, "last_sync_time") != float64(gateway.Epoch.UnixMilli()+8000) {
		t.Errorf("%s", a.raw)
	}
}

// TestStatus_power: the power state is vCenter's, whoever changes it.
func TestStatus_power(t *testing.T) {
	t.Parallel()
	l := connect(t, own(t, gateway.Config{}))
	power := func(state types.VirtualMachinePowerState) {
		t.Helper()
		if err := l.protected.SetPower(l.protected.VMs()[0].ID, state); err != nil {
			t.Fatal(err)
		}
	}
	power(types.VirtualMachinePowerStatePoweredOff)
	replication := l.configured(t, 0)
	l.Advance(24 * time.Hour)
	a := l.get(t, replication)
	if a.text(t, "status.status") != "NOT_ACTIVE" || a.number(t, "last_sync_time") != 0 ||
		a.text(t, "configuration_state") != "OK" {
		t.Errorf("off: %s", a.raw)
	}
	power(types.VirtualMachinePowerStatePoweredOn)
	if got := l.status(t, replication); got.name != "INITIAL_FULL_SYNC" {
		t.Errorf("on: %+v", got)
	}
	l.Advance(1718 * time.Second) // 20 GiB
	power(types.VirtualMachinePowerStateSuspended)
	l.Advance(time.Hour)
	// The newest instance began with the sync or after it, at most 1718 s before the suspension; RPO 15.
	if got := l.status(t, replication); got.name != "NOT_ACTIVE_RPO_VIOLATION" || !got.violated || got.minutes < 45 {
		t.Errorf("suspended: %+v", got)
	}
}

func TestStatus_destroyed(t *testing.T) {
	t.Parallel()
	l := connect(t, own(t, gateway.Config{}))
	l.SetUsed(l.vm(0), 1)
	replication := l.configured(t, 0)
	l.Advance(time.Second)
	if err := l.protected.DestroyVM(l.protected.VMs()[0].ID); err != nil {
		t.Fatal(err)
	}
	a := l.get(t, replication).want(t, http.StatusOK)
	if a.text(t, "status.status") != "ERROR" || a.text(t, "last_group_error.message") == "" || a.text(t, "vm_id") == "" ||
		a.text(t, "configuration_state") != "OK" {
		t.Errorf("%s", a.raw)
	}
	if issues := l.get(
		t,
		l.pairing+"/replications/issues",
	); issues.number(t, "_meta.total") != 1 ||
		issues.text(t, "list.0.status") != "ERROR" {
		t.Errorf("%s", issues.raw)
	}
	l.Advance(time.Hour)
	if got := l.status(t, replication); got.name != "ERROR_RPO_VIOLATION" {
		t.Errorf("%+v", got)
	}
	l.call(t, http.MethodPost, replication+"/actions/unconfigure", nil).want(t, http.StatusAccepted)
	l.Advance(6 * time.Second)
	l.get(t, replication).want(t, http.StatusNotFound)
}

// TestStatus_words: how the RPO goes into the word. With nothing to send the initial sync ends at once, and the
// deadline is 15 minutes later.
func TestStatus_words(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(0), 0)
	replication := l.configured(t, 0)
	l.RemoteDown(true) // so that no sync ends
	l.SetChangeRate(l.vm(0), 1)
	l.Advance(20 * time.Minute)
	l.remoteUpFor(t, replication, status{"SYNC_RPO_VIOLATION", true, 5})
	l.PauseReplication(l.vm(0), true)
	l.remoteUpFor(t, replication, status{"PAUSED", true, 5})
	l.FailReplication(l.vm(0), "broken", "details")
	l.remoteUpFor(t, replication, status{"ERROR_RPO_VIOLATION", true, 5})
	l.FailReplication(l.vm(0), "", "")
	l.SetStatus(l.vm(0), "RECOVERING")
	l.remoteUpFor(t, replication, status{"RECOVERING", true, 5})
	l.SetStatus(l.vm(0), "")
	l.PauseReplication(l.vm(0), false)
	l.Advance(time.Second)
	if got := l.status(t, replication); got != (status{"OK", false, 0}) {
		t.Errorf("with the link again: %+v", got)
	}
	l.SetRecoverySolution(l.vm(0), "com.vmware.vcDr")
	if a := l.get(
		t,
		replication,
	); a.text(t, "recovery_solution") != "com.vmware.vcDr" ||
		a.text(t, "recovery_state") != "NOT_STARTED" {
		t.Errorf("%s", a.raw)
	}
	if l.SetStatus("vm-99999", "OK") || l.RemoveReplication("vm-99999") {
		t.Error("a VM that is not replicated")
	}
}

// remoteUpFor reads the status while the remote site answers, at the same moment.
func (l *lab) remoteUpFor(t *testing.T, replication string, want status) {
	t.Helper()
	l.RemoteDown(false)
	if got := l.status(t, replication); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	l.RemoteDown(true)
	if want.name == "RECOVERING" { // the last
		l.RemoteDown(false)
	}
}

func TestPauseResume(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(0), 0)
	l.SetChangeRate(l.vm(0), 125e3) // a hundredth of the link
	replication := l.configured(t, 0)
	l.Advance(time.Second)
	l.call(t, http.MethodPost, replication+"/actions/pause", nil).want(t, http.StatusAccepted)
	if l.Replications()[0].Paused {
		t.Error("it is paused before the task has ended")
	}
	l.Advance(2 * time.Second)
	if got := l.status(t, replication); got.name != "PAUSED" {
		t.Errorf("%+v", got)
	}
	l.call(t, http.MethodPost, replication+"/actions/pause", nil).
		want(t, http.StatusAccepted)
		// a second time changes nothing
	l.Advance(195 * time.Second)
	l.call(t, http.MethodPost, replication+"/actions/resume", nil).want(t, http.StatusAccepted)
	l.Advance(2 * time.Second)
	// 200 s since the instance of the beginning: 25 MB.
	if a := l.get(
		t,
		replication,
	); a.text(t, "status.status") != "SYNC" ||
		a.number(t, "sync_progress.transferred_total") != 25e6 {
		t.Errorf("%s", a.raw)
	}
}

// TestUsed: what the initial sync sends, by default and by the switch, with some disks left out and compressed.
func TestUsed(t *testing.T) {
	t.Parallel()
	total := func(l *lab, spec map[string]any) float64 {
		t.Helper()
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{spec}).want(t, http.StatusAccepted)
		l.Advance(8 * time.Second)
		return l.get(t, l.replication(t, 1)).number(t, "sync_progress.transferred_total")
	}
	// VM 1 has disks of 30 and 40 GiB, of which 35 % are used.
	l := connect(t, gateway.Config{})
	if got := total(l, l.spec(t, 1)); got != 70<<30 {
		t.Errorf("by capacity: %v", got)
	}
	l = connect(t, gateway.Config{})
	if got := total(l, disk(t, l.spec(t, 1), 2, "enabled_for_replication", false)); got != 30<<30 {
		t.Errorf("one disk: %v", got)
	}
	l = connect(t, gateway.Config{Switches: gateway.Switches{UsedFromInventory: true}})
	if got := total(l, l.spec(t, 1)); got < 0.35*70*(1<<30)-2 || got > 0.35*70*(1<<30) {
		t.Errorf("by use: %v", got)
	}
	l = connect(t, gateway.Config{})
	l.SetUsed(l.protected.VMs()[1].ID, 7e9)
	if got := total(
		l,
		disk(t, with(l.spec(t, 1), "network_compression_enabled", true), 1, "enabled_for_replication", false),
	); got != 4e9 {
		t.Errorf("four sevenths of 7 GB: %v", got)
	}
	// Compressed to a half, 4 GB take 160 s of the link.
	l.Advance(161 * time.Second)
	if r := l.Replications()[0]; r.SyncCount != 1 || !r.Syncs[0].Initial ||
		r.Syncs[0].End.Sub(r.Syncs[0].Start) != 160*time.Second ||
		!r.Compression {
		t.Errorf("%+v", r)
	}
}

// TestServers: new replications go to the server with the fewest, or where they are asked to.
func TestServers(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	ids := l.ServerIDs()
	asked := with(l.spec(t, 0), "target_replication_server_id", ids[1])
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{asked}).want(t, http.StatusAccepted)
	l.configured(t, 1)
	l.configured(t, 2)
	var got []string
	for _, r := range l.Replications() {
		got = append(got, r.ServerID)
	}
	if !slices.Equal(got, []string{ids[1], ids[0], ids[0]}) || l.Replications()[0].AskedServerID != ids[1] {
		t.Errorf("%v of %v", got, ids)
	}
}
