// Package contract checks requests and responses in tests against the description of an API, for servers and clients.
//
// A contract is a JSON file with the facts of a vendor's description in this project's own notation.
package contract

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"
)

// Options describe how an API is served.
type Options struct {
	// Base is the base path of the operations.
	Base string
	// SessionHeader is the header of the session.
	SessionHeader string
	// Tighten corrects gaps and errors in the vendor's description. Unknown properties are forbidden afterwards.
	Tighten func(*openapi3.T)
	// Canonical converts a request to the form of the contract; false skips the check. By default requests are
	// checked unchanged.
	Canonical func(r *http.Request, body []byte) (Canonical, bool)
}

// Canonical is a request in the form of the contract.
type Canonical struct {
	Method string
	URL    *url.URL
	Body   []byte
	// Answer converts a response to the form of the contract; success is the declared status of success.
	Answer func(status int, body []byte, success int) (int, []byte, error)
}

// Definition is the immutable contract of an API.
type Definition struct {
	options Options
	doc     *openapi3.T
	router  routers.Router
}

// Define parses a contract from the text of its file.
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
	// This router rejects trailing slashes and empty segments, so that an empty ID does not match a listing.
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	return &Definition{options, doc, router}, nil
}

// Loader returns a function that parses a contract on its first call. name is used in failures.
func Loader(name string, text []byte, options Options) func(testing.TB) *Definition {
	once := sync.OnceValues(func() (*Definition, error) { return Define(text, options) })
	return func(tb testing.TB) *Definition {
		tb.Helper()
		d, err := once()
		require.NoError(tb, err, name)
		return d
	}
}

// flatten merges properties inherited by allOf, so that unknown properties can be forbidden.
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

// Declare adds missing statuses without a body to an operation.
func Declare(op *openapi3.Operation, statuses ...int) {
	for _, status := range statuses {
		if op.Responses.Status(status) == nil {
			op.AddResponse(status, openapi3.NewResponse().WithDescription(http.StatusText(status)))
		}
	}
}

// DeclareErrors declares the errors of every vAPI operation, which SDKs may omit.
func DeclareErrors(doc *openapi3.T) {
	const errorType = "vapi.std.errors.error"
	content := openapi3.NewContentWithSchemaRef(
		openapi3.NewSchemaRef(RefPrefix+errorType, doc.Components.Schemas[errorType].Value), []string{MediaType},
	)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, status := range []int{400, 401, 403, 404, 500, 503} {
				if op.Responses.Status(status) == nil {
					op.AddResponse(status, openapi3.NewResponse().WithDescription(http.StatusText(status)).WithContent(content))
				}
			}
		}
	}
}

// Fields returns the sorted names of a type's fields, including inherited ones.
func (d *Definition) Fields(name string) []string {
	ref := d.doc.Components.Schemas[name]
	if ref == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(ref.Value.Properties))
}
