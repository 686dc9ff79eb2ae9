package doctor_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/doctor"
	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapcontract"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

var hour = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func TestReplication(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{VMs: 4, StatisticsLevel: 2})
	require.NoError(t, l.RetainEvents(12))
	vm, clone := l.VMs()[0].ID, l.VMs()[1].ID
	settings := map[string]string{
		"hbr_filter.gid":         "GID-1",
		"hbr_filter.destination": "web01.example.com",
		"hbr_filter.payroll":     "1",
	}
	require.NoError(t, l.SetExtraConfig(vm, settings))
	require.NoError(t, l.CloneSettings(vm, clone))
	l.SetReplicated(vm, 15, 2000)
	at := func(minutes int) time.Time { return hour.Add(time.Duration(minutes) * time.Minute) }
	l.Events().Post(vcsim.Event{At: at(0), Type: vcsim.EventDelta, VMID: vm, Bytes: 10},
		vcsim.Event{At: at(14), Type: vcsim.EventDelta, VMID: vm, Bytes: 10},
		vcsim.Event{At: at(30), Type: vcsim.EventDelta, VMID: vm, Bytes: 10},
		vcsim.Event{At: at(50), Type: vcsim.EventRPOViolated, VMID: vm, Minutes: 5},
		vcsim.Event{At: at(65), Type: vcsim.EventRPOViolated, VMID: vm, Minutes: 20},
		vcsim.Event{At: at(70), Type: vcsim.EventRPORestored, VMID: vm},
		vcsim.Event{At: at(71), Type: "hbr.primary.PayrollEvent", VMID: vm},
		vcsim.Event{At: at(90), Type: vcsim.EventDelta, VMID: clone, Bytes: 10})
	report, text := l.run(t.Context(), t)
	got := results(t, report)
	for _, id := range []string{"event-types", "event-order", "event-vm", "violation-repeats"} {
		assert.Equal(t, doctor.OK, got[id])
	}
	// VM 0 has a swap file of 2 GiB and a disk of 20 GiB that is 30% full (6 GiB). VM 1 has 4 GiB of swap, and disks of
	// 30 and 40 GiB that are 35% full (24.5 GiB). VM 2 has 6 GiB of swap, and disks of 40, 50 and 60 GiB that are 40%
	// full (60 GiB). VM 3 has 8 GiB of swap and a disk of 50 GiB that is 45% full (22.5 GiB). In total, there are 20
	// GiB of swap and 113 GiB of used disk space.
	for _, sentence := range []string{
		"vCenter describes 14 vSphere Replication event types: ", "`hbr.primary.DeltaStartedEvent`",
		"Event sequence of one VM in the last seven days, in minutes since the previous event: +0 3 times " +
			"`hbr.primary.DeltaCompletedEvent` every 14 to 16; +20 2 times `com.vmware.vcHms.rpoViolatedEvent` " +
			"every 15 to " +
			"15 with violation minutes 5 20; +5 `com.vmware.vcHms.rpoRestoredEvent`.",
		"In the last seven days: 7 events within 1.5 hours. Types: `com.vmware.vcHms.rpoRestoredEvent`, " +
			"`com.vmware.vcHms.rpoViolatedEvent` (2), `hbr.primary.DeltaCompletedEvent` (4).",
		"| event.maxAge | 12 |", "| event.maxAgeEnabled | true |",
		"Statistics interval of 300 seconds: kept for 24 hours, level 2.",
		"`virtualDisk.write.average` is collected from level ",
		"4 VMs. The configuration of 4 was read.",
		"Traces of replication in 1 VM: `config.repConfig`, `hbr_filter.destination`, `hbr_filter.gid`, " +
			"`hbr_filter.{key}`, a `gid` that another VM also has.",
		"Traces of replication in 2 VMs: none.",
		"powered on: 4 VMs, committed 133.0 GiB, diskDescriptor 0.0 GiB, diskExtent 113.0 GiB, swap 20.0 GiB " +
			"(uniqueSize 0.0 GiB).",
	} {
		assert.Contains(t, text, sentence)
	}
	assert.Less(t, l.Traffic().Total(), 60, "%+v", l.Traffic().Counts())
	assert.Equal(t, 0, l.Events().Collectors())
	for _, name := range []string{"payroll", "Payroll", "web01", "GID-1", vm} {
		assert.NotContains(t, text, name)
	}
}

func TestReplication_unread(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	const denied = `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><Fault><faultcode>a</faultcode>` +
		`<faultstring>no</faultstring><detail><NoPermissionFault xmlns="urn:vim25" ` +
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
		`xsi:type="NoPermission"/></detail></Fault></Body></Envelope>`
	for _, call := range []string{"CreateCollectorForEvents", "QueryOptions", "CreateContainerView"} {
		l.Traffic().Break(fault.Rule{
			Kind:   "soap:" + call,
			Status: 500,
			Body:   denied,
			Header: map[string]string{"Content-Type": "text/xml"},
		})
	}
	report, text := l.run(t.Context(), t)
	for _, sentence := range []string{
		"| event.maxAge | cannot be read: permission denied |",
		"- The VM configurations could not be read: permission denied.",
		"- The events could not be read: permission denied.", "- Statistics interval of 300 seconds",
	} {
		assert.Contains(t, text, sentence)
	}
	got := results(t, report)
	for id, want := range map[string]doctor.Result{
		"event-types":       doctor.OK,
		"event-order":       doctor.Unknown,
		"event-vm":          doctor.Unknown,
		"violation-repeats": doctor.Unknown,
	} {
		assert.Equal(t, want, got[id])
	}
}

func TestSyncBytes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bytes int64 // additional bytes in the latest event, or -1 for no event
		later time.Duration
		want  doctor.Result
	}{
		"as the appliance":  {0, 0, doctor.OK},
		"another size":      {1, time.Second, doctor.Differs},
		"another sync":      {1, time.Hour, doctor.Unknown},
		"none of that time": {-1, 0, doctor.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{})
			g := l.withAppliance(t, gateway.Switches{})
			vm := l.VMs()[0].ID
			require.NoError(t, g.AddReplications(15, vm))
			if test.bytes >= 0 {
				g.Advance(2 * time.Hour)
				var newest vcsim.Event
				for _, e := range l.Events().All() {
					if strings.HasSuffix(e.Type, "CompletedEvent") {
						newest = e
					}
				}
				newest.At, newest.Bytes = newest.At.Add(test.later), newest.Bytes+test.bytes
				l.Events().Post(newest)
			}
			report, text := l.run(t.Context(), t)
			assert.Equal(t, test.want, results(t, report)["sync-bytes"], text)
		})
	}
}

func TestReplication_absentFields(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{VMs: 3})
	g := l.withAppliance(t, gateway.Switches{})
	require.NoError(t, g.AddReplications(15, l.VMs()[0].ID, l.VMs()[1].ID, l.VMs()[2].ID))
	g.Advance(time.Minute)
	g.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
		for i, row := range gateway.Rows(answer) {
			delete(row, []string{"rpo", "quiescing_enabled", "rpo"}[i])
		}
	})
	_, text := l.run(t.Context(), t)
	const want = "Fields missing in replications, although both sites respond: `quiescing_enabled`, `rpo` (2)."
	require.Contains(t, text, want)
	assert.NotContains(t, text, l.VMs()[0].Name)
}

func TestProtection(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	contract := snapcontract.Load(t)
	a, err := snapservice.Start(t.Context(), snapservice.Config{
		VCenter: l.VCenter,
		Wrap:    func(next http.Handler) http.Handler { return contract.Strict(t, next) },
	})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	l.trust(t, a.CAPEM())
	cluster, vm := l.Clusters()[0].ID, l.VMs()[0]
	require.Equal(t, l.Clusters()[0].Name, l.VMs()[0].Cluster, "%v, %v", vm.ID, vm.Cluster)
	a.Add(cluster, snapservice.Info{
		Name:    "payroll",
		Targets: snapservice.Targets{VMs: []string{vm.ID}},
		Replication: []snapservice.Replication{{
			Pair: snapservice.PairID(cluster),
			RPO:  snapservice.Period{Unit: "MINUTE", Duration: 15},
		}},
	})
	l.settings.Protection = connect.Protection{Server: a.URL(), User: l.User(), Password: l.Password()}
	report, text := l.run(t.Context(), t)
	assert.Empty(t, report.Failed)
	for _, sentence := range []string{
		"- Release 9.1.0.0.", "- The local site belongs to this vCenter.", "- Protection group states: ACTIVE.",
		"- RPO units: MINUTE.",
		"- Cluster capabilities: ", "- Cluster pair states: OK.", "- License modes of the peer: OPERATIONAL.",
		"data protection GET /api/snapservice/clusters/{id}/protection-groups",
	} {
		assert.Contains(t, text, sentence)
	}
	for _, name := range []string{"payroll", cluster, vm.ID, "SIGN", a.URL()} {
		assert.NotContains(t, text, name)
	}
	for kind := range a.Traffic().Counts() {
		assert.False(t, slices.Contains([]string{"create", "update", "delete", "pause", "resume", "snapshot"}, kind),
			"sends %s", kind)
	}
	open, _ := a.Sessions()
	assert.Equal(t, 0, open)
}

func TestProtection_refused(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.settings.Password = "wrong"
	l.settings.Protection = connect.Protection{Server: "https://127.0.0.1:1", User: l.User(), Password: "wrong"}
	_, text := l.run(t.Context(), t)
	assert.Contains(t, text, "- Not checked: vCenter rejected the same user")
}
