// Package fault wraps a simulated service and simulates network and load: it counts requests by kind, adds latency, and
// breaks the requests that a test chooses.
//
// It works on HTTP, so that SOAP and REST are treated alike, and keeps no header, credential, session id or body.
package fault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Traffic counts, delays and breaks requests on their way to a handler. It is safe for concurrent use.
type Traffic struct {
	kind     func(*http.Request) string
	mu       sync.Mutex
	counts   map[string]int
	rules    []*Rule
	latency  time.Duration
	log      io.Writer
	inFlight int
	peak     int

	limit   int // requests a second; 0 is no limit
	now     func() time.Time
	window  time.Time
	passed  int
	refused int
}

// Rule breaks some requests. The zero value of each field means "no condition" or "no effect".
type Rule struct {
	// Kind is the kind of request, for example "POST tag" or "soap:Login"; empty means every kind.
	Kind string
	// Skip lets that many requests of the kind pass first.
	Skip int
	// Times is how many requests are broken; 0 means all that follow.
	Times int

	// Before runs before the request is handled.
	Before func(*http.Request)
	// After runs when the request has been handled, before its end.
	After func(*http.Request)
	// Status answers with this status, and Body, in place of the handler's answer.
	Status int
	Body   string
	// Echo quotes the request in place of Body: in a message in the form of the service, as text and as base64.
	Echo bool
	// Header is added to that answer.
	Header map[string]string
	// Done lets the handler do its work before the answer is replaced or the connection cut: the request has taken effect,
	// and the client does not know.
	Done bool
	// Cut closes the connection without an answer.
	Cut bool

	seen int
}

// NewTraffic makes a Traffic without rules for a vCenter: requests are named by Kind.
func NewTraffic() *Traffic { return NewTrafficOf(Kind) }

// NewTrafficOf makes a Traffic without rules for a service whose requests are named by kind.
func NewTrafficOf(kind func(*http.Request) string) *Traffic {
	return &Traffic{kind: kind, counts: make(map[string]int)}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// SetLatency adds a delay to every request from now on.
func (t *Traffic) SetLatency(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latency = d
}

// SetLimit lets at most perSecond requests pass in each second of a clock, and answers 429 to the others. 0 ends it.
func (t *Traffic) SetLimit(perSecond int, now func() time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit, t.now, t.window, t.passed, t.refused = perSecond, now, time.Time{}, 0, 0
}

// Refused returns the number of requests that SetLimit's limit refused.
func (t *Traffic) Refused() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused
}

// full counts a request against the limit; the caller holds mu.
func (t *Traffic) full() bool {
	if t.limit == 0 {
		return false
	}
	if now := t.now().Truncate(time.Second); !now.Equal(t.window) {
		t.window, t.passed = now, 0
	}
	if t.passed == t.limit {
		t.refused++
		return true
	}
	t.passed++
	return false
}

// SetLog writes one line for each request: kind and status, nothing else.
func (t *Traffic) SetLog(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log = w
}

// Break adds a rule. The first rule that fits a request decides.
func (t *Traffic) Break(rule Rule) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = append(t.rules, &rule)
}

// Mend removes all rules.
func (t *Traffic) Mend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = nil
}

// Counts returns the number of requests by kind since the last Reset.
func (t *Traffic) Counts() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts)
}

// Count returns the number of requests of one kind since the last Reset.
func (t *Traffic) Count(kind string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[kind]
}

// Total returns the number of requests since the last Reset.
func (t *Traffic) Total() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	total := 0
	for _, n := range t.counts {
		total += n
	}
	return total
}

// Peak returns the largest number of requests that were handled at the same time since the last Reset.
func (t *Traffic) Peak() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peak
}

// Reset sets the counters to zero.
func (t *Traffic) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.counts)
	t.peak = 0
}

// Wrap puts the Traffic in front of a handler.
func (t *Traffic) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := t.kind(r)
		rule, delay := t.begin(kind)
		defer t.end()
		delay(r.Context())
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() { t.note(kind, seen.status) }()
		if rule == nil {
			next.ServeHTTP(seen, r)
			return
		}
		if rule.Before != nil {
			rule.Before(r)
		}
		handler := next
		if rule.After != nil {
			handler = after(next, rule.After)
		}
		switch {
		case !rule.Cut && rule.Status == 0:
			handler.ServeHTTP(seen, r)
			return
		case rule.Done:
			handler.ServeHTTP(&discard{header: make(http.Header)}, r)
		}
		if rule.Cut {
			seen.status = 0
			panic(http.ErrAbortHandler)
		}
		for name, value := range rule.Header {
			w.Header().Set(name, value)
		}
		seen.WriteHeader(rule.Status)
		body := rule.Body
		if rule.Echo {
			body = echo(r)
		}
		_, _ = io.WriteString(seen, body) //nolint:gosec // no browser reads it
	})
}

// begin counts the request, and returns its rule and its delay.
func (t *Traffic) begin(kind string) (*Rule, func(context.Context)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[kind]++
	t.inFlight++
	t.peak = max(t.peak, t.inFlight)
	latency := t.latency
	delay := func(ctx context.Context) {
		if latency > 0 {
			wait(ctx, latency)
		}
	}
	if t.full() {
		return &Rule{Status: http.StatusTooManyRequests}, delay
	}
	for _, rule := range t.rules {
		if rule.Kind != "" && rule.Kind != kind {
			continue
		}
		rule.seen++
		if rule.seen > rule.Skip && (rule.Times == 0 || rule.seen <= rule.Skip+rule.Times) {
			return rule, delay
		}
	}
	return nil, delay
}

func (t *Traffic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
}

// after returns a handler that runs f when the next one is done.
func after(next http.Handler, f func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		f(r)
	})
}

func (t *Traffic) note(kind string, status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil {
		fmt.Fprintf(t.log, "%s %d\n", kind, status)
	}
}

// Kind names what a request asks for, the same below /rest and /api: "soap:Login", "POST tag", "GET tag/{id}", "POST
// tag-association:attach-tag-to-multiple-objects", or method and path.
func Kind(r *http.Request) string {
	if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/sdk") {
		return "soap:" + soapOperation(r)
	}
	path := r.URL.Path
	for _, prefix := range []string{
		"/rest/com/vmware/cis/tagging/", "/rest/com/vmware/cis/", "/api/cis/tagging/", "/api/",
	} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && !strings.HasPrefix(rest, "vcenter/") {
			path = rest
			break
		}
	}
	resource, id, _ := strings.Cut(path, "/")
	if path == r.URL.Path {
		resource, id = path, ""
	}
	kind := r.Method + " " + resource
	query := r.URL.Query()
	if action := cmp.Or(query.Get("~action"), query.Get("action")); action != "" {
		return kind + ":" + action
	}
	if id != "" {
		kind += "/{id}"
	}
	return kind
}

// soapOperation reads the name of the first element in the SOAP body and returns the request its body back.
func soapOperation(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return "unreadable"
	}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	inBody := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return "unreadable"
		}
		element, ok := token.(xml.StartElement)
		switch {
		case ok && inBody:
			return element.Name.Local
		case ok && element.Name.Local == "Body":
			inBody = true
		}
	}
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// discard takes an answer that the client will not get.
type discard struct{ header http.Header }

// Header returns the discarded header.
func (d *discard) Header() http.Header { return d.header }

// Write drops the body.
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader drops the status.
func (d *discard) WriteHeader(int) {}
