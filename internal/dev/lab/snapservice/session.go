package snapservice

import (
	"net/http"
)

const sessionHeader = "vmware-api-session-id"

func (a *Appliance) serveSession(w http.ResponseWriter, r *http.Request) {
	defer a.lock()()
	id := r.Header.Get(sessionHeader)
	switch {
	case r.Method == http.MethodPost && a.acceptsToken(r.Header.Get("Authorization")):
		id = a.id("secret-session")
		a.sessions[id] = true
		a.logins++
		writeJSON(w, http.StatusCreated, id)
	case r.Method == http.MethodDelete && a.sessions[id]:
		delete(a.sessions, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		answerError(w, newRefusal("UNAUTHENTICATED", "The token or session is not valid."))
	}
}

// Sessions returns the number of open sessions and the number of sessions ever opened.
func (a *Appliance) Sessions() (open, ever int) {
	defer a.lock()()
	return len(a.sessions), a.logins
}

// ExpireSessions ends all sessions.
func (a *Appliance) ExpireSessions() {
	defer a.lock()()
	clear(a.sessions)
}
