package gateway_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// names reads the name of every row.
func names(t *testing.T, a answer) []string {
	t.Helper()
	a.want(t, http.StatusOK)
	var list []string
	for _, row := range a.list(t, "list") {
		object, ok := row.(map[string]any)
		if !ok {
			t.Fatalf("no object in %s", a.raw)
		}
		name, _ := object["name"].(string)
		list = append(list, name)
	}
	return list
}

// TestLists: VMs are named after their place: web-0001, app-0002, db-0003, batch-0004, web-0005 and so on to
// batch-0012, and the template web-0013. The eleventh and the template are off.
func TestLists(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	vms := l.pairing + "/vcenters/" + l.LocalVCenterID() + "/vms?"
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"limit=3", []string{"web-0001", "app-0002", "db-0003"}},
		{"limit=3&offset=3", []string{"batch-0004", "web-0005", "app-0006"}},
		{"limit=5&offset=12", []string{"web-0013"}},
		{"limit=5&offset=13", nil},
		{"filter_property=name&filter=db-0003", []string{"db-0003"}},
		{"filter_property=name&filter=db", nil}, // the whole value
		{"filter_property=name&filter=db-0003&filter=db-0007", []string{"db-0003", "db-0007"}},
		{"filter_property=power_state&filter=POWERED_OFF", []string{"db-0011", "web-0013"}},
		{"filter_property=template&filter=true", []string{"web-0013"}},
		{"sort_by=name&limit=2", []string{"app-0002", "app-0006"}},
		{"sort_by=name&order_by=desc&limit=2", []string{"web-0013", "web-0009"}},
		{"sort_by=power_state&limit=3", []string{"db-0011", "web-0013", "web-0001"}}, // stable
	} {
		if got := names(t, l.get(t, vms+test.query)); !slices.Equal(got, test.want) {
			t.Errorf("%s lists %v, want %v", test.query, got, test.want)
		}
	}
	a := l.get(t, vms+"limit=4&offset=4")
	if a.number(t, "_meta.total") != 13 || a.number(t, "_meta.limit") != 4 || a.number(t, "_meta.offset") != 4 {
		t.Errorf("%s", a.raw)
	}
	for link, want := range map[string]string{
		"self": "limit=4&offset=4", "next": "limit=4&offset=8", "previous": "limit=4&offset=0",
	} {
		u, err := url.Parse(a.text(t, "_meta.links."+link+".href"))
		if err != nil || u.RawQuery != want || u.Host == "" {
			t.Errorf("%s is %v, %v", link, u, err)
		}
	}
	if first := l.get(
		t,
		vms+"limit=13",
	); first.at(t, "_meta.links.next") != nil ||
		first.at(t, "_meta.links.previous") != nil {
		t.Errorf("the ends are not null: %s", first.raw)
	}
}

func TestLists_switches(t *testing.T) {
	t.Parallel()
	l := connect(
		t,
		gateway.Config{Switches: gateway.Switches{FilterContains: true, PageSize: 4, PageCap: 5, OmitEndLinks: true}},
	)
	vms := l.pairing + "/vcenters/" + l.LocalVCenterID() + "/vms?"
	if got, want := names(
		t,
		l.get(t, vms+"filter_property=name&filter=DB"),
	), []string{
		"db-0003",
		"db-0007",
		"db-0011",
	}; !slices.Equal(
		got,
		want,
	) {
		t.Errorf("fragments give %v", got)
	}
	for query, want := range map[string]int{"": 4, "limit=100": 5, "limit=2": 2} {
		if a := l.get(t, vms+query); len(a.list(t, "list")) != want || a.number(t, "_meta.total") != 13 {
			t.Errorf("%q lists %d rows", query, len(a.list(t, "list")))
		}
	}
	links, ok := l.get(t, vms).at(t, "_meta.links").(map[string]any)
	if _, previous := links["previous"]; !ok || previous || links["next"] == nil {
		t.Errorf("links %v", links)
	}
}

// TestLists_replications: nested properties, numbers by size, both directions by the source.
func TestLists_replications(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{HideFor: time.Minute}})
	var specs []any
	for i, rpo := range []int{5, 60, 1440} {
		specs = append(specs, with(l.spec(t, i), "rpo", rpo))
	}
	l.call(t, http.MethodPost, l.pairing+"/replications", specs).want(t, http.StatusAccepted)
	list := l.pairing + "/replications?extended_info=true&"
	l.Advance(59 * time.Second)
	if got := names(t, l.get(t, list)); len(got) != 0 {
		t.Errorf("seen too early: %v", got)
	}
	l.Advance(time.Second)
	for query, want := range map[string][]string{
		"":                                {"web-0001", "app-0002", "db-0003"},
		"sort_by=rpo&order_by=descending": {"db-0003", "app-0002", "web-0001"},
		"filter_property=status.status&filter=INITIAL_FULL_SYNC":   {"web-0001", "app-0002", "db-0003"},
		"filter_property=status.status&filter=OK":                  nil,
		"filter_property=rpo&filter=60":                            {"app-0002"},
		"filter_property=vm_id&filter=" + url.QueryEscape(l.vm(2)): {"db-0003"},
		// After 52 s at a third of 12.5e6 B/s: 217 MB, which is 1.0 % of 20 GiB, and less of the others.
		"filter_property=sync_progress.progress&filter=1": {"web-0001"},
		"source_vc_guid=" + l.LocalVCenterID():            {"web-0001", "app-0002", "db-0003"},
		"source_vc_guid=" + l.RemoteVCenterID():           nil,
	} {
		if got := names(t, l.get(t, list+query)); !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", query, got, want)
		}
	}
	if n := l.get(t, l.pairing+"/replications/count").number(t, "count"); n != 3 {
		t.Errorf("%v replications", n)
	}
}

func TestLists_sparse(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{SparseLists: true}})
	l.configured(t, 0)
	if a := l.get(t, l.pairing+"/replications"); a.at(t, "list.0.sync_progress") != nil {
		t.Errorf("%s", a.raw)
	}
	if a := l.get(
		t,
		l.pairing+"/replications?extended_info=true",
	); a.number(
		t,
		"list.0.sync_progress.transferred_total",
	) != 20<<30 {
		t.Errorf("%s", a.raw)
	}
}

// TestInventory: what the vCenters have, in the API's words and units.
func TestInventory(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	local, remote := l.pairing+"/vcenters/"+l.LocalVCenterID(), l.pairing+"/vcenters/"+l.RemoteVCenterID()
	// VM 1 has two disks, of 30 and 40 GiB.
	a := l.get(t, local+"/vms/"+url.PathEscape(l.vm(1))+"/disks").want(t, http.StatusOK)
	if len(a.list(t, "list")) != 3 || a.at(t, "list.0.is_vm_home") != true || a.at(t, "list.0.device_key") != nil ||
		a.number(
			t,
			"list.1.device_key",
		) != 2000 || a.number(t, "list.1.capacity") != 30<<20 || a.number(t, "list.2.capacity") != 40<<20 ||
		a.text(
			t,
			"list.1.vm_id",
		) != l.vm(
			1,
		) || a.text(t, "list.1.source_path.filename") == a.text(t, "list.2.source_path.filename") {
		t.Errorf("%s", a.raw)
	}
	a = l.get(t, remote+"/datastores").want(t, http.StatusOK)
	if a.text(t, "list.0.id") != l.datastore(0) ||
		a.number(t, "list.0.capacity") != float64(l.recovery.Datastores()[0].CapacityBytes) ||
		a.at(t, "list.0.accessible") != true {
		t.Errorf("%s", a.raw)
	}
	a = l.get(t, local+"/vms/"+url.PathEscape(l.vm(1))+"/capability").want(t, http.StatusOK)
	if a.text(t, "vm_validation_status") != "OK" || a.number(t, "min_rpo_mins") != 5 || a.text(t, "vm_id") != l.vm(1) {
		t.Errorf("%s", a.raw)
	}
	if a = l.get(
		t,
		local+"/vms/"+url.PathEscape(l.vm(12))+"/capability",
	); a.text(
		t,
		"vm_validation_status",
	) != "IS_VM_TEMPLATE" {
		t.Errorf("%s", a.raw)
	}
	l.configured(t, 1)
	if a = l.get(
		t,
		local+"/vms/"+url.PathEscape(l.vm(1))+"/capability",
	); a.text(
		t,
		"vm_validation_status",
	) != "ALREADY_CONFIGURED" {
		t.Errorf("%s", a.raw)
	}
	got := names(t, l.get(t, local+"/vms?suitable_for_replication=true"))
	if slices.Contains(got, "app-0002") || slices.Contains(got, "web-0013") || len(got) != 11 {
		t.Errorf("suitable are %v", got)
	}
	if a = l.get(t, "/info").
		want(t, http.StatusOK); a.text(t, "vc_guid") != l.LocalVCenterID() ||
		a.text(t, "version") != "8.8.0.0" {
		t.Errorf("%s", a.raw)
	}
	// The server of the one replication counts it; either of its ids finds it.
	vrms := l.get(t, l.pairing).text(t, "remote_vrms.id")
	servers := l.pairing + "/vrs/" + vrms + "/replication-servers"
	a = l.get(t, servers).want(t, http.StatusOK)
	if a.number(t, "list.0.replication_count") != 1 || a.number(t, "list.1.replication_count") != 0 ||
		a.text(t, "list.0.id") != l.ServerIDs()[0] {
		t.Errorf("%s", a.raw)
	}
	for _, id := range []string{a.text(t, "list.1.id"), a.text(t, "list.1.uuid")} {
		if one := l.get(t, servers+"/"+url.PathEscape(id)).
			want(t, http.StatusOK); one.text(
			t,
			"name",
		) != "vrs2.recovery.lab" {
			t.Errorf("%s", one.raw)
		}
	}
}

func TestInventory_home(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{HomeKeyZero: true, PlainIDs: true}})
	l.configured(t, 1)
	r := l.Replications()[0]
	if len(r.Disks) != 3 || !r.Disks[0].Home || r.Disks[1].Key != 2000 {
		t.Errorf("%+v", r)
	}
	if len(r.ID) != len("GID-")+36 {
		t.Errorf("the id is %s", r.ID)
	}
}
