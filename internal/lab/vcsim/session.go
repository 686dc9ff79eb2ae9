// Sessions of both protocols: counted, and ended when a test says so.

package vcsim

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/soap"

	"terraform-provider-vsla/internal/lab/fault"
	"terraform-provider-vsla/internal/lab/tagging"
)

const (
	sessionPath   = "/rest/com/vmware/cis/session"
	sessionHeader = "vmware-api-session-id"
)

type sessions struct {
	user, password string

	mu   sync.Mutex
	rest map[string]bool
	soap map[string]bool
	ever []string
}

func newSessions(user, password string) *sessions {
	return &sessions{user: user, password: password, rest: map[string]bool{}, soap: map[string]bool{}}
}

// valid reports whether a REST request carries a session that is open.
func (s *sessions) valid(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rest[r.Header.Get(sessionHeader)]
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

// serveREST is the session resource.
func (s *sessions) serveREST(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if r.Method == http.MethodPost {
		user, password, ok := r.BasicAuth()
		if !ok || user != s.user || password != s.password {
			tagging.Unauthenticated(w)
			return
		}
		var random [16]byte
		_, _ = rand.Read(random[:]) // documented never to fail
		id = hex.EncodeToString(random[:])
		s.mu.Lock()
		s.rest[id] = true
		s.ever = append(s.ever, id)
		s.mu.Unlock()
		tagging.Value(w, id)
		return
	}
	if !s.valid(r) {
		tagging.Unauthenticated(w)
		return
	}
	if r.Method == http.MethodDelete {
		s.mu.Lock()
		delete(s.rest, id)
		s.mu.Unlock()
	}
	tagging.Value(w, map[string]string{"user": s.user})
}

// notAuthenticated is vCenter's answer to a call without a session. The simulator lets some calls pass.
const notAuthenticated = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>The session is not authenticated.</faultstring>
<detail><NotAuthenticatedFault xmlns="urn:vim25" xsi:type="NotAuthenticated"><object type="Folder">group-d1</object>
<privilegeId>System.View</privilegeId></NotAuthenticatedFault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`

// serveSOAP lets the simulator answer what belongs to an open session, and notes logins and logouts.
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
		// The simulator refuses to log in on top of a session that it still knows.
		r.Header.Del("Cookie")
		if operation != "Login" && operation != "RetrieveServiceContent" {
			w.Header().Set("Content-Type", "text/xml; charset=utf-8")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, notAuthenticated)
			return
		}
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
