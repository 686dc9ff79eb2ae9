package gateway_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

// unimplemented are the operations that answer 501.
var unimplemented = []string{
	"deleteVrPairing",
	"pairVr",
	"reconnectVrServer",
	"reconnectVrServerInPairing",
	"registerVrServer",
	"registerVrServerInPairing",
	"unregisterVrServer",
	"unregisterVrServerInPairing",
}

type claim struct {
	operation, method, path string
	body                    any
	status                  int
	// bad is a path or a body that is wrong by form, where there is one; unknown a path with an id of nothing.
	badPath, unknown string
	bad              any
}

func reconfiguration(spec map[string]any) map[string]any {
	delete(spec, "vm_id")
	delete(spec, "target_vc_id")
	return spec
}

func (l *lab) peer() map[string]any {
	return map[string]any{
		"pair_vc_id": l.RemoteVCenterID(),
		"pair_psc_info": map[string]any{
			"url": "vc.recovery.lab", "port": 443, "thumbprint": l.RemoteThumbprint(),
			"username": l.RemoteUser(), "password": l.RemotePassword(),
		},
	}
}

// read is a GET that is answered 200.
func read(operation, path, unknown, badPath string) claim {
	return claim{
		operation: operation, method: http.MethodGet, path: path, status: http.StatusOK, unknown: unknown, badPath: badPath,
	}
}

// write is a POST that is answered 202.
func write(operation, path, unknown string, body, bad any) claim {
	return claim{
		operation: operation, method: http.MethodPost, path: path, body: body, status: http.StatusAccepted,
		unknown: unknown, bad: bad,
	}
}

func (l *lab) claims(t *testing.T) []claim {
	t.Helper()
	const post, del = http.MethodPost, http.MethodDelete
	local, remote := l.pairing+"/vcenters/"+l.LocalVCenterID(), l.pairing+"/vcenters/"+l.RemoteVCenterID()
	other := "/pairings/" + l.LocalVCenterID()
	vrs := l.pairing + "/vrs/" + l.get(t, l.pairing).text(t, "remote_vrms.id")
	own := l.get(t, "/replication-servers").text(t, "list.0.id")
	vm, datastore := "/vms/"+url.PathEscape(l.vm(1)), remote+"/datastores/"+url.PathEscape(l.datastore())
	none := l.pairing + "/replications/none"
	replication := l.configured(t, 0)
	task := l.get(t, "/tasks").text(t, "list.0.id")
	policy := remote + "/storage-policies/dsbrowser.defaultStoragePolicy/actions/check-compliance"
	seeds := []any{map[string]any{"vm_disk": map[string]any{"vm_id": l.vm(0), "device_key": 2000}}}
	again := reconfiguration(l.spec(t, 0))
	peer := l.peer()
	return []claim{
		read("getCurrentSession", "/session", "", ""),
		read("getVrInfo", "/info", "", ""),
		read("getVrPairings", "/pairings", "", "/pairings?limit=x"),
		read("getVrPairing", l.pairing, other, "/pairings/x"),
		read("getVrPairingIssues", l.pairing+"/issues", other+"/issues", l.pairing+"/issues?limit=x"),
		{
			operation: "createRemoteSession", method: post, path: l.pairing + "/remote-session",
			status: 204, unknown: other + "/remote-session",
		},
		read("getRemoteSession", l.pairing+"/remote-session", other+"/remote-session", ""),
		write("reconnectVrPairing", l.pairing+"/actions/reconnect",
			other+"/actions/reconnect", peer, map[string]any{"pair_vc_id": l.RemoteVCenterID()}),
		read("getAllVrDetailsInPairing", l.pairing+"/vrs", other+"/vrs", ""),
		read("getVrInfoInPairing", vrs, l.pairing+"/vrs/none", ""),
		read("getAllVrServersInPairing", vrs+"/replication-servers",
			l.pairing+"/vrs/none/replication-servers", vrs+"/replication-servers?limit=x"),
		read("getVrServerInPairing", vrs+"/replication-servers/"+url.PathEscape(l.ServerIDs()[0]),
			vrs+"/replication-servers/none", ""),
		read("getAllVrServers", "/replication-servers", "", "/replication-servers?limit=x"),
		read("getVrServer", "/replication-servers/"+url.PathEscape(own), "/replication-servers/none", ""),
		read("getLocalVms", local+"/vms",
			l.pairing+"/vcenters/"+l.PairingID()+"/vms", local+"/vms?limit=x"),
		read("getLocalVmDisks", local+vm+"/disks", local+"/vms/none/disks", local+vm+"/disks?limit=x"),
		read("getVmCapability", local+vm+"/capability",
			local+"/vms/none/capability", l.pairing+"/vcenters/x"+vm+"/capability"),
		read("getVrCapableTargetDatastores", remote+"/datastores",
			l.pairing+"/vcenters/"+l.PairingID()+"/datastores", remote+"/datastores?limit=x"),
		{
			operation: "browseDatastore", method: post, path: datastore + "/actions/browse", status: 200,
			unknown: remote + "/datastores/none/actions/browse",
			body:    map[string]any{"query_type": "FOLDERS"}, bad: map[string]any{"query_type": "DVD"},
		},
		{
			operation: "getSeedsForDisks", method: post, path: datastore + "/actions/find-seeds", body: seeds,
			status: 200, unknown: remote + "/datastores/none/actions/find-seeds", bad: map[string]any{},
		},
		read("getVcStoragePolicies", remote+"/storage-policies",
			l.pairing+"/vcenters/"+l.PairingID()+"/storage-policies", remote+"/storage-policies?limit=x"),
		{
			operation: "checkStoragePolicyCompliance", method: post, path: policy, body: []string{l.datastore()},
			status: 200, unknown: remote + "/storage-policies/none/actions/check-compliance", bad: []any{1},
		},
		write("configureReplication", l.pairing+"/replications",
			other+"/replications", []any{l.spec(t, 1)}, map[string]any{}),
		read("getAllReplications", l.pairing+"/replications?extended_info=true",
			other+"/replications", l.pairing+"/replications?limit=x"),
		read("getReplicationsCount", l.pairing+"/replications/count", other+"/replications/count", ""),
		read("getReplicationsIssues", l.pairing+"/replications/issues",
			other+"/replications/issues", l.pairing+"/replications/issues?limit=x"),
		read("getReplicationInfo", replication, none, ""),
		read("getReplicatedVmDisks", replication+"/disks", none+"/disks", replication+"/disks?limit=x"),
		write("pauseReplication", replication+"/actions/pause", none+"/actions/pause", nil, nil),
		write("resumeReplication", replication+"/actions/resume", none+"/actions/resume", nil, nil),
		write("syncReplication", replication+"/actions/sync", none+"/actions/sync", nil, nil),
		write("reconfigureReplication", replication+"/actions/reconfigure",
			none+"/actions/reconfigure", again, []any{}),
		{
			operation: "unconfigureReplication", method: post, path: replication + "/actions/unconfigure",
			status: 202, unknown: none + "/actions/unconfigure",
			badPath: replication + "/actions/unconfigure?retain_replica_disks=x",
		},
		{
			operation: "destroyReplication", method: del, path: replication,
			status: 202, unknown: none, badPath: replication + "?retain_replica_disks=x",
		},
		read("getRecentTasksInfo", "/tasks", "", "/tasks?limit=x"),
		read("getTaskInfo", "/tasks/"+task, "/tasks/none", ""),
		{operation: "logout", method: del, path: "/session", status: 204},
	}
}

// TestCoverage provokes every answer that the appliance claims at least once, and checks it against the contract.
func TestCoverage(t *testing.T) {
	t.Parallel()
	contract := vrcontract.Load(t)
	l := connect(t, gateway.Config{Wrap: func(next http.Handler) http.Handler { return contract.Middleware(t, next) }})
	remote := basic(l.RemoteUser(), l.RemotePassword())
	claimed := []vrcontract.Exchange{{Operation: "login", Status: 200}, {Operation: "login", Status: 401}}
	l.send(t, http.MethodPost, "/session", nil, basic(l.User(), "wrong")).want(t, http.StatusUnauthorized)
	want := func(c claim, status int, path string, body any) {
		t.Helper()
		claimed = append(claimed, vrcontract.Exchange{Operation: c.operation, Status: status})
		a := l.send(t, c.method, path, body, func(r *http.Request) {
			if c.operation == "createRemoteSession" {
				remote(r)
			}
		})
		assert.Equal(t, status, a.status, c.operation)
	}
	for _, c := range l.claims(t) {
		session := l.session
		l.session = "" // no session
		want(c, http.StatusUnauthorized, c.path, c.body)
		l.session = session
		// Several operations have no 403 in the description.
		if slices.Contains(contract.Statuses(c.operation), "403") {
			l.Deny(c.operation)
			want(c, http.StatusForbidden, c.path, c.body)
			l.Allow()
		}
		if c.unknown != "" {
			want(c, http.StatusNotFound, c.unknown, c.body)
		}
		if c.badPath != "" {
			want(c, http.StatusBadRequest, c.badPath, c.body)
		}
		if c.bad != nil {
			want(c, http.StatusBadRequest, c.path, c.bad)
		}
		l.RemoteDown(true)
		if op := c.operation; strings.HasSuffix(c.path, "/remote-session") || op == "reconnectVrPairing" ||
			(strings.HasSuffix(op, "Replication") && op != "destroyReplication") ||
			strings.Contains(c.path, l.RemoteVCenterID()+"/") ||
			strings.Contains(c.path, "/vrs/") && strings.Contains(c.path, "/replication-servers") {
			want(c, http.StatusInternalServerError, c.path, c.body)
		}
		l.RemoteDown(false)
		want(c, c.status, c.path, c.body)
		if c.status == http.StatusAccepted && c.operation != "configureReplication" &&
			c.operation != "unconfigureReplication" {
			l.Advance(5 * time.Second)
		}
	}
	reached := contract.Exchanges()
	for _, c := range claimed {
		assert.True(t, slices.Contains(reached, c),
			"%s %d is claimed and was not seen, or broke the contract", c.Operation, c.Status)
	}
	if got, want := len(contract.Reached())+len(unimplemented), len(contract.Operations()); got != want {
		t.Errorf("%d operations of %d are claimed or known to be missing", got, want)
	}
}

// TestUnimplemented: an operation that the appliance lacks is answered as such, with the session that it needs.
func TestUnimplemented(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Wrap: loose})
	vrs := l.pairing + "/vrs/x/replication-servers"
	paths := map[string]string{
		"pairVr":                      "POST /pairings",
		"deleteVrPairing":             "DELETE " + l.pairing,
		"registerVrServerInPairing":   "POST " + vrs,
		"unregisterVrServerInPairing": "DELETE " + vrs + "/y",
		"reconnectVrServerInPairing":  "POST " + vrs + "/y/actions/reconnect",
		"registerVrServer":            "POST /replication-servers",
		"unregisterVrServer":          "DELETE /replication-servers/y",
		"reconnectVrServer":           "POST /replication-servers/y/actions/reconnect",
	}
	for _, operation := range unimplemented {
		method, path, ok := strings.Cut(paths[operation], " ")
		require.True(t, ok, "no path of %s", operation)
		a := l.call(t, method, path, nil).
			want(t, http.StatusNotImplemented)
		assert.Equal(t, "NOT_IMPLEMENTED", a.text(t, "error_code"), operation)
		assert.Equal(t, 1, l.Traffic().Count(operation))
	}
}

// TestTable: the appliance's operations are those of the API description, at the same places.
func TestTable(t *testing.T) {
	t.Parallel()
	want := slices.Sorted(slices.Values(gateway.Operations()))
	assert.Equal(t, want, vrcontract.Load(t).Operations())
}

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

func disk(t *testing.T, spec map[string]any, i int, pairs ...any) map[string]any {
	t.Helper()
	disks, ok := spec["disks"].([]any)
	require.True(t, ok, "no disks in %v", spec)
	d, ok := disks[i].(map[string]any)
	require.True(t, ok, "no disk in %v", spec)
	changed := append([]any{}, disks...)
	changed[i] = with(d, pairs...)
	return with(spec, "disks", changed)
}

func vmDisk(t *testing.T, spec map[string]any, i int, pairs ...any) map[string]any {
	t.Helper()
	disks, ok := spec["disks"].([]any)
	require.True(t, ok, "no disks in %v", spec)
	d, ok := disks[i].(map[string]any)
	require.True(t, ok, "no disk in %v", spec)
	read, ok := d["vm_disk"].(map[string]any)
	require.True(t, ok, "no vm_disk in %v", d)
	return disk(t, spec, i, "vm_disk", with(read, pairs...))
}

// TestForm_configure: the appliance refuses bodies of the wrong form, and nothing happens.
func TestForm_configure(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{FailInTask: true}}) // form is never a task
	good := l.spec(t, 1)
	refusals := map[string]any{
		"an object":    good,
		"empty array":  []any{},
		"a string":     []any{"replicate this"},
		"null":         []any{nil},
		"half a body":  []byte(`[{"vm_id":`),
		"two bodies":   []byte(`[][]`),
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
		"disks empty":  []any{with(good, "disks", []any{})},
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
	for name, body := range refusals {
		a := l.call(t, http.MethodPost, l.pairing+"/replications", body)
		assert.True(t, a.status == http.StatusBadRequest && a.text(t, "op_id") != "" && a.text(t, "message") != "",
			"%s is answered %d %s", name, a.status, a.raw)
	}
	assert.Empty(t, l.Replications())
}
