package doctor

import (
	"bytes"
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

// shape is a request with its response. It contains no values from the examined system.
type shape struct {
	// request is the method and the path template. requestFields and responseFields are the field names in the request
	// and response bodies.
	request, requestFields, responseFields string
	// errorText is the type of an error, or the reason why there was no response.
	status    int
	errorText string
	total     totalType
}

// exchange contains the exchanges of one shape.
type exchange struct {
	shape
	count            int
	minTime, maxTime time.Duration
	bytes            int // size of the largest response
}

type recording struct {
	now func() time.Time

	mu       sync.Mutex
	order    []*exchange
	byShape  map[shape]*exchange
	requests int
}

func newRecord(now func() time.Time) *recording {
	return &recording{now: now, byShape: make(map[shape]*exchange)}
}

// add records an exchange. It combines exchanges that differ only in size and duration.
func (r *recording) add(of shape, bytes int, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	known, ok := r.byShape[of]
	if !ok {
		known = &exchange{shape: of, minTime: took}
		r.byShape[of] = known
		r.order = append(r.order, known)
	}
	known.count++
	known.minTime, known.maxTime = min(known.minTime, took), max(known.maxTime, took)
	known.bytes = max(known.bytes, bytes)
}

// all returns the exchanges, in the order in which they first occurred, and the number of requests.
func (r *recording) all() (list []exchange, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.order {
		list = append(list, *e)
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

// wrapTransport returns a function that records the exchanges with a service.
func (r *recording) wrapTransport(service string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &recorder{next, service, r} }
}

type recorder struct {
	next    http.RoundTripper
	service string
	record  *recording
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
	t.record.add(describe(t.service, req, asked, answer, content, err), len(content), took)
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
	body, err := readAll(req.Body)
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return again, body, err
}

func drain(answer *http.Response) ([]byte, error) {
	if err := transport.LimitBody(answer); err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	body, err := readAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

func readAll(body io.ReadCloser) ([]byte, error) {
	content, err := io.ReadAll(body)
	return content, errors.Join(err, body.Close())
}

func describe(
	service string, req *http.Request, asked []byte, answer *http.Response, content []byte, err error,
) shape {
	e := shape{request: service + " " + requestText(req, asked), requestFields: fieldNames(req.Header, asked)}
	if err != nil || answer == nil {
		e.errorText = reason(err)
		return e
	}
	e.status = answer.StatusCode
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

const (
	tagsPath = "/api/vcenter/tagging/tags"
	// absentPath is a path that exists in no release.
	absentPath = "/api/vcenter/tagging/vsla-doctor"
)

const serviceAppliance = "appliance"

// words contains the segments of paths, the names and values of query parameters, the error types and the message IDs
// that can be published. All others are replaced with placeholders.
var words = wordSet(`GET POST DELETE api rest vr v2 com vmware cis session tagging category tag tag-association
	vcenter tags topology nodes vsla-doctor info pairings remote-session replications vrs replication-servers vcenters
	vms capability snapservice sessions about sites licenses clusters capabilities cluster-pairs protection-groups
	action ~action list-tags-for-category list-attached-tags list-attached-objects list-attached-objects-on-tags
	list-attached-tags-on-objects page_size limit sort_by order_by asc desc extended_info true false filter_property
	id name vm_id pairing_id marker names offset filter source_vc_guid local_clusters ALREADY_EXISTS
	ALREADY_IN_DESIRED_STATE CANCELED CONCURRENT_CHANGE ERROR FEATURE_IN_USE INTERNAL_SERVER_ERROR INVALID_ARGUMENT
	INVALID_ELEMENT_CONFIGURATION INVALID_ELEMENT_TYPE INVALID_REQUEST NOT_ALLOWED_IN_CURRENT_STATE NOT_FOUND
	OPERATION_NOT_FOUND RESOURCE_BUSY RESOURCE_INACCESSIBLE RESOURCE_IN_USE SERVICE_UNAVAILABLE TIMED_OUT
	UNABLE_TO_ALLOCATE_RESOURCE UNAUTHENTICATED UNAUTHORIZED UNEXPECTED_INPUT UNSUPPORTED UNVERIFIED_PEER
	com.vmware.vapi.rest.operationsForUrlNotFound com.vmware.vapi.rest.httpNotFound com.vmware.vapi.rest.badRequest
	com.vmware.vapi.endpoint.method.authentication.required
	com.vmware.vapi.endpoint.failedToLoginMaxUserSessionCountReached vapi.data.structure.field.missing
	vapi.method.input.invalid.method vapi.method.input.invalid.interface vapi.method.authentication.required`)

// choices contains the query parameters whose values are choices or counts. The values of others can be names of
// objects, which can be equal to words.
var choices = wordSet("action ~action sort_by order_by extended_info filter_property page_size limit offset")

func wordOr(word, placeholder string) string {
	if words[word] {
		return word
	}
	return placeholder
}

func requestText(req *http.Request, body []byte) string {
	if isXML(req.Header) {
		return req.Method + " SOAP " + operationName(body)
	}
	segments := strings.Split(strings.Trim(req.URL.EscapedPath(), "/"), "/")
	for i, segment := range segments {
		segments[i] = wordOr(segment, "{id}")
	}
	s := wordOr(req.Method, "{method}") + " /" + strings.Join(segments, "/")
	if query := queryOf(req.URL.Query()); query != "" {
		s += "?" + query
	}
	return s
}

func queryOf(query url.Values) string {
	var parts []string
	for name, values := range query {
		for _, value := range values {
			if !choices[name] || !isNumber(value) && !words[value] {
				value = "{value}"
			}
			parts = append(parts, wordOr(name, "{parameter}")+"="+value)
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "&")
}

func isNumber(s string) bool {
	const maxDigits = 6
	return s != "" && len(s) <= maxDigits && strings.Trim(s, "0123456789") == ""
}
