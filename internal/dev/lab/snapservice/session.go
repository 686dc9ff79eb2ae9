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

// acceptsToken reports whether a header contains a token in the expected form.
func (a *Appliance) acceptsToken(header string) bool {
	value, ok := strings.CutPrefix(header, "SIGN token=")
	isQuoted := strings.HasPrefix(value, `"`)
	if !ok || isQuoted == a.config.Switches.Unquoted {
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
