// Package snapcontract is the contract of vSAN Data Protection 9.1, as far as vsla uses it: types and errors as the
// vendor's SDK describes them, parameters and statuses as the vendor's OpenAPI document does. It is imported by tests
// only.
package snapcontract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// contractJSON holds the facts.
//
//go:embed contract.json
var contractJSON []byte

const (
	base      = "/api"
	errorType = "vapi.std.errors.error"
)

// define reads the contract once: all tests share it.
var define = sync.OnceValues(func() (*contract.Definition, error) {
	return contract.Define(contractJSON, contract.Options{
		Base: base, SessionHeader: "vmware-api-session-id", Tighten: tighten, Canonical: canonical,
	})
})

// Load returns the contract without exchanges.
func Load(tb testing.TB) *contract.Contract {
	tb.Helper()
	d, err := define()
	if err != nil {
		tb.Fatalf("the contract of vSAN Data Protection: %v", err)
	}
	return d.Start()
}

// tighten declares the errors that every operation can have, and empties no id: the path has to name one.
func tighten(doc *openapi3.T) {
	content := openapi3.NewContentWithSchemaRef(
		openapi3.NewSchemaRef(contract.RefPrefix+errorType, doc.Components.Schemas[errorType].Value),
		[]string{contract.MediaType},
	)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, status := range []int{400, 401, 403, 404, 500, 503} {
				if op.Responses.Status(status) == nil {
					op.AddResponse(status, openapi3.NewResponse().WithDescription(http.StatusText(status)).WithContent(content))
				}
			}
			contract.Declare(op, http.StatusTooManyRequests)
		}
	}
}

// canonical puts the action of a request into its path. A body in a GET would be a rule by tags, which proxies drop.
func canonical(r *http.Request, body []byte) (contract.Canonical, bool) {
	c := contract.Canonical{Method: r.Method, Body: body, Answer: answer}
	if !strings.HasPrefix(r.URL.Path, base+"/snapservice") {
		return c, false
	}
	query, path := r.URL.Query(), r.URL.Path
	if action := query.Get("action"); action != "" {
		path += "/actions/" + action
	}
	query.Del("action")
	if r.Method == http.MethodGet && len(body) > 0 {
		path += "/body-of-a-get"
	}
	c.URL = &url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host, Path: path, RawQuery: query.Encode()}
	return c, true
}

// statuses are those of the error types; all others are 400.
var statuses = map[string]int{
	"UNAUTHENTICATED":       http.StatusUnauthorized,
	"UNAUTHORIZED":          http.StatusForbidden,
	"NOT_FOUND":             http.StatusNotFound,
	"OPERATION_NOT_FOUND":   http.StatusNotFound,
	"ERROR":                 http.StatusInternalServerError,
	"RESOURCE_INACCESSIBLE": http.StatusInternalServerError,
	"SERVICE_UNAVAILABLE":   http.StatusServiceUnavailable,
}

// answer checks that the type of an error fits its status.
func answer(status int, body []byte, _ int) (int, []byte, error) {
	if status < http.StatusBadRequest || status == http.StatusTooManyRequests {
		return status, body, nil
	}
	var e struct {
		Type string `json:"error_type"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return 0, nil, fmt.Errorf("the error is not JSON: %w", err)
	}
	want, known := statuses[e.Type]
	if !known {
		want = http.StatusBadRequest
	}
	if e.Type == "" || want != status {
		return 0, nil, fmt.Errorf("the error %q has the status %d", e.Type, status)
	}
	return status, body, nil
}
