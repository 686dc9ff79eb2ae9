// Package contract lets tests of servers and clients validate requests and responses against an API description.
//
// A contract is a JSON file that contains the facts from a vendor's API description in this project's own notation.
package contract

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"
)

// Options describe how an API is served.
type Options struct {
	Base          string
	SessionHeader string
	// Tighten fills gaps and corrects errors in the vendor's description. Define forbids unknown properties afterwards.
	Tighten func(*openapi3.T)
	// Canonical converts a request to the form that the contract describes. If it returns false, the request is not
	// validated. If Canonical is nil, requests are validated unchanged.
	Canonical func(r *http.Request, body []byte) (Canonical, bool)
}

// Canonical is a request in the form that the contract describes.
type Canonical struct {
	Method string
	URL    *url.URL
	Body   []byte
	// Answer converts a response to the form that the contract describes. success is the declared success status.
	Answer func(status int, body []byte, success int) (int, []byte, error)
}

// Definition is an immutable API contract.
type Definition struct {
	options Options
	doc     *openapi3.T
	router  routers.Router
}

// Define parses the text of a contract file.
func Define(text []byte, options Options) (*Definition, error) {
	f, err := ParseFacts(text)
	if err != nil {
		return nil, err
	}
	doc, err := f.Document(options.SessionHeader)
	if err != nil {
		return nil, err
	}
	doc.Servers = openapi3.Servers{{URL: options.Base}}
	if options.Tighten != nil {
		options.Tighten(doc)
	}
	for _, ref := range doc.Components.Schemas {
		flatten(ref.Value)
	}
	for _, ref := range doc.Components.Schemas {
		forbidUnknown(ref.Value)
	}
	if err := doc.Validate(openapi3.NewLoader().Context); err != nil {
		return nil, fmt.Errorf("the contract is not valid: %w", err)
	}
	// This router rejects trailing slashes and empty segments, so that a path with an empty ID does not match the list
	// operation.
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	return &Definition{options, doc, router}, nil
}

// Loader returns a function that parses a contract on its first call. Failure messages include name.
func Loader(name string, text []byte, options Options) func(testing.TB) *Definition {
	once := sync.OnceValues(func() (*Definition, error) { return Define(text, options) })
	return func(tb testing.TB) *Definition {
		tb.Helper()
		d, err := once()
		require.NoError(tb, err, name)
		return d
	}
}

// flatten copies properties inherited through allOf into the schema, so that unknown properties can be forbidden.
func flatten(s *openapi3.Schema) {
	for _, part := range s.AllOf {
		flatten(part.Value)
		merged := maps.Clone(part.Value.Properties)
		if merged == nil {
			merged = make(openapi3.Schemas)
		}
		maps.Copy(merged, s.Properties)
		s.Properties = merged
		s.Required = append(s.Required, part.Value.Required...)
	}
	s.AllOf = nil
	slices.Sort(s.Required)
	s.Required = slices.Compact(s.Required)
}

func forbidUnknown(s *openapi3.Schema) {
	if len(s.Properties) > 0 {
		closed := false
		s.AdditionalProperties = openapi3.AdditionalProperties{Has: &closed}
	}
}

// Declare adds a response without a body for each status that the operation does not declare yet.
func Declare(op *openapi3.Operation, statuses ...int) {
	for _, status := range statuses {
		if op.Responses.Status(status) == nil {
			op.AddResponse(status, openapi3.NewResponse().WithDescription(http.StatusText(status)))
		}
	}
}

// DeclareErrors declares the errors that every vAPI operation can return, because some SDKs omit them.
func DeclareErrors(doc *openapi3.T) {
	const errorType = "vapi.std.errors.error"
	content := openapi3.NewContentWithSchemaRef(
		openapi3.NewSchemaRef(RefPrefix+errorType, doc.Components.Schemas[errorType].Value), []string{MediaType},
	)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, status := range []int{400, 401, 403, 404, 500, 503} {
				if op.Responses.Status(status) == nil {
					op.AddResponse(
						status,
						openapi3.NewResponse().WithDescription(http.StatusText(status)).WithContent(content),
					)
				}
			}
		}
	}
}

// Fields returns the sorted field names of a type, including inherited fields.
func (d *Definition) Fields(name string) []string {
	ref := d.doc.Components.Schemas[name]
	if ref == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(ref.Value.Properties))
}

// check validates a request without changing it. It returns false if the contract does not cover the request.
func (d *Definition) check(r *http.Request) (checked, bool) {
	k := checked{contract: d}
	body, err := drain(&r.Body)
	if err != nil {
		k.err = err
		return k, true
	}
	clone := r.Clone(r.Context())
	if d.options.Canonical != nil {
		form, ok := d.options.Canonical(r, body)
		if !ok {
			return k, false
		}
		if len(body) == 0 && len(form.Body) > 0 {
			clone.Header.Set("Content-Type", MediaType)
		}
		clone.Method = form.Method
		clone.URL = form.URL
		body = form.Body
		k.answerOf = form.Answer
		clone.ContentLength = int64(len(body))
	}
	clone.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := d.router.FindRoute(clone)
	if err != nil {
		k.err = fmt.Errorf("no operation of the contract: %w", err)
		return k, true
	}
	k.route = route
	k.input = &openapi3filter.RequestValidationInput{
		Request:    clone,
		PathParams: params,
		Route:      route,
		Options:    d.validation(),
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

// Strict wraps a handler and fails the test if a request or its response violates the contract.
func (d *Definition) Strict(tb testing.TB, next http.Handler) http.Handler {
	tb.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, concerned := d.check(r)
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
		if k.err == nil {
			k.err = undeclared(k.route, k.input.Request)
		}
		if k.err != nil {
			tb.Errorf("contract: %s %s is answered %d, and should be refused: %v", r.Method, r.URL.Path, status, k.err)
			return
		}
		if err := k.answer(r.Context(), status, recorder.Header(), body); err != nil {
			tb.Errorf("contract: the answer to %s: %v", k.route.Operation.OperationID, err)
		}
	})
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
