// Secrets of a request are removed from messages: a server or proxy may quote a request in its answer.

package transport

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	removed = "(removed)"
	// leastSecret is the length of the shortest value that is removed, in bytes: to remove shorter ones would make every
	// message unreadable, and the gaps would show the value.
	leastSecret = 4
	// longestText is how much of a text a message repeats, in bytes.
	longestText = 1 << 20
)

// secretHeaders are the request headers whose values are secret.
var secretHeaders = []string{"Authorization", "Cookie", "Vmware-Api-Session-Id", "X-Dr-Session", "Private-Token"}

// Scrubber removes secrets, in every form in which an answer may quote them, from texts and errors. It is safe for
// concurrent use; the zero value knows no secret.
type Scrubber struct {
	mu    sync.RWMutex
	known map[string]bool
	forms []string // of known
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
	slices.Sort(s.forms)
	s.forms = slices.Compact(s.forms)
}

// formsOf returns a secret as it is, as a query, hexadecimal and base64 have it, and as it is after escapes are undone
// of which it only seems to consist. Text undoes those of an answer.
func formsOf(secret string) []string {
	coded := hex.EncodeToString([]byte(secret))
	forms := []string{secret, strings.ReplaceAll(secret, " ", "+"), coded, strings.ToUpper(coded)}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, base64Forms(encoding, secret)...)
	}
	for undone := plain(secret).undo(); undone.text != secret; undone = undone.undo() {
		secret = undone.text
		forms = append(forms, secret)
	}
	return slices.DeleteFunc(forms, func(form string) bool { return len(form) < leastSecret })
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

// Text returns the text without secrets, whether it has them as they are, escaped, or escaped again. Of a longer text
// it returns 1 MiB.
func (s *Scrubber) Text(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.forms) == 0 {
		return text
	}
	if len(text) > longestText {
		text = text[:longestText] + " (cut)"
	}
	hidden := make([]bool, len(text)) // by byte
	found := false
	for layer, view := 0, plain(text); layer <= deepest; layer++ {
		found = s.mark(hidden, view) || found
		undone := view.undo()
		if undone.text == view.text {
			break
		}
		view = undone
	}
	if !found {
		return text
	}
	var kept strings.Builder
	for at := range len(text) {
		switch {
		case !hidden[at]:
			kept.WriteByte(text[at])
		case at == 0 || !hidden[at-1]:
			kept.WriteString(removed)
		}
	}
	return kept.String()
}

// mark marks the bytes from which a secret comes, and reports whether there are any.
func (s *Scrubber) mark(hidden []bool, view unescaped) bool {
	found := false
	for _, form := range s.forms {
		for from := 0; ; {
			at := strings.Index(view.text[from:], form)
			if at < 0 {
				break
			}
			found = true
			from += at + 1
			for i := view.starts[from-1]; i < view.ends[from+len(form)-2]; i++ {
				hidden[i] = true
			}
		}
	}
	return found
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
