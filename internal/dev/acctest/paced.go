// A provider on a clock that is exact: for how many requests and how much time something takes.

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

// bubbleStart is when the clock of every synctest bubble begins.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Paced runs f in a bubble of testing/synctest. The gateway's clock is the bubble's, and requests reach it without a
// network, so that time passes only while everybody waits: the number of requests does not depend on the
// computer. Providers
// come from Configured; there is no CLI.
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

// direct hands requests to a handler.
type direct struct{ handler http.Handler }

// RoundTrip returns the handler's answer.
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
