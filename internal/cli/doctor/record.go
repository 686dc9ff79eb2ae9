package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// exchange is a request with its response, and the number of identical exchanges. It contains no values from the
// examined system.
type exchange struct {
	// request is the method and the path template. requestFields and responseFields are the field names in the request
	// and response bodies.
	request, requestFields, responseFields string
	// errorText is the type of an error, or the reason why there was no response.
	status    int
	errorText string

	count            int
	minTime, maxTime time.Duration
	bytes            int // size of the largest response
	total            totalType
}

type recording struct {
	now func() time.Time

	mu       sync.Mutex
	order    []string
	byKey    map[string]*exchange
	requests int
}

func newRecord(now func() time.Time) *recording {
	return &recording{now: now, byKey: make(map[string]*exchange)}
}

// add records an exchange. It combines exchanges that differ only in size and duration.
func (r *recording) add(e exchange, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	key := fmt.Sprintf("%s\n%s\n%s\n%d\n%s\n%d",
		e.request, e.requestFields, e.responseFields, e.status, e.errorText, e.total)
	known, ok := r.byKey[key]
	if !ok {
		e.count = 1
		e.minTime = took
		e.maxTime = took
		r.byKey[key] = &e
		r.order = append(r.order, key)
		return
	}
	known.count++
	known.minTime, known.maxTime = min(known.minTime, took), max(known.maxTime, took)
	known.bytes = max(known.bytes, e.bytes)
}

// all returns the exchanges, in the order in which they first occurred, and the number of requests.
func (r *recording) all() (list []exchange, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range r.order {
		list = append(list, *r.byKey[key])
	}
	return list, r.requests
}

func (r *recording) countStatus(status int, matches func(exchange) bool) int {
	list, _ := r.all()
	n := 0
	for _, e := range list {
		if e.status == status && matches(e) {
			n += e.count
		}
	}
	return n
}

type serviceNames struct {
	service string
	paths   []string
}

func (r *recording) wrapTransport(n serviceNames) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &recorder{next: next, names: n, record: r} }
}

type recorder struct {
	next   http.RoundTripper
	names  serviceNames
	record *recording
}

// RoundTrip implements http.RoundTripper.
func (t *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	req, asked, err := readBody(req)
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

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (t *recorder) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func readBody(req *http.Request) (*http.Request, []byte, error) {
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

func drain(answer *http.Response) ([]byte, error) {
	if err := transport.LimitBody(answer); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	body, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

func (n serviceNames) describe(
	req *http.Request, asked []byte, answer *http.Response, content []byte, err error,
) exchange {
	e := exchange{request: n.service + " " + n.requestText(req, asked), requestFields: fieldNames(req.Header, asked)}
	if err != nil || answer == nil {
		e.errorText = noResponseReason(err)
		return e
	}
	e.status, e.bytes = answer.StatusCode, len(content)
	e.responseFields = fieldNames(answer.Header, content)
	e.total = totalKind(content)
	if e.status >= http.StatusBadRequest {
		e.errorText = errorSummary(content)
		if after, err := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 16); err == nil {
			e.errorText += fmt.Sprintf(" Retry-After %d s", after)
		}
	}
	return e
}

func noResponseReason(err error) string {
	switch {
	case transport.IsCertificateError(err):
		return "certificate not trusted"
	case transport.IsUnknownHost(err):
		return "unknown host"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	default:
		return "connection failed"
	}
}

const (
	tagsPath = "/api/vcenter/tagging/tags"
	// absentPath is a path that exists in no release.
	absentPath = "/api/vcenter/tagging/vsla-doctor"
)

var (
	vcenterNames = serviceNames{
		service: "vCenter",
		paths: []string{
			"/api/session", "/rest/com/vmware/cis/session",
			"/api/cis/tagging/category", "/api/cis/tagging/category/{id}",
			"/api/cis/tagging/tag", "/api/cis/tagging/tag/{id}",
			"/api/cis/tagging/tag-association", "/api/cis/tagging/tag-association/{id}",
			"/rest/com/vmware/cis/tagging/category", "/rest/com/vmware/cis/tagging/category/{id}",
			"/rest/com/vmware/cis/tagging/tag", "/rest/com/vmware/cis/tagging/tag/{id}",
			"/rest/com/vmware/cis/tagging/tag-association", "/rest/com/vmware/cis/tagging/tag-association/{id}",
			tagsPath, "/api/vcenter/topology/nodes", absentPath,
		},
	}
	applianceNames = serviceNames{
		service: "appliance",
		paths: []string{
			"/session", "/info", "/pairings", "/pairings/{pairing_id}", "/pairings/{pairing_id}/remote-session",
			"/pairings/{pairing_id}/replications", "/pairings/{pairing_id}/replications/{replication_id}",
			"/pairings/{pairing_id}/vrs/{vr_id}/replication-servers",
			"/pairings/{pairing_id}/vcenters/{vcenter_id}/vms/{vm_id}/capability",
		},
	}
	protectionNames = serviceNames{
		service: "data protection",
		paths: []string{
			"/snapservice/sessions", "/snapservice/info/about", "/snapservice/sites",
			"/snapservice/sites/{site}/licenses",
			"/snapservice/sites/{site}/clusters", "/snapservice/sites/{site}/clusters/{cluster}/capabilities",
			"/snapservice/cluster-pairs", "/snapservice/clusters/{cluster}/protection-groups",
		},
	}
)

func (n serviceNames) requestText(req *http.Request, body []byte) string {
	if isXML(req.Header) {
		return req.Method + " SOAP " + operationName(body)
	}
	s := knownOr(methods, req.Method, "{method}") + " " + pathTemplate(n.paths, req.URL.EscapedPath())
	if query := queryOf(req.URL.Query()); query != "" {
		s += "?" + query
	}
	return s
}

var methods = []string{http.MethodGet, http.MethodPost, http.MethodDelete}

func knownOr(list []string, word, placeholder string) string {
	if slices.Contains(list, word) {
		return word
	}
	return placeholder
}

// pathTemplate returns the template that matches a path, ignoring any prefix of the path.
func pathTemplate(paths []string, escaped string) string {
	segments := strings.Split(strings.Trim(escaped, "/"), "/")
	for start := range segments {
		for _, path := range paths {
			if matchesTemplate(strings.Split(strings.Trim(path, "/"), "/"), segments[start:]) {
				return path
			}
		}
	}
	return "{unknown path}"
}

func matchesTemplate(template, segments []string) bool {
	return slices.EqualFunc(template, segments, func(t, s string) bool {
		return t == s || (strings.HasPrefix(t, "{") && s != "")
	})
}

// parameters maps the names of publishable query parameters to their publishable values. A nil list allows any numeric
// value.
var parameters = map[string][]string{
	"action":          actions,
	"~action":         actions,
	"page_size":       nil,
	"limit":           nil,
	"sort_by":         {"id", "name", "pairing_id"},
	"order_by":        {"asc", "desc"},
	"extended_info":   {"true", "false"},
	"filter_property": {"id", "name", "vm_id"},
	"marker":          {},
	"names":           {},
	"offset":          {},
	"filter":          {},
	"source_vc_guid":  {},
	"local_clusters":  {},
}

var actions = []string{
	"list-tags-for-category", "list-attached-tags", "list-attached-objects", "list-attached-objects-on-tags",
	"list-attached-tags-on-objects",
}

func queryOf(query url.Values) string {
	var parts []string
	for name, values := range query {
		list, listed := parameters[name]
		for _, value := range values {
			switch {
			case !listed:
				parts = append(parts, "{parameter}")
			case slices.Contains(list, value), list == nil && isNumber(value):
				parts = append(parts, name+"="+value)
			default:
				parts = append(parts, name+"={value}")
			}
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "&")
}

func isNumber(s string) bool {
	const maxDigits = 6
	return s != "" && len(s) <= maxDigits && strings.Trim(s, "0123456789") == ""
}
