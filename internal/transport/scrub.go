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
	// leastSecret is the length of the shortest removed value in bytes. Removing shorter values would garble messages,
	// and the gaps would reveal the value.
	leastSecret = 4
	// longestText limits the length of a scrubbed text in bytes.
	longestText = 1 << 20
)

var secretHeaders = []string{"Authorization", "Cookie", "Vmware-Api-Session-Id", "X-Dr-Session", "Private-Token"}

// Scrubber removes secrets from texts and errors, including escaped and encoded forms. It is safe for concurrent use.
// The zero value knows no secrets.
type Scrubber struct {
	mu    sync.RWMutex
	known map[string]bool
	forms []string // forms of the known secrets
}

// NewScrubber returns a scrubber for the secrets.
func NewScrubber(secrets ...string) *Scrubber {
	s := &Scrubber{}
	s.Add(secrets...)
	return s
}

// Add registers secrets. Secrets shorter than 4 bytes are ignored.
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

// formsOf returns the secret as plain text, query parameter, hexadecimal and base64. It also returns the unescaped
// secret if it looks escaped, because Text unescapes responses.
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

// base64Forms returns the base64 encoding of a secret, alone and at each of the three byte offsets within a longer
// text. The latter omit the characters that also depend on neighboring bytes.
func base64Forms(encoding *base64.Encoding, secret string) []string {
	forms := []string{encoding.EncodeToString([]byte(secret))}
	for before := range 3 {
		text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		first := (before*8 + 5) / 6 // characters that encode bits of the preceding bytes
		last := (before + len(secret)) * 8 / 6
		if part := text[first:last]; len(part) > leastSecret {
			forms = append(forms, part)
		}
	}
	return forms
}

// learn registers the secrets of a request.
func (s *Scrubber) learn(r *http.Request) {
	for _, name := range secretHeaders {
		for _, value := range r.Header.Values(name) {
			s.Add(value)
			_, after, _ := strings.Cut(value, " ") // after the authorization scheme
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

// Text returns the text without secrets, including nested escapes. It truncates the text to 1 MiB.
func (s *Scrubber) Text(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.forms) == 0 {
		return text
	}
	if len(text) > longestText {
		text = text[:longestText] + " (cut)"
	}
	hidden := make([]bool, len(text)) // one per byte
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

// mark marks the bytes of secrets and reports whether there are any.
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

// Error wraps err and scrubs its text. It returns nil for nil.
func (s *Scrubber) Error(err error) error {
	if err == nil {
		return nil
	}
	return &scrubbedError{s, err}
}

// scrubbedError scrubs its text when it is read, because the wrapped error may still change.
type scrubbedError struct {
	scrubber *Scrubber
	err      error
}

func (e *scrubbedError) Error() string { return e.scrubber.Text(e.err.Error()) }
func (e *scrubbedError) Unwrap() error { return e.err }
