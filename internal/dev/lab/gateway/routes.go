package gateway

import (
	"net/http"
	"path"
	"slices"
	"time"
)

// Base is the base path of the API.
const Base = "/api/rest/vr/v2"

type remoteNeed int

const (
	noNeed    remoteNeed = iota
	isPartial            // the response omits the remote site's data
	isError              // the request fails
	bySide               // the request fails if it concerns the remote site
)

type operation struct {
	method, id, path string
	// login is how the operation responds without a remote session. up is how it responds if the remote site is not up.
	login, up remoteNeed
	answer    func(*call)
}

const (
	inPairing     = "/pairings/{pairing_id}"
	inVCenter     = inPairing + "/vcenters/{vcenter_id}"
	inServers     = inPairing + "/vrs/{vr_id}/replication-servers"
	inReplication = inPairing + "/replications/{replication_id}"
	inVM          = inVCenter + "/vms/{vm_id}"
)

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
		{post, "getSeedsForDisks", inVCenter + "/datastores/{datastore_id}/actions/find-seeds", bySide, bySide, g.findSeeds},
		{get, "getVcStoragePolicies", inVCenter + "/storage-policies", bySide, bySide, g.listPolicies},
		{
			post,
			"checkStoragePolicyCompliance",
			inVCenter + "/storage-policies/{storage_policy_id}/actions/check-compliance",
			bySide,
			bySide,
			g.checkCompliance,
		},

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

		{get, "getRecentTasksInfo", "/tasks", noNeed, noNeed, g.listTasks},
		{get, "getTaskInfo", "/tasks/{task_id}", noNeed, noNeed, g.getTask},
	}
}

func (g *Gateway) route() {
	g.mux, g.kinds = http.NewServeMux(), map[string]string{}
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

func isClean(r *http.Request) bool { return path.Clean(r.URL.EscapedPath()) == r.URL.EscapedPath() }

func (g *Gateway) kind(r *http.Request) string {
	if _, pattern := g.mux.Handler(r); isClean(r) && g.kinds[pattern] != "" {
		return g.kinds[pattern]
	}
	return r.Method + " " + r.URL.Path
}

const sessionHeader = "x-dr-session"

type session struct {
	id            string
	user          string
	created, used time.Duration
	remotes       map[string]*remoteSession // by pairing ID
}

type remoteSession struct {
	user          string
	created, used time.Duration
}

type sessions struct {
	active map[string]*session
	opened []string
}

func newSessions() sessions { return sessions{active: map[string]*session{}} }

func (g *Gateway) expired(created, used time.Duration) bool {
	now, s := g.engine.Now(), g.config.Switches
	return (s.SessionTTL > 0 && now-created >= s.SessionTTL) || (s.SessionIdle > 0 && now-used >= s.SessionIdle)
}

func (s *sessions) open(g *Gateway, id string) *session {
	found := s.active[id]
	if found == nil {
		return nil
	}
	if g.expired(found.created, found.used) {
		delete(s.active, id)
		return nil
	}
	found.used = g.engine.Now()
	return found
}

func (s *sessions) remote(g *Gateway, local *session, pairing string) bool {
	if g.isSelf(pairing) {
		return true
	}
	found := local.remotes[pairing]
	if found == nil {
		return false
	}
	if g.expired(found.created, found.used) {
		delete(local.remotes, pairing)
		return false
	}
	found.used = g.engine.Now()
	return true
}

func (g *Gateway) login(c *call) {
	user, password, ok := c.r.BasicAuth()
	if !ok || user != g.config.User || password != g.config.Password {
		g.writeStatus(c, http.StatusUnauthorized)
		return
	}
	now := g.engine.Now()
	s := &session{id: g.uuid(), user: user, created: now, used: now, remotes: map[string]*remoteSession{}}
	g.sessions.active[s.id] = s
	g.sessions.opened = append(g.sessions.opened, s.id)
	g.writeJSON(c, http.StatusOK, map[string]string{"session_id": s.id})
}

func (g *Gateway) whoAmI(c *call) {
	g.writeJSON(c, http.StatusOK, map[string]string{"username": c.session.user})
}

func (g *Gateway) logout(c *call) {
	delete(g.sessions.active, c.session.id)
	g.writeStatus(c, http.StatusNoContent)
}

func (g *Gateway) remoteLogin(c *call) {
	user, password, ok := c.r.BasicAuth()
	wantUser, wantPassword := g.config.RemoteUser, g.config.RemotePassword
	if g.isSelf(c.r.PathValue("pairing_id")) {
		wantUser, wantPassword = g.config.User, g.config.Password
	}
	if !ok || user != wantUser || password != wantPassword {
		g.writeStatus(c, http.StatusUnauthorized)
		return
	}
	now := g.engine.Now()
	c.session.remotes[c.r.PathValue("pairing_id")] = &remoteSession{user: user, created: now, used: now}
	g.writeStatus(c, http.StatusNoContent)
}

func (g *Gateway) remoteWhoAmI(c *call) {
	user := c.session.user
	if remote := c.session.remotes[c.r.PathValue("pairing_id")]; remote != nil {
		user = remote.user
	}
	g.writeJSON(c, http.StatusOK, map[string]string{"username": user})
}

// Sessions returns the number of active sessions.
func (g *Gateway) Sessions() int {
	defer g.lock()()
	n := 0
	for _, s := range g.sessions.active {
		if !g.expired(s.created, s.used) {
			n++
		}
	}
	return n
}

// SessionIDs returns the IDs of all sessions ever opened, for tests that search for leaked IDs.
func (g *Gateway) SessionIDs() []string {
	defer g.lock()()
	return slices.Clone(g.sessions.opened)
}

// ExpireSessions ends all sessions.
func (g *Gateway) ExpireSessions() {
	defer g.lock()()
	clear(g.sessions.active)
}

// ExpireRemoteSessions ends the remote sessions but keeps the local ones.
func (g *Gateway) ExpireRemoteSessions() {
	defer g.lock()()
	for _, s := range g.sessions.active {
		clear(s.remotes)
	}
}
