// Package tagcontract contains the contract of vCenter's tagging, session and topology operations. The part under /api
// is from the vendor's SDK. The part under /rest is derived from it with the vendor's mapping. Only tests import the
// package.
package tagcontract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// contractJSON contains the facts of the vendor's SDK. `make tag-contract` regenerates it.
//
//go:embed contract.json
var contractJSON []byte

const (
	apiBase     = "/api"
	restTagging = "/rest/com/vmware/cis/tagging/"
	restSession = "/rest/com/vmware/cis/session"
)

// Load returns the contract.
var Load = contract.Loader("tagging", contractJSON, contract.Options{
	Base:          apiBase,
	SessionHeader: "vmware-api-session-id",
	Tighten:       contract.DeclareErrors,
	Canonical:     canonical,
})

func canonical(r *http.Request, body []byte) (contract.Canonical, bool) {
	c := contract.Canonical{Method: r.Method, Body: body, Answer: apiAnswer}
	query := r.URL.Query()
	path := r.URL.Path
	action := "action"
	rest := strings.HasPrefix(path, restTagging) || path == restSession
	switch {
	case rest:
		action = "~action"
		c.Answer = restAnswer
		path, c.Method, c.Body = fromREST(r, body)
	case path == apiBase+"/session", strings.HasPrefix(path, apiBase+"/cis/tagging/"),
		strings.HasPrefix(path, apiBase+"/vcenter/tagging/"), strings.HasPrefix(path, apiBase+"/vcenter/topology/"):
	default:
		return c, false
	}
	if name := query.Get(action); name != "" && path != apiBase+"/session" {
		path += "/actions/" + name
	}
	query.Del(action)
	c.URL = &url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host, Path: path, RawQuery: query.Encode()}
	return c, true
}

// fromREST converts a /rest request to the equivalent /api request. It removes the "id:" prefix from IDs and unwraps
// the bodies of create and update calls.
func fromREST(r *http.Request, body []byte) (path, method string, unwrapped []byte) {
	action := r.URL.Query().Get("~action")
	if r.URL.Path == restSession {
		if action == "get" {
			return apiBase + "/session", http.MethodGet, nil
		}
		return apiBase + "/session", r.Method, body
	}
	resource, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, restTagging), "/")
	path = apiBase + "/cis/tagging/" + resource
	id = strings.TrimPrefix(id, "id:")
	if action == "list-tags-for-category" {
		text, err := json.Marshal(map[string]string{"category_id": id})
		if err != nil {
			panic(err)
		}
		return path, r.Method, text
	}
	if id != "" {
		path += "/" + id
	}
	if action != "" || len(body) == 0 {
		return path, r.Method, body
	}
	var spec map[string]json.RawMessage
	if json.Unmarshal(body, &spec) == nil && len(spec) == 1 {
		wrapper := "create_spec"
		if r.Method == http.MethodPatch {
			wrapper = "update_spec"
		}
		if inner, ok := spec[wrapper]; ok {
			return path, r.Method, inner
		}
	}
	// An unwrapped spec is valid only under /api, so it must fail validation here.
	return path, r.Method, []byte("null")
}

var statuses = map[string]int{
	"ALREADY_EXISTS":        http.StatusBadRequest,
	"INVALID_ARGUMENT":      http.StatusBadRequest,
	"UNAUTHENTICATED":       http.StatusUnauthorized,
	"UNAUTHORIZED":          http.StatusForbidden,
	"NOT_FOUND":             http.StatusNotFound,
	"OPERATION_NOT_FOUND":   http.StatusNotFound,
	"INTERNAL_SERVER_ERROR": http.StatusInternalServerError,
	"SERVICE_UNAVAILABLE":   http.StatusServiceUnavailable,
}

// fits reports whether errors of this kind have this status. The status of an unknown kind is not checked.
func fits(kind string, status int) bool {
	want, known := statuses[kind]
	return !known || want == status
}

func apiAnswer(status int, body []byte, _ int) (int, []byte, error) {
	if status < http.StatusBadRequest {
		return status, body, nil
	}
	var e struct {
		Kind string `json:"error_type"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return 0, nil, fmt.Errorf("the error is not JSON: %w", err)
	}
	if e.Kind == "" || !fits(e.Kind, status) {
		return 0, nil, fmt.Errorf("the error %q has the status %d", e.Kind, status)
	}
	return status, body, nil
}

func restAnswer(status int, body []byte, success int) (int, []byte, error) {
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal(body, &envelope); err != nil {
		return 0, nil, fmt.Errorf("the answer is not a JSON object: %w", err)
	}
	value, ok := envelope["value"]
	if !ok {
		return 0, nil, fmt.Errorf("the answer has no value: %s", body)
	}
	if status >= http.StatusBadRequest {
		return restError(status, envelope)
	}
	if status != http.StatusOK || len(envelope) != 1 {
		return 0, nil, fmt.Errorf(
			"the status is %d with %d members, want 200 with the value alone",
			status,
			len(envelope),
		)
	}
	if string(value) == "null" {
		value = nil
	}
	return success, value, nil
}

func restError(status int, envelope map[string]json.RawMessage) (int, []byte, error) {
	var (
		kind  string
		value struct {
			Kind string `json:"error_type"`
		}
	)
	if err := json.Unmarshal(envelope["type"], &kind); err != nil {
		return 0, nil, fmt.Errorf("the error has no type: %w", err)
	}
	if err := json.Unmarshal(envelope["value"], &value); err != nil {
		return 0, nil, fmt.Errorf("the value of the error: %w", err)
	}
	name, ok := strings.CutPrefix(kind, "com.vmware.vapi.std.errors.")
	name = strings.ToUpper(name)
	sameKind := value.Kind == "" || value.Kind == name
	if !ok || !sameKind || !fits(name, status) {
		return 0, nil, fmt.Errorf("the error %s (%s) has the status %d", kind, value.Kind, status)
	}
	return status, envelope["value"], nil
}
