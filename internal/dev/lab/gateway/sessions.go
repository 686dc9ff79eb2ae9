// Sessions: a local one for each login, and under it one with the remote site of each pairing.

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
	remotes       map[string]*remoteSession // by pairing
}

type remoteSession struct {
	user          string
	created, used time.Duration
}

type sessions struct {
	live map[string]*session
	ever []string
}

func newSessions() sessions { return sessions{live: map[string]*session{}} }

// expired reports whether a lifetime has ended by now.
func (g *Gateway) expired(created, used time.Duration) bool {
	now, s := g.engine.Now(), g.config.Switches
	return (s.SessionTTL > 0 && now-created >= s.SessionTTL) || (s.SessionIdle > 0 && now-used >= s.SessionIdle)
}

// open returns the session with the id, if there is one that lives, and notes its use.
func (s *sessions) open(g *Gateway, id string) *session {
	found := s.live[id]
	if found == nil {
		return nil
	}
	if g.expired(found.created, found.used) {
		delete(s.live, id)
		return nil
	}
	found.used = g.engine.Now()
	return found
}

// remote reports whether a session has one with the remote site of a pairing, and notes its use.
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
		g.empty(c, http.StatusUnauthorized)
		return
	}
	now := g.engine.Now()
	s := &session{id: g.uuid(), user: user, created: now, used: now, remotes: map[string]*remoteSession{}}
	g.sessions.live[s.id] = s
	g.sessions.ever = append(g.sessions.ever, s.id)
	g.write(c, http.StatusOK, map[string]string{"session_id": s.id})
}

func (g *Gateway) whoAmI(c *call) {
	g.write(c, http.StatusOK, map[string]string{"username": c.session.user})
}

func (g *Gateway) logout(c *call) {
	delete(g.sessions.live, c.session.id)
	g.empty(c, http.StatusNoContent)
}

func (g *Gateway) remoteLogin(c *call) {
	user, password, ok := c.r.BasicAuth()
	wantUser, wantPassword := g.config.RemoteUser, g.config.RemotePassword
	if g.isSelf(c.r.PathValue("pairing_id")) {
		wantUser, wantPassword = g.config.User, g.config.Password
	}
	if !ok || user != wantUser || password != wantPassword {
		g.empty(c, http.StatusUnauthorized)
		return
	}
	now := g.engine.Now()
	c.session.remotes[c.r.PathValue("pairing_id")] = &remoteSession{user: user, created: now, used: now}
	g.empty(c, http.StatusNoContent)
}

func (g *Gateway) whoAmIThere(c *call) {
	user := c.session.user
	if remote := c.session.remotes[c.r.PathValue("pairing_id")]; remote != nil {
		user = remote.user
	}
	g.write(c, http.StatusOK, map[string]string{"username": user})
}

// Sessions is the number of sessions that live.
func (g *Gateway) Sessions() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, s := range g.sessions.live {
		if !g.expired(s.created, s.used) {
			n++
		}
	}
	return n
}

// SessionIDs returns the id of every session that there ever was, for tests that check that none leaks.
func (g *Gateway) SessionIDs() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.sessions.ever)
}

// ExpireSessions ends all sessions.
func (g *Gateway) ExpireSessions() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.sessions.live)
}

// ExpireRemoteSessions ends the sessions with remote sites and leaves the local ones.
func (g *Gateway) ExpireRemoteSessions() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions.live {
		clear(s.remotes)
	}
}
