package acctest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// bubbleStart is the start time of every synctest bubble.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Paced runs f in a testing/synctest bubble with the gateway on the bubble's clock and without a network. Time passes
// only while all goroutines wait, so the number of requests is deterministic. Use Configured for providers; there is
// no CLI.
func (s *Sites) Paced(t *testing.T, f func(*testing.T)) {
	t.Helper()
	handler, options := s.Handler(), s.options
	defer func() { s.options = options }()
	synctest.Test(t, func(t *testing.T) {
		passes := time.Now //nolint:forbidigo // the bubble's clock
		s.real.Store(&passes)
		defer func() {
			now := time.Now() //nolint:forbidigo // the bubble's clock
			stopped := func() time.Time { return now }
			s.real.Store(&stopped)
		}()
		s.options.Sleep = nil
		s.options.Wrap = func(http.RoundTripper) http.RoundTripper { return options.Wrap(direct{handler}) }
		f(t)
		if err := s.sessions.Close(t.Context()); err != nil {
			t.Errorf("log out: %v", err)
		}
	})
}

// direct is a round tripper that calls a handler.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RemoteAddr, in.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
	if r.Body == nil {
		in.Body = io.NopCloser(bytes.NewReader(nil))
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	return w.Result(), nil
}
