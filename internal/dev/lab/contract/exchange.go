package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"
)

// validation returns the options of the validator.
func (d *Definition) validation() *openapi3filter.Options {
	return &openapi3filter.Options{
		IncludeResponseStatus: true,
		// Otherwise, the validator would add default values to the query.
		SkipSettingDefaults: true,
		AuthenticationFunc:  d.authenticate,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{
			openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(isUUID)),
		},
	}
}

// isUUID accepts only the usual form with 36 characters, because uuid.Validate also accepts UUIDs in braces, with the
// prefix urn:uuid: and without hyphens.
func isUUID(s string) error {
	if len(s) != 36 {
		return fmt.Errorf("%q is not a UUID", s)
	}
	return uuid.Validate(s)
}

// authenticate requires that credentials are present. Only the server can verify them. Facts.Document declares no other
// schemes than SessionHeader and two with basic authentication.
func (d *Definition) authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	r := in.RequestValidationInput.Request
	if in.SecuritySchemeName == "SessionHeader" {
		if r.Header.Get(d.options.SessionHeader) == "" {
			return errors.New("missing header " + d.options.SessionHeader)
		}
		return nil
	}
	if _, _, ok := r.BasicAuth(); !ok {
		return errors.New("missing basic authentication")
	}
	return nil
}

// exchange is a request of an operation of the contract, whose response is still to be validated.
type exchange struct {
	contract *Definition
	input    *openapi3filter.RequestValidationInput
	route    *routers.Route
	// canonicalAnswer is Canonical.Answer, which may be nil.
	canonicalAnswer func(status int, body []byte, success int) (int, []byte, error)
	// err is the violation of the contract by the request. route and input are nil if there is no such operation.
	err error
}

func (e exchange) validateResponse(ctx context.Context, status int, header http.Header, body []byte) error {
	if e.canonicalAnswer != nil {
		var err error
		status, body, err = e.canonicalAnswer(status, body, e.success())
		if err != nil {
			return err
		}
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: e.input,
		Status:                 status,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                e.contract.validation(),
	})
}

// success returns the lowest status of the operation, which is that of its success.
func (e exchange) success() int {
	lowest := 0
	for text := range e.route.Operation.Responses.Map() {
		status, err := strconv.Atoi(text)
		isLower := lowest == 0 || status < lowest
		if err == nil && isLower {
			lowest = status
		}
	}
	return lowest
}

// check validates a request without changing it. It returns false if the contract does not cover the request.
func (d *Definition) check(r *http.Request) (exchange, bool) {
	e := exchange{contract: d}
	body, err := drain(&r.Body)
	if err != nil {
		e.err = err
		return e, true
	}
	clone := r.Clone(r.Context())
	if d.options.Canonical != nil {
		form, ok := d.options.Canonical(r, body)
		if !ok {
			return e, false
		}
		if len(body) == 0 && len(form.Body) > 0 {
			clone.Header.Set("Content-Type", MediaType)
		}
		clone.Method = form.Method
		clone.URL = form.URL
		body = form.Body
		e.canonicalAnswer = form.Answer
		clone.ContentLength = int64(len(body))
	}
	clone.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := d.router.FindRoute(clone)
	if err != nil {
		e.err = fmt.Errorf("no operation of the contract: %w", err)
		return e, true
	}
	e.route = route
	e.input = &openapi3filter.RequestValidationInput{
		Request:    clone,
		PathParams: params,
		Route:      route,
		Options:    d.validation(),
	}
	e.err = openapi3filter.ValidateRequest(r.Context(), e.input)
	return e, true
}

// drain reads a body and replaces it, so that it can be read again.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	read, err := io.ReadAll(*body)
	_ = (*body).Close()
	*body = io.NopCloser(bytes.NewReader(read))
	return read, err
}

// Strict wraps a handler and fails the test if a request or its response violates the contract.
func (d *Definition) Strict(tb testing.TB, next http.Handler) http.Handler {
	tb.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, concerned := d.check(r)
		if !concerned {
			next.ServeHTTP(w, r)
			return
		}
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		status := recorder.Code
		body := recorder.Body.Bytes()
		maps.Copy(w.Header(), recorder.Header())
		w.WriteHeader(status)
		_, _ = w.Write(body)
		if e.err == nil {
			e.err = undeclared(e.route, e.input.Request)
		}
		if e.err != nil {
			tb.Errorf("contract: %s %s is answered %d, and should be refused: %v", r.Method, r.URL.Path, status, e.err)
			return
		}
		if err := e.validateResponse(r.Context(), status, recorder.Header(), body); err != nil {
			tb.Errorf("contract: the answer to %s: %v", e.route.Operation.OperationID, err)
		}
	})
}

// undeclared returns an error if the request has a query parameter that its operation does not declare. The validator
// ignores such parameters.
func undeclared(route *routers.Route, r *http.Request) error {
	for name := range r.URL.Query() {
		known := slices.ContainsFunc(route.Operation.Parameters, func(p *openapi3.ParameterRef) bool {
			return p.Value.In == openapi3.ParameterInQuery && p.Value.Name == name
		})
		if !known {
			return fmt.Errorf("%s has no query parameter %q", strings.TrimSpace(route.Operation.OperationID), name)
		}
	}
	return nil
}
