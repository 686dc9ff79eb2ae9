// Package fault injects network faults and load limits in front of a simulated service. It counts requests by kind and
// injects faults into the requests that match a rule.
//
// It supports SOAP and REST over HTTP. It does not store headers, credentials, session IDs or bodies.
package fault

import (
	"io"
	"maps"
	"net/http"
	"sync"
	"time"
)

// Traffic counts the requests to a handler, limits their rate and injects faults. It is safe for concurrent use.
type Traffic struct {
	kind     func(*http.Request) string
	mu       sync.Mutex
	counts   map[string]int
	rules    []*Rule
	inFlight int
	peak     int

	limit   int // requests per second; 0 means no limit
	now     func() time.Time
	window  time.Time
	allowed int
	refused int
}

// Rule injects a fault into matching requests. Fields with zero values have no effect.
type Rule struct {
	// Kind is the request kind, such as "POST tag" or "soap:Login"; empty matches all requests.
	Kind string
	// Skip is the number of matching requests that pass before the rule takes effect.
	Skip int
	// Times is the number of requests that the rule affects; 0 means all.
	Times int

	Before func(*http.Request)
	// After is called when the request has been handled, before the response ends.
	After func(*http.Request)
	// Status and Body are the status and body of the injected response.
	Status int
	Body   string
	// Echo replaces Body with an error message that quotes the request both as text and in base64.
	Echo bool
	// Header is added to the injected response.
	Header map[string]string
	// HandleFirst handles the request before replacing the response or closing the connection, so that the request
	// takes effect but the client does not see the result.
	HandleFirst bool
	// CloseConnection closes the connection without a response.
	CloseConnection bool

	matches int
}

// NewTraffic returns a Traffic for a vCenter. The request kinds are those of Kind.
func NewTraffic() *Traffic { return NewTrafficOf(Kind) }

// NewTrafficOf returns a Traffic for a service. The kind function determines the request kinds.
func NewTrafficOf(kind func(*http.Request) string) *Traffic {
	return &Traffic{kind: kind, counts: make(map[string]int)}
}

// SetLimit allows perSecond requests in each second of the given clock and rejects further requests with 429. If
// perSecond is 0, there is no limit.
func (t *Traffic) SetLimit(perSecond int, now func() time.Time) {
	defer t.lock()()
	t.limit = perSecond
	t.now = now
	t.window = time.Time{}
	t.allowed = 0
	t.refused = 0
}

// Refused returns the number of requests rejected by SetLimit.
func (t *Traffic) Refused() int {
	defer t.lock()()
	return t.refused
}

// overLimit counts a request and reports whether it exceeds the limit. The caller must hold mu.
func (t *Traffic) overLimit() bool {
	if t.limit == 0 {
		return false
	}
	if now := t.now().Truncate(time.Second); !now.Equal(t.window) {
		t.window = now
		t.allowed = 0
	}
	if t.allowed == t.limit {
		t.refused++
		return true
	}
	t.allowed++
	return false
}

// Break adds a rule. If several rules match a request, the first one applies.
func (t *Traffic) Break(rule Rule) {
	defer t.lock()()
	t.rules = append(t.rules, &rule)
}

// Mend removes all rules.
func (t *Traffic) Mend() {
	defer t.lock()()
	t.rules = nil
}

// Counts returns the number of requests by kind since the last Reset.
func (t *Traffic) Counts() map[string]int {
	defer t.lock()()
	return maps.Clone(t.counts)
}

// Count returns the number of requests of the given kind since the last Reset.
func (t *Traffic) Count(kind string) int {
	defer t.lock()()
	return t.counts[kind]
}

// Total returns the number of requests since the last Reset.
func (t *Traffic) Total() int {
	defer t.lock()()
	total := 0
	for _, n := range t.counts {
		total += n
	}
	return total
}

// Peak returns the largest number of concurrent requests since the last Reset.
func (t *Traffic) Peak() int {
	defer t.lock()()
	return t.peak
}

// Reset sets the counters to zero.
func (t *Traffic) Reset() {
	defer t.lock()()
	clear(t.counts)
	t.peak = 0
}

// Wrap wraps next in a handler that counts requests, enforces the limit and injects faults.
func (t *Traffic) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rule := t.begin(t.kind(r))
		defer t.end()
		if rule == nil {
			next.ServeHTTP(w, r)
			return
		}
		if rule.Before != nil {
			rule.Before(r)
		}
		handler := next
		if rule.After != nil {
			handler = callAfter(next, rule.After)
		}
		switch {
		case !rule.CloseConnection && rule.Status == 0:
			handler.ServeHTTP(w, r)
			return
		case rule.HandleFirst:
			handler.ServeHTTP(&discardWriter{header: make(http.Header)}, r)
		}
		if rule.CloseConnection {
			panic(http.ErrAbortHandler)
		}
		for name, value := range rule.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(rule.Status)
		body := rule.Body
		if rule.Echo {
			body = echo(r)
		}
		_, _ = io.WriteString(w, body) //nolint:gosec // the response is never rendered by a browser
	})
}

func (t *Traffic) begin(kind string) *Rule {
	defer t.lock()()
	t.counts[kind]++
	t.inFlight++
	t.peak = max(t.peak, t.inFlight)
	if t.overLimit() {
		return &Rule{Status: http.StatusTooManyRequests}
	}
	for _, rule := range t.rules {
		if rule.Kind != "" && rule.Kind != kind {
			continue
		}
		rule.matches++
		hasStarted := rule.matches > rule.Skip
		hasEnded := rule.Times != 0 && rule.matches > rule.Skip+rule.Times
		if hasStarted && !hasEnded {
			return rule
		}
	}
	return nil
}

func (t *Traffic) end() {
	defer t.lock()()
	t.inFlight--
}

func callAfter(next http.Handler, f func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		f(r)
	})
}

type discardWriter struct{ header http.Header }

func (d *discardWriter) Header() http.Header { return d.header }

func (d *discardWriter) Write(b []byte) (int, error) { return len(b), nil }

func (d *discardWriter) WriteHeader(int) {}

func (t *Traffic) lock() (unlock func()) {
	t.mu.Lock()
	return t.mu.Unlock
}
