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
	"testing/iotest"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
)

func (d *Definition) validation() *openapi3filter.Options {
	return &openapi3filter.Options{
		IncludeResponseStatus: true,
		// Otherwise the validator adds defaults to the query that the client did not send.
		SkipSettingDefaults: true,
		AuthenticationFunc:  d.authenticate,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{
			openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(isUUID)),
		},
	}
}

func isUUID(s string) error {
	if len(s) != 36 {
		return fmt.Errorf("%q is not a UUID", s)
	}
	return uuid.Validate(s)
}

// authenticate requires the credentials of a scheme. Only the server can check them.
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

type checked struct {
	contract *Contract
	input    *openapi3filter.RequestValidationInput
	route    *routers.Route
	answerOf func(status int, body []byte, success int) (int, []byte, error)
	err      error
}

// check validates a request without changing it. It returns false if the contract does not apply.
func (c *Contract) check(r *http.Request) (checked, bool) {
	k := checked{contract: c}
	body, err := drain(&r.Body)
	if err != nil {
		k.err = err
		return k, true
	}
	clone := r.Clone(r.Context())
	if c.options.Canonical != nil {
		form, ok := c.options.Canonical(r, body)
		if !ok {
			return k, false
		}
		if len(body) == 0 && len(form.Body) > 0 {
			clone.Header.Set("Content-Type", MediaType)
		}
		clone.Method, clone.URL, body, k.answerOf = form.Method, form.URL, form.Body, form.Answer
		clone.ContentLength = int64(len(body))
	}
	clone.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := c.router.FindRoute(clone)
	if err != nil {
		k.err = fmt.Errorf("no operation of the contract: %w", err)
		return k, true
	}
	k.route = route
	k.input = &openapi3filter.RequestValidationInput{
		Request: clone, PathParams: params, Route: route, Options: c.validation(),
	}
	k.err = openapi3filter.ValidateRequest(r.Context(), k.input)
	return k, true
}

func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	read, err := io.ReadAll(*body)
	_ = (*body).Close()
	*body = io.NopCloser(bytes.NewReader(read))
	return read, err
}

func (k checked) answer(ctx context.Context, status int, header http.Header, body []byte) error {
	if k.answerOf != nil {
		var err error
		if status, body, err = k.answerOf(status, body, k.success()); err != nil {
			return err
		}
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: k.input,
		Status:                 status,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                k.contract.validation(),
	})
}

func (k checked) success() int {
	lowest := 0
	for text := range k.route.Operation.Responses.Map() {
		if status, err := strconv.Atoi(text); err == nil && (lowest == 0 || status < lowest) {
			lowest = status
		}
	}
	return lowest
}

// Middleware fails the test if the handler returns an invalid response, or accepts an invalid request.
func (c *Contract) Middleware(tb testing.TB, next http.Handler) http.Handler {
	tb.Helper()
	return c.middleware(tb, next, false)
}

// Strict is Middleware for clients under test: invalid requests always fail the test.
func (c *Contract) Strict(tb testing.TB, next http.Handler) http.Handler {
	tb.Helper()
	return c.middleware(tb, next, true)
}

func (c *Contract) middleware(tb testing.TB, next http.Handler, strict bool) http.Handler {
	tb.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, concerned := c.check(r)
		if !concerned {
			next.ServeHTTP(w, r)
			return
		}
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		status, body := recorder.Code, recorder.Body.Bytes()
		maps.Copy(w.Header(), recorder.Header())
		w.WriteHeader(status)
		_, _ = w.Write(body)
		if k.err != nil && (strict || status < http.StatusBadRequest) {
			tb.Errorf("contract: %s %s is answered %d, and should be refused: %v", r.Method, r.URL.Path, status, k.err)
			return
		}
		if k.err == nil {
			k.err = undeclared(k.route, k.input.Request)
			assert.False(tb, k.err != nil && strict, "contract: the request %s %s: %v", r.Method, r.URL.Path, k.err)
		}
		if k.route == nil {
			return
		}
		if err := k.answer(r.Context(), status, recorder.Header(), body); err != nil {
			tb.Errorf("contract: the answer to %s: %v", k.route.Operation.OperationID, err)
			return
		}
		c.note(Exchange{k.route.Operation.OperationID, status})
	})
}

// Transport fails the test if a request or its response is invalid. Invalid requests are sent nevertheless.
func (c *Contract) Transport(tb testing.TB, next http.RoundTripper) http.RoundTripper {
	tb.Helper()
	return c.transport(tb, next, true)
}

// Requests is Transport for requests only, if responses are broken on purpose.
func (c *Contract) Requests(tb testing.TB, next http.RoundTripper) http.RoundTripper {
	tb.Helper()
	return c.transport(tb, next, false)
}

func (c *Contract) transport(tb testing.TB, next http.RoundTripper, answers bool) http.RoundTripper {
	tb.Helper()
	return &transport{c, tb, next, answers}
}

type transport struct {
	contract *Contract
	tb       testing.TB
	next     http.RoundTripper
	answers  bool
}

func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	k, concerned := tr.contract.check(out)
	if !concerned {
		return tr.next.RoundTrip(out)
	}
	if k.err == nil {
		k.err = undeclared(k.route, k.input.Request)
	}
	if k.err != nil {
		tr.tb.Errorf("contract: the request %s %s: %v", r.Method, r.URL.Path, k.err)
	}
	res, err := tr.next.RoundTrip(out)
	if err != nil || k.route == nil {
		return res, err
	}
	body, cut := drain(&res.Body)
	if cut != nil { // the client has to detect it
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(cut)))
		return res, nil
	}
	id := k.route.Operation.OperationID
	if err := k.answer(r.Context(), res.StatusCode, res.Header, body); err != nil {
		if tr.answers {
			tr.tb.Errorf("contract: the answer to %s: %v", id, err)
		}
		return res, nil
	}
	if k.err == nil {
		tr.contract.note(Exchange{id, res.StatusCode})
	}
	return res, nil
}

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
