// The record of requests and responses, at the level of HTTP: every client writes it through its transport.

package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// exchange is a request and its response, with the number of identical ones. Nothing in it is a value of the system.
type exchange struct {
	// request is the method with the template of the path; asked and answered are the names in the bodies.
	request, asked, answered string
	// status is the HTTP status; outcome is the type of an error, or why there was no answer.
	status  int
	outcome string

	count       int
	least, most time.Duration
	// bytes is the size of the largest answer, elements the length of its longest list.
	bytes, elements int
}

// record collects exchanges. It is safe for concurrent use.
type record struct {
	now func() time.Time

	mu       sync.Mutex
	order    []string
	byKey    map[string]*exchange
	requests int
}

func newRecord(now func() time.Time) *record {
	return &record{now: now, byKey: make(map[string]*exchange)}
}

// add notes one exchange. Those that differ in nothing but size and time are counted together.
func (r *record) add(e exchange, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	key := fmt.Sprintf("%s\n%s\n%s\n%d\n%s", e.request, e.asked, e.answered, e.status, e.outcome)
	known, ok := r.byKey[key]
	if !ok {
		e.count, e.least, e.most = 1, took, took
		r.byKey[key] = &e
		r.order = append(r.order, key)
		return
	}
	known.count++
	known.least, known.most = min(known.least, took), max(known.most, took)
	known.bytes, known.elements = max(known.bytes, e.bytes), max(known.elements, e.elements)
}

// all returns the exchanges in the order in which each was first seen, and how many requests they are.
func (r *record) all() (list []exchange, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range r.order {
		list = append(list, *r.byKey[key])
	}
	return list, r.requests
}

// largest returns the size of the largest answer.
func (r *record) largest() int {
	list, _ := r.all()
	n := 0
	for _, e := range list {
		n = max(n, e.bytes)
	}
	return n
}

// statuses counts the answers with a status to requests that begin with a text.
func (r *record) statuses(status int, matches func(exchange) bool) int {
	list, _ := r.all()
	n := 0
	for _, e := range list {
		if e.status == status && matches(e) {
			n += e.count
		}
	}
	return n
}

// names describes the requests of one service without their values.
type names struct {
	service string
	paths   []string
}

// recorder writes a record of what passes through it.
type recorder struct {
	next   http.RoundTripper
	names  names
	record *record
}

// RoundTrip sends the request and notes it.
func (t *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	req, asked, err := withBody(req)
	if err != nil {
		return nil, err
	}
	began := t.record.now()
	answer, err := t.next.RoundTrip(req)
	var content []byte
	if err == nil {
		content, err = drain(answer)
	}
	took := t.record.now().Sub(began)
	t.record.add(t.names.describe(req, asked, answer, content, err), took)
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// CloseIdleConnections closes those of the transport.
func (t *recorder) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// withBody returns the request's body, and a copy of the request that still has it.
func withBody(req *http.Request) (*http.Request, []byte, error) {
	if req.Body == nil {
		return req, nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, nil, err
	}
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return again, body, nil
}

// drain returns an answer's body, which the answer keeps.
func drain(answer *http.Response) ([]byte, error) {
	if err := transport.Limit(answer); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	body, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// describe returns what may be published of an exchange.
func (n names) describe(req *http.Request, asked []byte, answer *http.Response, content []byte, err error) exchange {
	e := exchange{request: n.service + " " + n.request(req, asked), asked: namesOf(req.Header, asked)}
	if err != nil || answer == nil {
		e.outcome = noAnswer(err)
		return e
	}
	e.status, e.bytes = answer.StatusCode, len(content)
	e.answered = namesOf(answer.Header, content)
	e.elements = elementsOf(content)
	if e.status >= http.StatusBadRequest {
		e.outcome = errorOf(content)
		if after, err := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 16); err == nil {
			e.outcome += fmt.Sprintf(" Retry-After %d s", after)
		}
	}
	return e
}

// noAnswer is why there was no answer.
func noAnswer(err error) string {
	switch {
	case transport.CertificateRefused(err):
		return "certificate not trusted"
	case transport.UnknownHost(err):
		return "unknown host"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	default:
		return "connection failed"
	}
}
