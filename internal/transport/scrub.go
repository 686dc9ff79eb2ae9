// Secrets of a request are removed from messages: a server or proxy may quote a request in its answer.

package transport

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	removed = "(removed)"
	// leastSecret is the length of the shortest value that is removed, in bytes: to remove shorter ones would make every
	// message unreadable, and the gaps would show the value.
	leastSecret = 4
)

// secretHeaders are the request headers whose values are secret.
var secretHeaders = []string{
	"Authorization", "Cookie", "Vmware-Api-Session-Id", "X-Dr-Session", "Private-Token",
}

// Scrubber removes secrets, in every form in which an answer may quote them, from texts and errors. It is safe for
// concurrent use; the zero value knows no secret.
type Scrubber struct {
	mu     sync.RWMutex
	known  map[string]bool
	forms  []string // of known, longest first
	stages *strings.Replacer
}

// NewScrubber returns a scrubber that knows the secrets.
func NewScrubber(secrets ...string) *Scrubber {
	s := &Scrubber{}
	s.Add(secrets...)
	return s
}

// Add makes secrets known. Those shorter than 4 bytes are not removed.
func (s *Scrubber) Add(secrets ...string) {
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); len(secret) >= leastSecret {
			s.add(secret)
		}
	}
}

func (s *Scrubber) add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[secret] {
		return
	}
	if s.known == nil {
		s.known = make(map[string]bool)
	}
	s.known[secret] = true
	s.forms = append(s.forms, formsOf(secret)...)
	slices.SortStableFunc(s.forms, func(a, b string) int { return len(b) - len(a) })
	s.forms = slices.Compact(s.forms)
	pairs := make([]string, 0, 2*len(s.forms))
	for _, form := range s.forms {
		pairs = append(pairs, form, removed)
	}
	s.stages = strings.NewReplacer(pairs...) // which prefers earlier pairs
}

// formsOf returns a secret as it is and as Go, JSON, XML, a URL and base64 have it.
func formsOf(secret string) []string {
	forms := []string{
		secret, strings.Trim(strconv.Quote(secret), `"`), url.QueryEscape(secret), url.PathEscape(secret),
	}
	if text, err := json.Marshal(secret); err == nil {
		forms = append(forms, strings.Trim(string(text), `"`))
	}
	var escaped strings.Builder
	if xml.EscapeText(&escaped, []byte(secret)) == nil {
		forms = append(forms, escaped.String())
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, base64Forms(encoding, secret)...)
	}
	return forms
}

// base64Forms returns the base64 of a secret and its part of a longer text's base64, at each of the three positions
// where it may begin: without the characters that also depend on its neighbours.
func base64Forms(encoding *base64.Encoding, secret string) []string {
	forms := []string{encoding.EncodeToString([]byte(secret))}
	for before := range 3 {
		text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		first := (before*8 + 5) / 6 // characters with a bit of the bytes before
		last := (before + len(secret)) * 8 / 6
		if part := text[first:last]; len(part) > leastSecret {
			forms = append(forms, part)
		}
	}
	return forms
}

// learn makes the secrets of a request known.
func (s *Scrubber) learn(r *http.Request) {
	for _, name := range secretHeaders {
		for _, value := range r.Header.Values(name) {
			s.Add(value)
			_, after, _ := strings.Cut(value, " ") // the scheme of an authorization
			s.Add(after)
		}
	}
	for _, cookie := range r.Cookies() {
		s.Add(strings.Trim(cookie.Value, `"`))
	}
	if _, password, ok := r.BasicAuth(); ok {
		s.Add(password)
	}
}

// Text returns the text without secrets.
func (s *Scrubber) Text(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.stages == nil {
		return text
	}
	return s.stages.Replace(text)
}

// Error returns an error whose text has no secrets and that wraps err; nil for nil.
func (s *Scrubber) Error(err error) error {
	if err == nil {
		return nil
	}
	return &scrubbedError{s, err}
}

// scrubbedError has its text scrubbed when it is read, because those that it wraps may be completed later.
type scrubbedError struct {
	scrubber *Scrubber
	err      error
}

func (e *scrubbedError) Error() string { return e.scrubber.Text(e.err.Error()) }
func (e *scrubbedError) Unwrap() error { return e.err }
