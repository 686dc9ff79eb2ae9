package vcsim

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/soap"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

const (
	restSessionPath = "/rest/com/vmware/cis/session"
	apiSessionPath  = "/api/session"
	sessionHeader   = "vmware-api-session-id"
)

// DefaultMaxSessions is vCenter's limit on REST sessions per user.
const DefaultMaxSessions = 550

type sessions struct {
	account     *account
	maxSessions int

	mu      sync.Mutex
	rest    map[string]time.Time // creation times by session ID
	soap    map[string]bool
	ever    []string
	wrapped bool
}

func newSessions(a *account, limit int) *sessions {
	return &sessions{account: a, maxSessions: limit, rest: map[string]time.Time{}, soap: map[string]bool{}}
}

func (s *sessions) valid(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, open := s.rest[r.Header.Get(sessionHeader)]
	return open
}

func (s *sessions) refuse(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	wrapped := s.wrapped
	s.mu.Unlock()
	if wrapped && r.Header.Get(sessionHeader) != "" {
		tagging.WrappedUnauthenticated(w, tagging.ProtocolOf(r))
		return
	}
	tagging.Unauthenticated(w, tagging.ProtocolOf(r))
}

func (s *sessions) counts() (rest, soap int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rest), len(s.soap)
}

func (s *sessions) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ever)
}

func (s *sessions) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.rest)
	clear(s.soap)
}

func (s *sessions) serveREST(w http.ResponseWriter, r *http.Request) {
	p := tagging.ProtocolOf(r)
	id := r.Header.Get(sessionHeader)
	if r.Method == http.MethodPost && r.URL.Query().Get("~action") != "get" {
		s.logIn(w, r, p)
		return
	}
	if !s.valid(r) {
		s.refuse(w, r)
		return
	}
	s.mu.Lock()
	created := s.rest[id]
	if r.Method == http.MethodDelete {
		delete(s.rest, id)
	}
	s.mu.Unlock()
	if r.Method == http.MethodDelete {
		tagging.Answer(w, p, http.StatusNoContent, nil)
		return
	}
	tagging.Answer(w, p, http.StatusOK, map[string]string{
		"user":               s.account.user,
		"created_time":       created.Format(time.RFC3339),
		"last_accessed_time": s.account.now().Format(time.RFC3339),
	})
}

func (s *sessions) logIn(w http.ResponseWriter, r *http.Request, p tagging.Protocol) {
	user, password, ok := r.BasicAuth()
	if !ok || !s.account.login(user, password) {
		tagging.Unauthenticated(w, p)
		return
	}
	var random [16]byte
	_, _ = rand.Read(random[:])
	id := hex.EncodeToString(random[:])
	s.mu.Lock()
	full := len(s.rest) >= s.maxSessions
	if !full {
		s.rest[id] = s.account.now()
		s.ever = append(s.ever, id)
	}
	s.mu.Unlock()
	if full {
		tagging.TooManySessions(w, p, s.account.user, s.maxSessions)
		return
	}
	tagging.Answer(w, p, http.StatusCreated, id)
}

// vCenter faults that the simulator lacks.
const (
	faultEnvelope = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><soapenv:Fault>` +
		`<faultcode>ServerFaultCode</faultcode>%BODY%</soapenv:Fault></soapenv:Body></soapenv:Envelope>`
	notAuthenticated = `<faultstring>The session is not authenticated.</faultstring><detail>` +
		`<NotAuthenticatedFault xmlns="urn:vim25" xsi:type="NotAuthenticated"><object type="Folder">group-d1</object>` +
		`<privilegeId>System.View</privilegeId></NotAuthenticatedFault></detail>`
	invalidLogin = `<faultstring>Cannot complete login due to an incorrect user name or password.</faultstring>` +
		`<detail><InvalidLoginFault xmlns="urn:vim25" xsi:type="InvalidLogin"></InvalidLoginFault></detail>`
)

func writeFault(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, strings.Replace(faultEnvelope, "%BODY%", body, 1))
}

// serveSOAP forwards the calls of open sessions and records logins and logouts. The simulator itself accepts some calls
// without a session.
func (s *sessions) serveSOAP(next http.Handler, w http.ResponseWriter, r *http.Request) {
	operation := strings.TrimPrefix(fault.Kind(r), "soap:")
	id := ""
	if cookie, err := r.Cookie(soap.SessionCookieName); err == nil {
		id = cookie.Value
	}
	s.mu.Lock()
	open := s.soap[id]
	s.mu.Unlock()
	if !open {
		// The simulator keeps sessions that the lab has ended and rejects logins with their cookies.
		r.Header.Del("Cookie")
		if operation != "Login" && operation != "RetrieveServiceContent" &&
			r.URL.Path != "/sdk/vimServiceVersions.xml" {
			writeFault(w, notAuthenticated)
			return
		}
	}
	if operation == "Login" && !s.soapLogin(r) {
		writeFault(w, invalidLogin)
		return
	}
	next.ServeHTTP(w, r)
	switch operation {
	case "Login":
		for _, cookie := range (&http.Response{Header: w.Header()}).Cookies() {
			if cookie.Name == soap.SessionCookieName {
				s.mu.Lock()
				s.soap[cookie.Value] = true
				s.ever = append(s.ever, cookie.Value)
				s.mu.Unlock()
			}
		}
	case "Logout":
		s.mu.Lock()
		delete(s.soap, id)
		s.mu.Unlock()
	}
}

func (s *sessions) soapLogin(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var envelope struct {
		Login struct {
			User     string `xml:"userName"`
			Password string `xml:"password"`
		} `xml:"Body>Login"`
	}
	if err != nil || xml.Unmarshal(body, &envelope) != nil {
		return false
	}
	return s.account.login(envelope.Login.User, envelope.Login.Password)
}
