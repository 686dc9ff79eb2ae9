package transport

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

const (
	removed = "(removed)"
	// minSecretLength is the length in bytes of the shortest value that is removed. Removing shorter values would make
	// messages unreadable, and the gaps would reveal the values.
	minSecretLength = 4
	maxTextLength   = 1 << 20
)

var secretHeaders = []string{"Authorization", "Cookie", "Vmware-Api-Session-Id", "X-Dr-Session", "Private-Token"}

// Scrubber removes secrets from strings and errors, including escaped and encoded forms. It is safe for concurrent use.
// The zero value has no secrets to remove.
type Scrubber struct {
	mu        sync.RWMutex
	known     map[string]bool
	encodings []string
}

// NewScrubber returns a scrubber for the secrets.
func NewScrubber(secrets ...string) *Scrubber {
	s := &Scrubber{}
	s.Add(secrets...)
	return s
}

// Add registers secrets to remove. Secrets shorter than 4 bytes are ignored.
func (s *Scrubber) Add(secrets ...string) {
	for _, secret := range secrets {
		secret = strings.TrimSpace(secret)
		if len(secret) >= minSecretLength {
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
	s.encodings = append(s.encodings, encodingsOf(secret)...)
	slices.Sort(s.encodings)
	s.encodings = slices.Compact(s.encodings)
}

// encodingsOf returns the secret in plain text, as a query parameter, in hexadecimal and in base64. If the secret looks
// escaped, the unescaped form is included, because Text unescapes responses.
func encodingsOf(secret string) []string {
	coded := hex.EncodeToString([]byte(secret))
	forms := []string{secret, strings.ReplaceAll(secret, " ", "+"), coded, strings.ToUpper(coded)}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, base64Encodings(encoding, secret)...)
	}
	for undone := plain(secret).unescape(); undone.text != secret; undone = undone.unescape() {
		secret = undone.text
		forms = append(forms, secret)
	}
	return slices.DeleteFunc(forms, func(form string) bool { return len(form) < minSecretLength })
}

// base64Encodings returns the base64 encodings of a secret, alone and at each of the three byte offsets within a longer
// string. Characters that also depend on neighboring bytes are omitted.
func base64Encodings(encoding *base64.Encoding, secret string) []string {
	forms := []string{encoding.EncodeToString([]byte(secret))}
	for before := range 3 {
		text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		first := (before*8 + 5) / 6 // skip characters that contain bits of the preceding bytes
		last := (before + len(secret)) * 8 / 6
		if part := text[first:last]; len(part) > minSecretLength {
			forms = append(forms, part)
		}
	}
	return forms
}

func (s *Scrubber) addSecretsOf(r *http.Request) {
	for _, name := range secretHeaders {
		for _, value := range r.Header.Values(name) {
			s.Add(value)
			_, after, _ := strings.Cut(value, " ") // skip the authorization scheme
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

// Text removes secrets from a string, even if they are escaped several times, and makes it Visible. If there are
// secrets to remove, it also truncates the string to 1 MiB.
func (s *Scrubber) Text(text string) string { return Visible(s.withoutSecrets(text)) }

// Visible writes control characters, format characters and line breaks as escape sequences, because a server's text
// must not control a terminal or add a line to the log of a job.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

const maxUnescapes = 4

func (s *Scrubber) withoutSecrets(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.encodings) == 0 {
		return text
	}
	if len(text) > maxTextLength {
		text = text[:maxTextLength] + " (truncated)"
	}
	hidden := make([]bool, len(text))
	found := false
	for layer, view := 0, plain(text); layer <= maxUnescapes; layer++ {
		found = s.markHidden(hidden, view) || found
		undone := view.unescape()
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

func (s *Scrubber) markHidden(hidden []bool, view unescaped) bool {
	found := false
	for _, form := range s.encodings {
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

// Error wraps err so that its text contains no secrets and is Visible. It returns nil if err is nil.
func (s *Scrubber) Error(err error) error {
	if err == nil {
		return nil
	}
	return &scrubbedError{s, err}
}

// scrubbedError scrubs its text only when the text is read, because the wrapped error may still change.
type scrubbedError struct {
	scrubber *Scrubber
	err      error
}

func (e *scrubbedError) Error() string { return e.scrubber.Text(e.err.Error()) }
func (e *scrubbedError) Unwrap() error { return e.err }
