package gateway

import (
	"net/http"
	"path"
)

// Base is the base path of the API.
const Base = "/api/rest/vr/v2"

// remoteNeed is how an operation responds without the remote site.
type remoteNeed int

const (
	noNeed    remoteNeed = iota
	isPartial            // the response omits the remote site's data
	isError              // the request fails
	bySide               // the request fails if it concerns the remote site
)

// operation is an operation of the API. Its ID is that of the vendor's document.
type operation struct {
	method string
	id     string
	path   string
	// login is how the operation responds without a remote session. up is how it responds if the remote site is not up.
	login  remoteNeed
	up     remoteNeed
	answer func(*call)
}

const (
	inPairing     = "/pairings/{pairing_id}"
	inVCenter     = inPairing + "/vcenters/{vcenter_id}"
	inServers     = inPairing + "/vrs/{vr_id}/replication-servers"
	inReplication = inPairing + "/replications/{replication_id}"
	inMappings    = inPairing + "/vrs/{vr_id}/replication-mappings"
	inVM          = inVCenter + "/vms/{vm_id}"

	seedsPath        = inVCenter + "/datastores/{datastore_id}/actions/find-seeds"
	compliancePath   = inVCenter + "/storage-policies/{storage_policy_id}/actions/check-compliance"
	capabilitiesPath = inPairing + "/replication-capabilities"
)

// table returns the operations. Each row has the fields of operation in their order.
func (g *Gateway) table() []operation {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	return []operation{
		{post, "login", "/session", noNeed, noNeed, g.login},
		{get, "getCurrentSession", "/session", noNeed, noNeed, g.whoAmI},
		{del, "logout", "/session", noNeed, noNeed, g.logout},

		{get, "getVrPairings", "/pairings", isPartial, isPartial, g.listPairings},
		{get, "getVrPairing", inPairing, isPartial, isPartial, g.getPairing},
		{post, "reconnectVrPairing", inPairing + "/actions/reconnect", noNeed, isError, g.reconnect},
		{get, "getRemoteSession", inPairing + "/remote-session", isError, isError, g.remoteWhoAmI},
		{post, "createRemoteSession", inPairing + "/remote-session", noNeed, isError, g.remoteLogin},

		{get, "getAllVrServersInPairing", inServers, bySide, bySide, g.listServers},

		{get, "getLocalVms", inVCenter + "/vms", bySide, bySide, g.listVMs},
		{get, "getVmCapability", inVM + "/capability", bySide, bySide, g.capability},
		{get, "getLocalVmDisks", inVM + "/disks", bySide, bySide, g.listVMDisks},
		{get, "getVrCapableTargetDatastores", inVCenter + "/datastores", bySide, bySide, g.listDatastores},
		{post, "getSeedsForDisks", seedsPath, bySide, bySide, g.findSeeds},
		{get, "getVcStoragePolicies", inVCenter + "/storage-policies", bySide, bySide, g.listPolicies},
		{post, "checkStoragePolicyCompliance", compliancePath, bySide, bySide, g.checkCompliance},

		{get, "getAllReplications", inPairing + "/replications", isPartial, isPartial, g.listReplications},
		{post, "configureReplication", inPairing + "/replications", isError, isError, g.configure},
		{get, "getReplicationsIssues", inPairing + "/replications/issues", bySide, bySide, g.replicationIssues},
		{get, "getReplicationInfo", inReplication, isPartial, isPartial, g.getReplication},
		{del, "destroyReplication", inReplication, noNeed, noNeed, g.destroy},
		{get, "getReplicatedVmDisks", inReplication + "/disks", isPartial, isPartial, g.listReplicatedDisks},
		{post, "pauseReplication", inReplication + "/actions/pause", isError, isError, g.pause},
		{post, "resumeReplication", inReplication + "/actions/resume", isError, isError, g.resume},
		{post, "syncReplication", inReplication + "/actions/sync", noNeed, isError, g.sync},
		{post, "reconfigureReplication", inReplication + "/actions/reconfigure", isError, isError, g.reconfigure},
		{post, "unconfigureReplication", inReplication + "/actions/unconfigure", isError, isError, g.unconfigure},

		{get, "getReplicationMappings", inMappings, isError, isError, g.listMappings},
		{post, "runReplicationMappingsTests", inMappings + "/actions/run-tests", isError, isError, g.testMappings},
		{get, "getReplicationCapabilities", capabilitiesPath, isError, isError, g.replicationCapabilities},
		{get, "getActiveReplicationImage", inReplication + "/active-image", isError, isError, g.activeImage},

		{get, "getRecentTasksInfo", "/tasks", noNeed, noNeed, g.listTasks},
		{get, "getTaskInfo", "/tasks/{task_id}", noNeed, noNeed, g.getTask},
	}
}

func (g *Gateway) route() {
	g.mux = http.NewServeMux()
	g.kinds = map[string]string{}
	for _, op := range g.table() {
		pattern := op.method + " " + Base + op.path
		g.kinds[pattern] = op.id
		g.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, &op) })
	}
}

func (g *Gateway) find(w http.ResponseWriter, r *http.Request) {
	if !isClean(r) {
		http.NotFound(w, r)
		return
	}
	g.mux.ServeHTTP(w, r)
}

// isClean reports whether the mux would serve a path without a redirect.
func isClean(r *http.Request) bool { return path.Clean(r.URL.EscapedPath()) == r.URL.EscapedPath() }

// kind returns the ID of the operation of a request, or its method and path.
func (g *Gateway) kind(r *http.Request) string {
	if _, pattern := g.mux.Handler(r); isClean(r) && g.kinds[pattern] != "" {
		return g.kinds[pattern]
	}
	return r.Method + " " + r.URL.Path
}

func (g *Gateway) remoteWhoAmI(c *call) {
	user := c.session.user
	if remote := c.session.remotes[c.r.PathValue("pairing_id")]; remote != nil {
		user = remote.user
	}
	g.writeJSON(c, http.StatusOK, map[string]string{"username": user})
}
