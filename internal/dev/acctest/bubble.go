package acctest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// RunInBubble runs f in a testing/synctest bubble, without a network and with the gateway on the bubble's clock. Time
// advances only while all goroutines are blocked, so the number of requests is deterministic. Create providers with
// Configured, because no CLI is available.
func (s *Sites) RunInBubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	handler := s.Handler()
	options := s.options
	defer func() { s.options = options }()
	synctest.Test(t, func(t *testing.T) {
		passes := time.Now //nolint:forbidigo // the bubble's clock
		s.realClock.Store(&passes)
		defer func() {
			now := time.Now() //nolint:forbidigo // the bubble's clock
			stopped := func() time.Time { return now }
			s.realClock.Store(&stopped)
		}()
		s.options.Sleep = nil
		s.options.WrapReplication = func(http.RoundTripper) http.RoundTripper { return handlerTransport{handler} }
		f(t)
		assert.NoError(t, s.sessions.Close(t.Context()))
	})
}

// handlerTransport sends requests to a handler instead of a server.
type handlerTransport struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (d handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RemoteAddr = "127.0.0.1:1"
	in.RequestURI = r.URL.RequestURI()
	if r.Body == nil {
		in.Body = io.NopCloser(bytes.NewReader(nil))
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	return w.Result(), nil
}
