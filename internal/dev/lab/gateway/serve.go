package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Access is an entry in the access log.
type Access struct {
	At        time.Time
	Operation string
	Status    int
}

type call struct {
	w       http.ResponseWriter
	r       *http.Request
	op      *operation
	body    []byte
	session *session
	// missing is set if the response omits the remote site's data.
	missing bool
}

const maxBody = 1 << 20

// Handler returns the API handler with the access log, the traffic control and the changes set by ChangeAnswers.
func (g *Gateway) Handler() http.Handler {
	var api http.Handler = http.HandlerFunc(g.find)
	if g.config.Wrap != nil {
		api = g.config.Wrap(api)
	}
	return g.logged(g.traffic.Wrap(g.changeAnswers(api)))
}

func (g *Gateway) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusWriter{ResponseWriter: w}
		defer func() { g.logAccess(g.kind(r), seen.status) }()
		next.ServeHTTP(seen, r)
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// serve handles one request at a time, because a single lock protects the entire state.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, op *operation) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	defer g.lock()()
	g.tick()
	c := &call{w: w, r: r, op: op, body: body}
	if err != nil {
		g.writeError(c, http.StatusBadRequest, "BODY_TOO_LARGE", "The body is larger than 1 MiB or could not be read.")
		return
	}
	if g.admit(c) {
		op.answer(c)
	}
}

func (g *Gateway) admit(c *call) bool {
	if !g.limiter.allow(g, c) {
		return false
	}
	if c.op.id != "login" {
		c.session = g.sessions.open(g, c.r.Header.Get(sessionHeader))
		if c.session == nil {
			g.writeStatus(c, http.StatusUnauthorized)
			return false
		}
	}
	if kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); g.config.Switches.RequireContentType &&
		kind != "application/json" {
		const message = "The content type must be application/json."
		g.writeError(c, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", message)
		return false
	}
	if g.denied[c.op.id] {
		g.writeError(c, http.StatusForbidden, "NO_PERMISSION", "The user lacks a privilege that this operation needs.")
		return false
	}
	return g.inPairing(c) && g.checkRemote(c)
}

func (g *Gateway) inPairing(c *call) bool {
	id := c.r.PathValue("pairing_id")
	if id == "" {
		return true
	}
	c.r.SetPathValue("pairing_id", strings.ToLower(id))
	switch {
	case !isUUID(id):
		g.writeBadRequest(c, "pairing_id is not a UUID")
	case !g.isPairing(id):
		g.writeStatus(c, http.StatusNotFound)
	default:
		return true
	}
	return false
}

func (g *Gateway) checkRemote(c *call) bool {
	if g.isSelf(c.r.PathValue("pairing_id")) && c.r.PathValue("pairing_id") != "" {
		return true
	}
	if away := g.remoteDown || g.disconnected && c.op.id != "reconnectVrPairing"; away && c.op.up != noNeed {
		if c.op.up == isError {
			g.writeRemoteDown(c)
			return false
		}
		c.missing = c.missing || c.op.up == isPartial
	}
	if c.op.login != noNeed && !g.sessions.remote(g, c.session, g.pairing) {
		if c.op.login == isError {
			g.writeNoRemoteSession(c)
			return false
		}
		c.missing = c.missing || c.op.login == isPartial
	}
	return true
}

func (g *Gateway) checkSite(c *call, s *site) bool {
	if s == g.local || g.isSelf(c.r.PathValue("pairing_id")) {
		return true
	}
	if g.isRemoteUnavailable() {
		g.writeRemoteDown(c)
		return false
	}
	if !g.sessions.remote(g, c.session, g.pairing) {
		g.writeNoRemoteSession(c)
		return false
	}
	return true
}

func (g *Gateway) writeRemoteDown(c *call) {
	g.writeError(c, g.config.Switches.DownStatus, "REMOTE_SITE_NOT_AVAILABLE", "The remote site does not answer.")
}

func (g *Gateway) writeNoRemoteSession(c *call) {
	const message = "There is no session with the remote site."
	g.writeError(c, g.config.Switches.RemoteStatus, "REMOTE_NOT_AUTHENTICATED", message)
}

func (g *Gateway) writeError(c *call, status int, code, message string) {
	if status == http.StatusUnauthorized || status == http.StatusNotFound {
		g.writeStatus(c, status)
		return
	}
	g.writeJSON(c, status, responseError{ErrorCode: code, Message: message, OpID: g.uuid()})
}

func (g *Gateway) writeBadRequest(c *call, message string) {
	g.writeError(c, http.StatusBadRequest, "INVALID_ARGUMENT", message)
}

func (g *Gateway) writeStatus(c *call, status int) { c.w.WriteHeader(status) }

func (g *Gateway) writeJSON(c *call, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	c.w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	c.w.WriteHeader(status)
	_, _ = c.w.Write(text)
}

func (g *Gateway) logAccess(kind string, status int) {
	defer g.lock()()
	at := Epoch.Add(g.engine.Now())
	g.log = append(g.log, Access{At: at, Operation: kind, Status: status})
}

// decodeBody decodes the body of a request. If it is invalid, decodeBody answers and returns false.
func (g *Gateway) decodeBody(c *call, into any) bool {
	err := json.Unmarshal(c.body, into)
	var elements []json.RawMessage
	_ = json.Unmarshal(c.body, &elements) // remains empty for an object
	isNull := func(text json.RawMessage) bool { return string(bytes.TrimSpace(text)) == "null" }
	hasNull := isNull(c.body) || slices.ContainsFunc(elements, isNull)
	if err == nil && hasNull {
		err = errors.New("the body or one of its elements is null")
	}
	if err != nil {
		g.writeBadRequest(c, err.Error())
	}
	return err == nil
}

func (g *Gateway) lock() (unlock func()) {
	g.mu.Lock()
	return g.mu.Unlock
}
