package gateway_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// reconfigure changes the i-th VM's replication and lets the task end.
func (l *lab) reconfigure(t *testing.T, i int, spec map[string]any) {
	t.Helper()
	l.call(t, http.MethodPost, l.replication(t, i)+"/actions/reconfigure", reconfiguration(spec)).
		want(t, http.StatusAccepted)
	if r := l.Replications()[0]; r.ConfigurationState != "IN_PROGRESS" || r.Status != "CONFIGURING" {
		t.Errorf("while it is changed: %+v", r)
	}
	l.Advance(5 * time.Second)
}

func TestReconfigure_settings(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	replication := l.configured(t, 1)
	l.reconfigure(
		t,
		1,
		with(
			l.spec(t, 1),
			"rpo",
			240,
			"quiesce_enabled",
			true,
			"network_compression_enabled",
			true,
			"auto_replicate_new_disks",
			false,
			"lwd_encryption_enabled",
			true,
			"mpit_enabled",
			true,
			"mpit_instances",
			3,
			"mpit_days",
			8,
			"vm_data_sets_replication_enabled",
			true,
			"target_replication_server_id",
			l.ServerIDs()[1],
		),
	)
	a := l.get(t, replication)
	for field, want := range map[string]any{
		"rpo": 240.0, "quiescing_enabled": true, "network_compression_enabled": true,
		"auto_replicate_new_disks_enabled": false, "encryption_enabled": true,
		"mpit_enabled": true, "mpit_instances": 3.0, "mpit_days": 8.0, "vm_data_sets_replication_enabled": true,
		"replication_server_name": "vrs2.recovery.lab",
		"configuration_state":     "OK",
	} {
		if got := a.at(t, field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	if r := l.Replications()[0]; r.Configured != 2 || r.RPOMinutes != 240 {
		t.Errorf("%+v", r)
	}
	// Without a server it stays where it is.
	l.reconfigure(t, 1, l.spec(t, 1))
	if r := l.Replications()[0]; r.ServerID != l.ServerIDs()[1] || r.AskedServerID != "" || r.Configured != 3 {
		t.Errorf("%+v", r)
	}
}

// TestReconfigure_fails: a change that fails changes nothing.
func TestReconfigure_fails(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.configured(t, 1)
	l.BreakTasks(gateway.TaskRule{Operation: "reconfigureReplication", Fail: "no"})
	l.reconfigure(t, 1, with(l.spec(t, 1), "rpo", 240))
	if r := l.Replications()[0]; r.RPOMinutes != 15 || r.Configured != 1 || r.ConfigurationState != "OK" {
		t.Errorf("%+v", r)
	}
}

// TestReconfigure_disks: a disk that comes in is sent whole, one whose datastore changes is moved.
func TestReconfigure_disks(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(1), 7e9) // 3 GB and 4 GB of the disks of 30 and 40 GiB
	spec := disk(t, l.spec(t, 1), 2, "enabled_for_replication", false)
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(spec, "rpo", 1440)}).want(t, http.StatusAccepted)
	l.Advance(8*time.Second + 240*time.Second) // 3 GB take 240 s
	replication := l.replication(t, 1)
	if a := l.get(
		t,
		replication+"/disks",
	); a.at(t, "list.1.replicated") != true || a.at(t, "list.2.replicated") != false ||
		a.number(t, "list.1.replica_disk_usage") != 3e9 {
		t.Errorf("%s", a.raw)
	}
	l.reconfigure(t, 1, with(l.spec(t, 1), "rpo", 1440))
	if a := l.get(
		t,
		replication,
	); a.text(t, "status.status") != "FULL_SYNC" ||
		a.number(t, "sync_progress.transferred_total") != 4e9 {
		t.Errorf("%s", a.raw)
	}
	l.Advance(320 * time.Second) // 4 GB
	if got := l.status(t, replication); got.name != "OK" {
		t.Errorf("%+v", got)
	}
	l.reconfigure(t, 1, disk(t, with(l.spec(t, 1), "rpo", 1440), 1, "destination_datastore_id", l.datastore(1)))
	if got := l.status(t, replication); got.name != "MOVING" {
		t.Errorf("%+v", got)
	}
	l.Advance(30 * time.Second) // 3 GB at 100 MB/s
	if got := l.status(t, replication); got.name != "OK" {
		t.Errorf("%+v", got)
	}
}

func TestReconfigure_omitted(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{OmittedDisks: true}})
	l.configured(t, 1)
	spec := l.spec(t, 1)
	disks, _ := spec["disks"].([]any)
	l.reconfigure(t, 1, with(spec, "disks", disks[:2]))
	if r := l.Replications()[0]; len(r.Disks) != 3 || !r.Disks[2].Replicated || r.Configured != 2 {
		t.Errorf("%+v", r)
	}
}

// TestEnd: the ways in which a replication ends, and what stays at the target.
func TestEnd(t *testing.T) {
	t.Parallel()
	files := []string{"web-0001/disk1.vmdk"}
	for _, test := range []struct {
		name, method, path string
		left               []string
	}{
		{"unconfigure", http.MethodPost, "/actions/unconfigure", nil},
		{"unconfigure and retain", http.MethodPost, "/actions/unconfigure?retain_replica_disks=true", files},
		{"destroy", http.MethodDelete, "", files}, // the other side keeps its half
		{"another client", "", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, gateway.Config{})
			replication := l.configured(t, 0)
			if got := l.Files(l.datastore(0)); !slices.Equal(got, files) {
				t.Errorf("files %v", got)
			}
			if test.method == "" {
				l.RemoveReplication(l.protected.VMs()[0].ID)
			} else {
				l.call(t, test.method, replication+test.path, nil).want(t, http.StatusAccepted)
				l.get(t, replication).want(t, http.StatusOK) // until the task has ended
			}
			l.Advance(6 * time.Second)
			l.get(t, replication).want(t, http.StatusNotFound)
			l.call(t, http.MethodPost, replication+"/actions/unconfigure", nil).want(t, http.StatusNotFound)
			if got := l.Files(l.datastore(0)); !slices.Equal(got, test.left) {
				t.Errorf("left are %v, want %v", got, test.left)
			}
			// A file that is left stands in the way of the next configuration.
			l.configured(t, 0)
			want := "OK"
			if test.left != nil {
				want = "ERROR"
			}
			if r := l.Replications()[0]; r.ConfigurationState != want {
				t.Errorf("%+v, want %s", r, want)
			}
		})
	}
}

// TestSeeds: a file at the target saves the first sync, and outlives the replication.
func TestSeeds(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.AddFile(l.datastore(0), "seeds/disk1.vmdk")
	datastore := l.pairing + "/vcenters/" + l.RemoteVCenterID() + "/datastores/" + url.PathEscape(
		l.datastore(0),
	) + "/actions/"
	seeds := []any{map[string]any{"vm_disk": map[string]any{"vm_id": l.vm(0), "device_key": 2000}}}
	a := l.call(t, http.MethodPost, datastore+"find-seeds", seeds).
		want(t, http.StatusOK)
	if a.text(t, "list.0.found_seeds.0") != "seeds/disk1.vmdk" {
		t.Fatalf("%s", a.raw)
	}
	folder := map[string]any{"query_type": "VM_DISK", "browse_path": "seeds"}
	if a := l.call(t, http.MethodPost, datastore+"browse", folder).
		want(t, http.StatusOK); a.text(
		t,
		"list.0.name",
	) != "disk1.vmdk" {
		t.Errorf("%s", a.raw)
	}
	if a := l.call(t, http.MethodPost, datastore+"browse", map[string]any{"query_type": "FOLDERS", "browse_path": ""}).
		want(t, http.StatusOK); a.text(
		t,
		"list.0.name",
	) != "seeds" {
		t.Errorf("%s", a.raw)
	}
	seeded := disk(t, l.spec(t, 0), 1, "use_seeds", true, "destination_path", "seeds/disk1.vmdk")
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{seeded}).want(t, http.StatusAccepted)
	l.Advance(8*time.Second + 100*time.Second)
	replication := l.replication(t, 0)
	// 20 GiB are compared at 100 MB/s, for 214.7 s; a tenth of them is sent.
	a = l.get(t, replication)
	if a.number(t, "sync_progress.checksum_total") != 20<<30 ||
		a.number(t, "sync_progress.checksum_current") != 100*100e6 ||
		a.number(t, "sync_progress.transferred_total") != 2<<30 {
		t.Errorf("%s", a.raw)
	}
	if a := l.get(
		t,
		replication+"/disks",
	); a.text(t, "list.1.destination_path.path") != "seeds" ||
		a.text(t, "list.1.destination_path.filename") != "disk1.vmdk" {
		t.Errorf("%s", a.raw)
	}
	l.call(t, http.MethodPost, replication+"/actions/unconfigure", nil).want(t, http.StatusAccepted)
	l.Advance(6 * time.Second)
	if got := l.Files(l.datastore(0)); !slices.Equal(got, []string{"seeds/disk1.vmdk"}) {
		t.Errorf("left are %v", got)
	}
}

func TestCompliance(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	policies := l.pairing + "/vcenters/" + l.RemoteVCenterID() + "/storage-policies"
	list := l.get(t, policies).want(t, http.StatusOK)
	for i, want := range []bool{true, true, false} {
		id := list.text(t, "list."+string(rune('0'+i))+".storage_policy_id")
		a := l.call(t, http.MethodPost, policies+"/"+id+"/actions/check-compliance", []string{l.datastore(0)}).
			want(t, http.StatusOK)
		if a.at(t, "list.0.compliant") != want || a.text(t, "list.0.datastore") != l.datastore(0) {
			t.Errorf("%s", a.raw)
		}
	}
	l.call(t, http.MethodPost, policies+"/nothing/actions/check-compliance", []string{l.datastore(0)}).
		want(t, http.StatusNotFound)
	used := disk(t, l.spec(t, 0), 1, "destination_storage_policy_id", list.text(t, "list.1.storage_policy_id"))
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{used}).want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	if a := l.get(
		t,
		l.replication(t, 0)+"/disks",
	); a.text(t, "list.1.destination_storage_policy_name") != "Replica Policy" ||
		a.at(t, "list.0.destination_storage_policy_name") != nil {
		t.Errorf("%s", a.raw)
	}
}

// TestAddedDisk: a disk that somebody adds is replicated, or by the setting stops the replication until it is
// configured.
func TestAddedDisk(t *testing.T) {
	t.Parallel()
	for _, auto := range []bool{true, false} {
		l := connect(t, own(t, gateway.Config{}))
		l.SetUsed(l.vm(0), 0)
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(l.spec(t, 0), "auto_replicate_new_disks", auto)}).
			want(t, http.StatusAccepted)
		l.Advance(9 * time.Second)
		l.SetUsed(l.vm(0), 25e9) // a fifth of it, 5 GB, is in the new disk of 5 beside 20 GiB
		key, err := l.protected.AddDisk(l.protected.VMs()[0].ID, 5<<30)
		if err != nil || key != 2001 {
			t.Fatalf("disk %d, %v", key, err)
		}
		a := l.get(t, l.replication(t, 0))
		if auto {
			if a.text(t, "status.status") != "FULL_SYNC" || a.number(t, "sync_progress.transferred_total") != 5e9 ||
				l.get(t, l.replication(t, 0)+"/disks").number(t, "_meta.total") != 3 {
				t.Errorf("%s", a.raw)
			}
			continue
		}
		if a.text(t, "status.status") != "ERROR" || a.text(t, "last_group_error.message") == "" {
			t.Errorf("%s", a.raw)
		}
		l.reconfigure(t, 0, l.spec(t, 0))
		a = l.get(t, l.replication(t, 0))
		if a.text(t, "status.status") != "FULL_SYNC" || a.number(t, "sync_progress.transferred_total") != 5e9 ||
			a.at(t, "last_group_error") != nil {
			t.Errorf("%s", a.raw)
		}
	}
}

// TestConfigure_removedMeanwhile: what was ended while it was configured does not come back, and takes nothing of the
// link.
func TestConfigure_removedMeanwhile(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, 0)}).want(t, http.StatusAccepted)
	l.Advance(3 * time.Second)
	if !l.RemoveReplication(l.vm(0)) {
		t.Fatal("there was none")
	}
	l.Advance(5 * time.Second)
	if left, files := l.Replications(), l.Files(l.datastore(0)); len(left) != 0 || len(files) != 0 {
		t.Errorf("left: %+v, %v", left, files)
	}
	l.SetUsed(l.vm(1), 125e7) // 100 s of the whole link
	l.configured(t, 1)
	l.Advance(100 * time.Second)
	if r := l.Replications()[0]; r.SyncCount != 1 {
		t.Errorf("another has not all of the link: %+v", r)
	}
}

// TestReconfigure_compression: the next sync is compressed.
func TestReconfigure_compression(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{LeastDelta: 125e7}})
	l.SetUsed(l.vm(0), 0)
	replication := l.configured(t, 0)
	l.Advance(time.Second)
	l.reconfigure(t, 0, with(l.spec(t, 0), "network_compression_enabled", true))
	l.call(t, http.MethodPost, replication+"/actions/sync", nil).want(t, http.StatusAccepted)
	l.Advance(52 * time.Second) // 1 s of the task, and half of 100 s
	if r := l.Replications()[0]; r.SyncCount != 2 || r.Syncs[1].Bytes != 125e7 ||
		r.Syncs[1].End.Sub(r.Syncs[1].Start) != 50*time.Second {
		t.Errorf("%+v", r)
	}
}

// TestResume_running: to resume what runs changes nothing.
func TestResume_running(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(0), 0)
	replication := l.configured(t, 0)
	l.Advance(time.Second)
	l.call(t, http.MethodPost, replication+"/actions/resume", nil).want(t, http.StatusAccepted)
	l.Advance(time.Minute)
	if r := l.Replications()[0]; r.SyncCount != 1 || r.Status != "OK" {
		t.Errorf("%+v", r)
	}
}

// TestSync_afterError: a sync that is asked for is a new attempt.
func TestSync_afterError(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(0), 0)
	replication := l.configured(t, 0)
	l.Advance(time.Second)
	l.FailReplication(l.vm(0), "the datastore was full", "")
	if got := l.status(t, replication); got.name != "ERROR" {
		t.Errorf("%+v", got)
	}
	l.call(t, http.MethodPost, replication+"/actions/sync", nil).want(t, http.StatusAccepted)
	l.Advance(2 * time.Second)
	if r := l.Replications()[0]; r.SyncCount != 2 || r.Status != "OK" {
		t.Errorf("%+v", r)
	}
}
