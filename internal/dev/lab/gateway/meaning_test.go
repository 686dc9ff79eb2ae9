package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestMeaning_configure goes through what is wrong by meaning, under both assumptions: a 400 at once, or a task that
// fails. VM 1 has two disks: the folder is disk 0 of the request, the disks 1 and 2.
func TestMeaning_configure(t *testing.T) {
	t.Parallel()
	limited := gateway.DefaultCapability()
	limited.Quiescing, limited.Compression, limited.MPIT = false, false, false
	limited.Encryption, limited.AutoReplicate = false, false
	limited.MinRPOMinutes = 30
	const other = "e0000000-0000-4000-8000-00000000000f"
	rows := []struct {
		name, code string
		prepare    func(*testing.T, *lab)
		spec       func(t *testing.T, l *lab, good map[string]any) map[string]any
	}{
		{"unknown VM", "VM_NOT_FOUND", nil, func(_ *testing.T, l *lab, good map[string]any) map[string]any {
			return with(good, "vm_id", "VirtualMachine:vm-99999:"+l.LocalVCenterID())
		}},
		{"bare id", "VM_NOT_FOUND", nil, func(_ *testing.T, l *lab, good map[string]any) map[string]any {
			return with(good, "vm_id", l.protected.VMs()[1].ID)
		}},
		{"VM of the remote site", "VM_NOT_FOUND", nil, func(_ *testing.T, l *lab, good map[string]any) map[string]any {
			return with(good, "vm_id", "VirtualMachine:"+l.protected.VMs()[1].ID+":"+l.RemoteVCenterID())
		}},
		{
			"target not of the pairing",
			"TARGET_VC_UNKNOWN",
			nil,
			func(_ *testing.T, _ *lab, good map[string]any) map[string]any {
				return with(good, "target_vc_id", other)
			},
		},
		{"target is the source", "TARGET_VC_UNKNOWN", nil, func(_ *testing.T, l *lab, good map[string]any) map[string]any {
			return with(good, "target_vc_id", l.LocalVCenterID())
		}},
		{"disk of another VM", "DISK_OF_OTHER_VM", nil, func(t *testing.T, l *lab, good map[string]any) map[string]any {
			t.Helper()
			return vmDisk(t, good, 1, "vm_id", l.vm(2))
		}},
		{"unknown disk", "DISK_NOT_FOUND", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return vmDisk(t, good, 1, "device_key", 4711)
		}},
		{"disk that names no disk", "DISK_NOT_FOUND", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return vmDisk(t, good, 1, "device_key", missing)
		}},
		{"disk twice", "DISK_TWICE", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return vmDisk(t, good, 2, "device_key", 2000)
		}},
		{"disk left out", "DISK_MISSING", nil, func(_ *testing.T, _ *lab, good map[string]any) map[string]any {
			disks, _ := good["disks"].([]any)
			return with(good, "disks", disks[:2])
		}},
		{"folder left out", "DISK_MISSING", nil, func(_ *testing.T, _ *lab, good map[string]any) map[string]any {
			disks, _ := good["disks"].([]any)
			return with(good, "disks", disks[1:])
		}},
		{"folder not replicated", "VM_HOME_INVALID", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 0, "enabled_for_replication", false)
		}},
		{"folder with a path", "VM_HOME_INVALID", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 0, "destination_path", "app-0002/app-0002.vmx")
		}},
		{"folder as a seed", "VM_HOME_INVALID", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 0, "use_seeds", true)
		}},
		{"seed without a path", "SEED_PATH_MISSING", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 1, "use_seeds", true)
		}},
		{"path without a seed", "SEED_PATH_UNEXPECTED", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 1, "destination_path", "app-0002/disk1.vmdk")
		}},
		{"unknown datastore", "DATASTORE_NOT_FOUND", nil, func(t *testing.T, l *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 1, "destination_datastore_id", "Datastore:datastore-99999:"+l.RemoteVCenterID())
		}},
		{
			"datastore of the source",
			"DATASTORE_NOT_AT_TARGET",
			nil,
			func(t *testing.T, l *lab, good map[string]any) map[string]any {
				t.Helper()
				return disk(
					t,
					good,
					1,
					"destination_datastore_id",
					"Datastore:"+l.protected.Datastores()[0].ID+":"+l.LocalVCenterID(),
				)
			},
		},
		{"unknown policy", "POLICY_NOT_FOUND", nil, func(t *testing.T, _ *lab, good map[string]any) map[string]any {
			t.Helper()
			return disk(t, good, 1, "destination_storage_policy_id", other)
		}},
		{
			"policy that does not fit",
			"POLICY_NOT_COMPLIANT",
			nil,
			func(t *testing.T, l *lab, good map[string]any) map[string]any {
				t.Helper()
				policies := l.get(
					t,
					l.pairing+"/vcenters/"+l.RemoteVCenterID()+"/storage-policies?filter_property=vm_encryption_supported&filter=true",
				)
				return disk(t, good, 1, "destination_storage_policy_id", policies.text(t, "list.0.storage_policy_id"))
			},
		},
		{"unknown server", "SERVER_NOT_FOUND", nil, func(_ *testing.T, _ *lab, good map[string]any) map[string]any {
			return with(good, "target_replication_server_id", "HmsRemoteHbrServer:HBRSRV-x:y")
		}},
		{
			"server decommissioned",
			"SERVER_DECOMMISSIONED",
			func(_ *testing.T, l *lab) { l.SetServer(l.ServerIDs()[0], true, true) },
			byServer,
		},
		{
			"server disconnected",
			"SERVER_DISCONNECTED",
			func(_ *testing.T, l *lab) { l.SetServer(l.ServerIDs()[0], false, false) },
			byServer,
		},
		{
			"datastore not accessible",
			"DATASTORE_NOT_ACCESSIBLE",
			func(_ *testing.T, l *lab) { l.SetDatastore(l.datastore(0), false, "GREEN", 1<<50) },
			nil,
		},
		{
			"datastore red",
			"DATASTORE_RED",
			func(_ *testing.T, l *lab) { l.SetDatastore(l.datastore(0), true, "RED", 1<<50) },
			nil,
		},
		{
			"datastore full",
			"DATASTORE_FULL",
			func(_ *testing.T, l *lab) { l.SetDatastore(l.datastore(0), true, "GREEN", 1<<30) },
			nil,
		},
		{"rpo below the VM's", "RPO_TOO_LOW", limit(limited), set("rpo", 29)},
		{"quiescing not supported", "QUIESCING_NOT_SUPPORTED", limit(limited), set("rpo", 30, "quiesce_enabled", true)},
		{"quiescing below 15 minutes", "QUIESCING_NOT_SUPPORTED", nil, set("rpo", 14, "quiesce_enabled", true)},
		{
			"compression not supported",
			"COMPRESSION_NOT_SUPPORTED",
			limit(limited),
			set("rpo", 30, "network_compression_enabled", true),
		},
		{
			"encryption not supported",
			"ENCRYPTION_NOT_SUPPORTED",
			limit(limited),
			set("rpo", 30, "lwd_encryption_enabled", true),
		},
		{"new disks not supported", "AUTO_REPLICATION_NOT_SUPPORTED", limit(limited), set("rpo", 30)},
		{
			"instances not supported",
			"MPIT_NOT_SUPPORTED",
			limit(limited),
			set("rpo", 30, "auto_replicate_new_disks", false, "mpit_enabled", true, "mpit_instances", 1, "mpit_days", 1),
		},
		{"instances of none", "MPIT_INVALID", nil, set("mpit_enabled", true)},
		{"instances of a negative day", "MPIT_INVALID", nil, set("mpit_enabled", true, "mpit_instances", 3, "mpit_days", -1)},
		{"25 instances without days", "MPIT_INVALID", nil, set("mpit_enabled", true, "mpit_instances", 25, "mpit_days", 0)},
		{"25 instances", "MPIT_INVALID", nil, set("mpit_enabled", true, "mpit_instances", 5, "mpit_days", 5)},
		{"template", "VM_IS_VM_TEMPLATE", nil, func(t *testing.T, l *lab, _ map[string]any) map[string]any {
			t.Helper()
			return l.spec(t, 12)
		}},
		{"capability", "VM_HOST_NOT_CONNECTED", func(_ *testing.T, l *lab) {
			k := gateway.DefaultCapability()
			k.Status = "HOST_NOT_CONNECTED"
			l.SetCapability(l.vm(1), k)
		}, nil},
	}
	for _, inTask := range []bool{false, true} {
		l := connect(t, gateway.Config{Switches: gateway.Switches{FailInTask: inTask}})
		for _, row := range rows {
			good := l.spec(t, 1)
			if row.prepare != nil {
				row.prepare(t, l)
			}
			if row.spec != nil {
				good = row.spec(t, l, good)
			}
			refusedByMeaning(t, l, row.name, row.code, inTask, l.pairing+"/replications", []any{good})
			// As it was before.
			for _, id := range l.ServerIDs() {
				l.SetServer(id, true, false)
			}
			l.SetDatastore(l.datastore(0), true, "GREEN", 1<<50)
			l.SetCapability(l.vm(1), gateway.DefaultCapability())
		}
		if left := l.Replications(); len(left) != 0 {
			t.Errorf("after all refusals there is %+v", left)
		}
		l.configured(t, 1) // the good one
		refusedByMeaning(
			t,
			l,
			"configured already",
			"VM_ALREADY_CONFIGURED",
			inTask,
			l.pairing+"/replications",
			[]any{l.spec(t, 1)},
		)
	}
}

func set(pairs ...any) func(*testing.T, *lab, map[string]any) map[string]any {
	return func(_ *testing.T, _ *lab, good map[string]any) map[string]any { return with(good, pairs...) }
}

func limit(k gateway.Capability) func(*testing.T, *lab) {
	return func(_ *testing.T, l *lab) { l.SetCapability(l.vm(1), k) }
}

func byServer(_ *testing.T, l *lab, good map[string]any) map[string]any {
	return with(good, "target_replication_server_id", l.ServerIDs()[0])
}

// refusedByMeaning wants a 400 with the code, or a task that fails with it.
func refusedByMeaning(t *testing.T, l *lab, name, code string, inTask bool, path string, body any) {
	t.Helper()
	a := l.call(t, http.MethodPost, path, body)
	if !inTask {
		if a.status != http.StatusBadRequest || a.text(t, "error_code") != code {
			t.Errorf("%s is answered %d %s, want %s", name, a.status, a.raw, code)
		}
		return
	}
	if a.status != http.StatusAccepted {
		t.Errorf("%s is answered %d %s, want a task", name, a.status, a.raw)
		return
	}
	id := "id"
	if _, list := body.([]any); list {
		id = "list.0.id"
	}
	l.Advance(8 * time.Second)
	task := l.get(t, "/tasks/"+a.text(t, id)).want(t, http.StatusOK)
	if task.text(t, "status") != "ERROR" || task.text(t, "error.details") != code || task.number(t, "progress") == 100 {
		t.Errorf("%s ends as %s, want %s", name, task.raw, code)
	}
}

// TestMeaning_twice: two of one VM in a request.
func TestMeaning_twice(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	refusedByMeaning(
		t,
		l,
		"twice",
		"VM_ALREADY_CONFIGURED",
		false,
		l.pairing+"/replications",
		[]any{l.spec(t, 0), l.spec(t, 0)},
	)
	tasks := connect(t, gateway.Config{Switches: gateway.Switches{FailInTask: true}})
	a := tasks.call(t, http.MethodPost, tasks.pairing+"/replications", []any{tasks.spec(t, 0), tasks.spec(t, 0)}).
		want(t, http.StatusAccepted)
	tasks.Advance(8 * time.Second)
	for i, want := range []string{"SUCCESS", "ERROR"} {
		task := tasks.get(t, "/tasks/"+a.text(t, "list."+string(rune('0'+i))+".id"))
		if task.text(t, "status") != want {
			t.Errorf("task %d ends as %s", i, task.raw)
		}
	}
	if len(l.Replications()) != 0 || len(tasks.Replications()) != 1 {
		t.Errorf("%d and %d replications", len(l.Replications()), len(tasks.Replications()))
	}
}

func TestMeaning_states(t *testing.T) {
	t.Parallel()
	for _, inTask := range []bool{false, true} {
		l := connect(
			t,
			own(t, gateway.Config{Switches: gateway.Switches{FailInTask: inTask, StrictState: true, UnconfigureNeedsVM: true}}),
		)
		replication := l.configured(t, 1)
		again := reconfiguration(l.spec(t, 1))
		act := func(name, code, action string, body any) {
			t.Helper()
			refusedByMeaning(t, l, name, code, inTask, replication+"/actions/"+action, body)
		}
		act("resume what runs", "NOT_PAUSED", "resume", nil)
		l.PauseReplication(l.vm(1), true)
		act("pause what is paused", "ALREADY_PAUSED", "pause", nil)
		act("sync what is paused", "REPLICATION_NOT_ACTIVE", "sync", nil)
		l.PauseReplication(l.vm(1), false)
		if err := l.protected.SetPower(l.protected.VMs()[1].ID, types.VirtualMachinePowerStatePoweredOff); err != nil {
			t.Fatal(err)
		}
		act("sync what is off", "REPLICATION_NOT_ACTIVE", "sync", nil)
		act(
			"change to too low an RPO",
			"QUIESCING_NOT_SUPPORTED",
			"reconfigure",
			with(again, "rpo", 14, "quiesce_enabled", true),
		)
		l.SetRecoveryState(l.vm(1), "IN_PROGRESS")
		act("change what is recovered", "REPLICATION_RECOVERING", "reconfigure", again)
		act("end what is recovered", "REPLICATION_RECOVERING", "unconfigure", nil)
		l.SetRecoveryState(l.vm(1), "NOT_STARTED")
		l.BreakTasks(gateway.TaskRule{Operation: "reconfigureReplication", Times: 1, Slow: 100}) // 500 s
		l.call(t, http.MethodPost, replication+"/actions/reconfigure", again).want(t, http.StatusAccepted)
		act("change what is changed", "REPLICATION_BUSY", "reconfigure", again)
		l.Advance(500 * time.Second)
		if err := l.protected.DestroyVM(l.protected.VMs()[1].ID); err != nil {
			t.Fatal(err)
		}
		act("change what is gone", "VM_NOT_FOUND", "reconfigure", again)
		act("end what is gone", "VM_NOT_FOUND", "unconfigure", nil)
		if r := l.Replications(); len(r) != 1 || r[0].Configured != 2 {
			t.Errorf("%+v", r)
		}
	}
}
