package snapservice

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
)

const sessionHeader = "vmware-api-session-id"

func (a *Appliance) serveSession(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := r.Header.Get(sessionHeader)
	switch {
	case r.Method == http.MethodPost && a.accepts(r.Header.Get("Authorization")):
		id = a.id("secret-session")
		a.sessions[id] = true
		a.logins++
		writeJSON(w, http.StatusCreated, id)
	case r.Method == http.MethodDelete && a.sessions[id]:
		delete(a.sessions, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		answerError(w, refuse("UNAUTHENTICATED", "The token or session is not valid."))
	}
}

// accepts reports whether a header has a SAML token in the required format.
func (a *Appliance) accepts(header string) bool {
	value, ok := strings.CutPrefix(header, "SIGN token=")
	if quoted := strings.HasPrefix(value, `"`); !ok || quoted == a.config.Switches.Unquoted {
		return false
	}
	zipped, err := base64.StdEncoding.DecodeString(strings.Trim(value, `"`))
	if err != nil {
		return false
	}
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return false
	}
	token, err := io.ReadAll(io.LimitReader(reader, 1<<20))
	return err == nil && strings.Contains(string(token), "Assertion")
}

// Sessions returns the number of open sessions and of all sessions so far.
func (a *Appliance) Sessions() (open, ever int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.sessions), a.logins
}

// ExpireSessions ends all sessions.
func (a *Appliance) ExpireSessions() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.sessions)
}
