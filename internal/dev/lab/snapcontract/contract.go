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

	"github.com/getkin/kin-openapi/openapi3"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// contractJSON holds the facts.
//
//go:embed contract.json
var contractJSON []byte

const base = "/api"

// Load returns the contract without exchanges.
var Load = contract.Loader("vSAN Data Protection", contract.Once(contractJSON, contract.Options{
	Base: base, SessionHeader: "vmware-api-session-id", Tighten: tighten, Canonical: canonical,
}))

func tighten(doc *openapi3.T) {
	contract.DeclareErrors(doc)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
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
