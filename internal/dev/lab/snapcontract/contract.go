// Package snapcontract contains the contract of the vSAN Data Protection 9.1 operations used by vsla. Types and errors
// are from the vendor's SDK. Parameters and statuses are from the vendor's OpenAPI document. Only tests import the
// package.
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

//go:embed contract.json
var contractJSON []byte

const base = "/api"

// Load returns the contract.
var Load = contract.Loader("vSAN Data Protection", contractJSON, contract.Options{
	Base:          base,
	SessionHeader: "vmware-api-session-id",
	Tighten:       tighten,
	Canonical:     canonical,
})

func tighten(doc *openapi3.T) {
	contract.DeclareErrors(doc)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			contract.Declare(op, http.StatusTooManyRequests)
		}
	}
}

// canonical moves the action from the query to the path. It makes GET requests with a body fail, because proxies drop
// such bodies.
func canonical(r *http.Request, body []byte) (contract.Canonical, bool) {
	c := contract.Canonical{Method: r.Method, Body: body, Answer: answer}
	if !strings.HasPrefix(r.URL.Path, base+"/snapservice") {
		return c, false
	}
	query := r.URL.Query()
	path := r.URL.Path
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

// statuses maps error types to HTTP statuses. Other types have status 400.
var statuses = map[string]int{
	"UNAUTHENTICATED":       http.StatusUnauthorized,
	"UNAUTHORIZED":          http.StatusForbidden,
	"NOT_FOUND":             http.StatusNotFound,
	"OPERATION_NOT_FOUND":   http.StatusNotFound,
	"ERROR":                 http.StatusInternalServerError,
	"RESOURCE_INACCESSIBLE": http.StatusInternalServerError,
	"SERVICE_UNAVAILABLE":   http.StatusServiceUnavailable,
}

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
