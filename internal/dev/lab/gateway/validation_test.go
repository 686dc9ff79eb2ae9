package gateway_test

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

// with is a copy of a JSON object with other values; the value missing takes one out.
func with(object map[string]any, pairs ...any) map[string]any {
	object = maps.Clone(object)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			panic("a name is a string")
		}
		if pairs[i+1] == missing {
			delete(object, name)
			continue
		}
		object[name] = pairs[i+1]
	}
	return object
}

const missing = "\x00missing"

// disk is the i-th disk of a configuration, 0 for the VM's folder, with other values.
func disk(t *testing.T, spec map[string]any, i int, pairs ...any) map[string]any {
	t.Helper()
	disks, ok := spec["disks"].([]any)
	if !ok {
		t.Fatalf("no disks in %v", spec)
	}
	d, ok := disks[i].(map[string]any)
	if !ok {
		t.Fatalf("no disk in %v", spec)
	}
	changed := append([]any{}, disks...)
	changed[i] = with(d, pairs...)
	return with(spec, "disks", changed)
}

// vmDisk is what was read of a disk, with other values.
func vmDisk(t *testing.T, spec map[string]any, i int, pairs ...any) map[string]any {
	t.Helper()
	disks, ok := spec["disks"].([]any)
	if !ok {
		t.Fatalf("no disks in %v", spec)
	}
	d, ok := disks[i].(map[string]any)
	if !ok {
		t.Fatalf("no disk in %v", spec)
	}
	read, ok := d["vm_disk"].(map[string]any)
	if !ok {
		t.Fatalf("no vm_disk in %v", d)
	}
	return disk(t, spec, i, "vm_disk", with(read, pairs...))
}

// TestForm_configure: contract and appliance refuse bodies of the wrong form, and nothing happens.
// Rows that the description lets pass, because it has no rule for them, say so.
func TestForm_configure(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{FailInTask: true}}) // form is never a task
	good := l.spec(t, 1)
	refusals := map[string]any{
		"an object":    good,
		"empty array":  []any{}, // passes the description
		"a string":     []any{"replicate this"},
		"null":         []any{nil},
		"half a body":  []byte(`[{"vm_id":`),
		"two bodies":   []byte(`[][]`), // passes the description
		"no JSON":      []byte(`rpo=15`),
		"rpo 0":        []any{with(good, "rpo", 0)},
		"rpo 4":        []any{with(good, "rpo", 4)},
		"rpo 1441":     []any{with(good, "rpo", 1441)},
		"rpo 15.5":     []any{with(good, "rpo", 15.5)},
		"rpo as text":  []any{with(good, "rpo", "15")},
		"rpo null":     []any{with(good, "rpo", nil)},
		"bad format":   []any{disk(t, good, 1, "destination_disk_format", "SLIM")},
		"quiesce text": []any{with(good, "quiesce_enabled", "true")},
		"mpit text":    []any{with(good, "mpit_instances", "3")},
		"disks null":   []any{with(good, "disks", nil)},
		"disks empty":  []any{with(good, "disks", []any{})}, // passes the description
		"disk key":     []any{vmDisk(t, good, 1, "device_key", "2000")},
	}
	for _, name := range []string{
		"vm_id", "target_vc_id", "rpo", "network_compression_enabled", "auto_replicate_new_disks",
		"lwd_encryption_enabled", "mpit_enabled", "disks",
	} {
		refusals["without "+name] = []any{with(good, name, missing)}
	}
	for _, name := range []string{
		"vm_disk", "enabled_for_replication", "destination_datastore_id", "destination_disk_format",
	} {
		refusals["a disk without "+name] = []any{disk(t, good, 1, name, missing)}
	}
	refusals["a disk without vm_id"] = []any{vmDisk(t, good, 1, "vm_id", missing)}
	passes := map[string]bool{"empty array": true, "two bodies": true, "disks empty": true}
	for name, body := range refusals {
		a := l.call(t, http.MethodPost, l.pairing+"/replications", body)
		if a.status != http.StatusBadRequest || a.text(t, "op_id") == "" || a.text(t, "message") == "" {
			t.Errorf("%s is answered %d %s", name, a.status, a.raw)
		}
	}
	if left := l.Replications(); len(left) != 0 {
		t.Errorf("after all refusals there is %+v", left)
	}
	t.Run("contract", func(t *testing.T) {
		t.Parallel()
		for name, body := range refusals {
			if refused := l.contractRefuses(t, http.MethodPost, l.pairing+"/replications", body); refused == passes[name] {
				t.Errorf("%s: the description refuses it: %v", name, refused)
			}
		}
		if l.contractRefuses(t, http.MethodPost, l.pairing+"/replications", []any{good}) {
			t.Error("the description refuses what is good")
		}
	})
}

// contractRefuses asks the API description, in front of a handler that takes everything.
func (l *lab) contractRefuses(t *testing.T, method, path string, body any) bool {
	t.Helper()
	contract, kept := vrcontract.Load(t), &failures{TB: t}
	open := *l
	open.http = &http.Client{Transport: contract.Requests(kept, stub{})}
	if _, err := open.try(t.Context(), method, path, body); err != nil {
		t.Fatal(err)
	}
	return kept.n > 0
}

// failures counts what would fail a test.
type failures struct {
	testing.TB
	n int
}

// Errorf counts.
func (f *failures) Errorf(string, ...any) { f.n++ }

// stub answers everything with nothing.
type stub struct{}

// RoundTrip answers.
func (stub) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{}, Body: http.NoBody}, nil
}

func TestForm_accepted(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	bodies := []map[string]any{
		with(l.spec(t, 0), "rpo", 5),
		with(l.spec(t, 1), "rpo", 1440),
		with(l.spec(t, 2), "a_later_field", map[string]any{"x": 1}, "target_replication_server_id", nil),
	}
	for i, body := range bodies {
		if i == 2 { // the description, made tight for clients, refuses the unknown field
			break
		}
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{body}).want(t, http.StatusAccepted)
	}
	if r := l.Replications(); len(r) != 2 || r[0].RPOMinutes != 5 || r[1].RPOMinutes != 1440 {
		t.Errorf("%+v", r)
	}
}

func TestForm_unknownField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		strict bool
		want   int
	}{{false, http.StatusAccepted}, {true, http.StatusBadRequest}} {
		l := connect(t, gateway.Config{Wrap: loose, Switches: gateway.Switches{RejectUnknownFields: test.strict}})
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(l.spec(t, 0), "a_later_field", 1)}).
			want(t, test.want)
	}
}

func TestForm_enhanced(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Wrap: loose, Switches: gateway.Switches{Enhanced: true, RejectUnknownFields: true}})
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(l.spec(t, 0), "rpo", 0)}).
		want(t, http.StatusBadRequest)
	enhanced := with(l.spec(t, 0), "rpo", 1, "enhanced_replication", true)
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{enhanced}).
		want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	if a := l.get(t, l.replication(t, 0)); a.number(t, "rpo") != 1 || a.at(t, "enhanced_replication") != true {
		t.Errorf("%s", a.raw)
	}
}

func TestForm_headers(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	path, body := l.pairing+"/replications", []any{l.spec(t, 0)}
	kind := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Content-Type", value) }
	}
	l.send(t, http.MethodPost, path, body, func(r *http.Request) { r.Header.Del("Content-Type") }).
		want(t, http.StatusBadRequest)
	l.send(t, http.MethodPost, path, body, kind("text/plain")).want(t, http.StatusBadRequest)
	l.call(t, http.MethodPost, path, nil).want(t, http.StatusBadRequest)
	l.call(t, http.MethodPost, path, bytes.Repeat([]byte(" "), 1<<20+1)).want(t, http.StatusBadRequest)
	l.send(t, http.MethodPost, path, body, kind("application/json;charset=UTF-8")).want(t, http.StatusAccepted)
}

// TestForm_parameters: parameters of lists and flags, and ids in the path.
func TestForm_parameters(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	replication := l.configured(t, 0)
	list := l.pairing + "/replications?"
	vms := l.pairing + "/vcenters/" + l.LocalVCenterID() + "/vms"
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, list + "limit=abc", 400},
		{http.MethodGet, list + "limit=-1", 400},
		{http.MethodGet, list + "limit=0", 400},
		{http.MethodGet, list + "limit=1.5", 400},
		{http.MethodGet, list + "limit=1&offset=x", 400},
		{http.MethodGet, list + "limit=1&offset=-1", 400},
		{http.MethodGet, list + "offset=1", 400},
		{http.MethodGet, list + "filter_property=name", 400},
		{http.MethodGet, list + "filter=web-0001", 400},
		{http.MethodGet, list + "filter_property=nothing&filter=x", 400},
		{http.MethodGet, list + "order_by=asc", 400},
		{http.MethodGet, list + "sort_by=name&order_by=up", 400},
		{http.MethodGet, list + "sort_by=nothing", 400},
		{http.MethodGet, list + "extended_info=yes", 400},
		{http.MethodGet, list + "source_vc_guid=vc-1", 400},
		{http.MethodGet, l.pairing + "/replications/issues?source_vc_guid=vc-1", 400},
		{http.MethodGet, l.pairing + "/vcenters/vc-1/vms", 400},
		{http.MethodGet, vms + "?suitable_for_replication=1", 400},
		{http.MethodGet, "/pairings/pairing-1/replications", 400},
		{http.MethodPost, replication + "/actions/unconfigure?retain_replica_disks=maybe", 400},
		{http.MethodDelete, replication + "?retain_replica_disks=maybe", 400},
		{http.MethodGet, "/pairings/" + l.LocalVCenterID(), 404}, // a UUID of something else
		{http.MethodGet, l.pairing + "/vcenters/" + l.PairingID() + "/vms", 404},
		{http.MethodGet, vms + "/VirtualMachine:vm-1:" + l.RemoteVCenterID() + "/disks", 404},
		{http.MethodGet, l.pairing + "/replications/nothing", 404},
		{http.MethodGet, "/tasks/nothing", 404},
		{http.MethodGet, list + "nonsense=1", 200},
		{http.MethodGet, list + "limit=1&offset=0&sort_by=status.status&order_by=descending", 200},
		{http.MethodGet, list + "source_vc_guid=" + strings.ToUpper(l.LocalVCenterID()), 200},
		{http.MethodGet, "/pairings/" + strings.ToUpper(l.PairingID()) + "/replications", 200},
	} {
		a := l.call(t, test.method, test.path, nil)
		if a.status != test.want || (test.want == http.StatusNotFound && len(a.raw) > 0) {
			t.Errorf("%s %s is answered %d %s, want %d", test.method, test.path, a.status, a.raw, test.want)
		}
	}
	if len(l.Replications()) != 1 {
		t.Error("a bad flag ended the replication")
	}
	t.Run("contract", func(t *testing.T) {
		t.Parallel()
		// Of these the description knows the form; of limit and offset, and of what goes together, it does not.
		for _, path := range []string{
			list + "extended_info=yes", list + "source_vc_guid=vc-1", l.pairing + "/replications/issues?source_vc_guid=vc-1",
			l.pairing + "/vcenters/vc-1/vms", vms + "?suitable_for_replication=1x",
		} {
			if !l.contractRefuses(t, http.MethodGet, path, nil) {
				t.Errorf("the description lets %s pass", path)
			}
		}
		for _, path := range []string{list + "limit=abc", list + "offset=1", list + "filter=x"} {
			if l.contractRefuses(t, http.MethodGet, path, nil) {
				t.Errorf("the description refuses %s by now: the comment above is out of date", path)
			}
		}
	})
}

// TestPaths: nothing but the operations of the API is served.
func TestPaths(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Wrap: loose})
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/tasks/", 404},
		{http.MethodGet, "/pairings//replications", 404},
		{http.MethodGet, "/nothing", 404},
		{http.MethodGet, "", 404},
		{http.MethodPut, "/pairings", 405},
		{http.MethodPost, "/pairings", 501},
		{http.MethodPost, "/replication-servers", 501},
		{http.MethodGet, "/tasks/%zz", 400},
	} {
		a, err := l.try(t.Context(), test.method, test.path, nil)
		if test.want == 400 {
			if err == nil {
				t.Errorf("%s went out", test.path)
			}
			continue
		}
		if err != nil || a.status != test.want {
			t.Errorf("%s %s is answered %d, %v; want %d", test.method, test.path, a.status, err, test.want)
		}
	}
}
