package gateway

import (
	"net/http"
	"slices"
	"time"
)

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
	now := g.engine.Now()
	s := g.config.Switches
	tooOld := s.SessionTTL > 0 && now-created >= s.SessionTTL
	tooIdle := s.SessionIdle > 0 && now-used >= s.SessionIdle
	return tooOld || tooIdle
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
	wantUser := g.config.RemoteUser
	wantPassword := g.config.RemotePassword
	if g.isSelf(c.r.PathValue("pairing_id")) {
		wantUser = g.config.User
		wantPassword = g.config.Password
	}
	if !ok || user != wantUser || password != wantPassword {
		g.writeStatus(c, http.StatusUnauthorized)
		return
	}
	now := g.engine.Now()
	c.session.remotes[c.r.PathValue("pairing_id")] = &remoteSession{user: user, created: now, used: now}
	g.writeStatus(c, http.StatusNoContent)
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
