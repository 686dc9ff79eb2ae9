package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Facts is the content of a contract file. Value types are written as phrases:
//
//	[required] [nullable] KIND [MIN..MAX] [in UNIT]
//
// KIND is string, uuid, datetime, boolean, number, int32, int64, object, any or the name of a type. It can also be
// "list of", "set of" or "map of" followed by another phrase, or "enum" followed by the values. MIN and MAX can be
// omitted. UNIT is the unit that the vendor's description states.
type Facts struct {
	Operations map[string]Operation `json:"operations"`
	Types      map[string]Object    `json:"types"`
}

// Operation is an API operation.
type Operation struct {
	// Call is the method and the path, separated by a space.
	Call string `json:"call"`
	// Auth lists alternative authentication schemes.
	Auth []string `json:"auth"`
	// Path and Query map parameter names to value types.
	Path  map[string]string `json:"path,omitempty"`
	Query map[string]string `json:"query,omitempty"`
	Body  string            `json:"body,omitempty"`
	// Answers maps each status to the body type, which is empty if there is no body.
	Answers map[string]string `json:"answers"`
}

// Object is an object type. It inherits the fields of Extends.
type Object struct {
	Nullable bool              `json:"nullable,omitempty"`
	Extends  string            `json:"extends,omitempty"`
	Fields   map[string]string `json:"fields"`
	// Requires lists inherited fields that are required in this type.
	Requires []string `json:"requires,omitempty"`
}

const (
	// RefPrefix is the prefix of type references.
	RefPrefix = "#/components/schemas/"
	// MediaType is the media type of every body.
	MediaType = "application/json"
)

// ParseFacts parses a contract file.
func ParseFacts(text []byte) (Facts, error) {
	var f Facts
	if err := json.Unmarshal(text, &f); err != nil {
		return Facts{}, fmt.Errorf("the contract's file: %w", err)
	}
	return f, nil
}

// Document converts the facts to an OpenAPI document with resolved references.
func (f Facts) Document(sessionHeader string) (*openapi3.T, error) {
	basic := openapi3.NewSecurityScheme().WithType("http").WithScheme("basic")
	session := openapi3.NewSecurityScheme().WithType("apiKey").WithIn(openapi3.ParameterInHeader)
	session.Name = sessionHeader
	doc := &openapi3.T{
		OpenAPI: "3.0.1",
		Info:    &openapi3.Info{Title: "contract", Version: "1"},
		Paths:   openapi3.NewPaths(),
		Components: &openapi3.Components{
			Schemas: openapi3.Schemas{},
			SecuritySchemes: openapi3.SecuritySchemes{
				"BasicAuth":            {Value: basic},
				"RemoteLoginBasicAuth": {Value: basic},
				"SessionHeader":        {Value: session},
			},
		},
	}
	for name, o := range f.Types {
		schema, err := o.schema()
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", name, err)
		}
		doc.Components.Schemas[name] = schema.NewRef()
	}
	for id, o := range f.Operations {
		op, err := o.openAPI(id)
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", id, err)
		}
		method, path, _ := strings.Cut(o.Call, " ")
		doc.AddOperation(ActionPath(path), method, op)
	}
	if err := openapi3.NewLoader().ResolveRefsIn(doc, nil); err != nil {
		return nil, err
	}
	return doc, nil
}

// ActionPath moves the action parameter from the query to the path, because routers ignore the query.
func ActionPath(path string) string { return strings.Replace(path, "?action=", "/actions/", 1) }

func (o Object) schema() (*openapi3.Schema, error) {
	s := openapi3.NewObjectSchema()
	s.Nullable = o.Nullable
	if o.Extends != "" {
		s.AllOf = openapi3.SchemaRefs{openapi3.NewSchemaRef(RefPrefix+o.Extends, nil)}
	}
	s.Required = slices.Clone(o.Requires)
	s.Properties = make(openapi3.Schemas, len(o.Fields))
	for name, phrase := range o.Fields {
		field, required, err := parse(phrase)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", name, err)
		}
		s.Properties[name] = field
		if required {
			s.Required = append(s.Required, name)
		}
	}
	return s, nil
}

func (o Operation) openAPI(id string) (*openapi3.Operation, error) {
	op := openapi3.NewOperation()
	op.OperationID = id
	op.Security = openapi3.NewSecurityRequirements()
	for _, scheme := range o.Auth {
		op.Security.With(openapi3.SecurityRequirement{scheme: {}})
	}
	for in, parameters := range map[string]map[string]string{
		openapi3.ParameterInPath:  o.Path,
		openapi3.ParameterInQuery: o.Query,
	} {
		for name, phrase := range parameters {
			schema, required, err := parse(phrase)
			if err != nil {
				return nil, fmt.Errorf("parameter %s: %w", name, err)
			}
			op.AddParameter(&openapi3.Parameter{Name: name, In: in, Required: required, Schema: schema})
		}
	}
	if o.Body != "" {
		schema, required, err := parse(o.Body)
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		body := openapi3.NewRequestBody().WithRequired(required).WithContent(content(schema))
		op.RequestBody = &openapi3.RequestBodyRef{Value: body}
	}
	op.Responses = openapi3.NewResponsesWithCapacity(len(o.Answers))
	for status, phrase := range o.Answers {
		response := openapi3.NewResponse().WithDescription(status)
		if phrase != "" {
			schema, _, err := parse(phrase)
			if err != nil {
				return nil, fmt.Errorf("answer %s: %w", status, err)
			}
			response = response.WithContent(content(schema))
		}
		op.Responses.Set(status, &openapi3.ResponseRef{Value: response})
	}
	return op, nil
}

func content(schema *openapi3.SchemaRef) openapi3.Content {
	return openapi3.NewContentWithSchemaRef(schema, []string{MediaType})
}

// Check returns an error if the phrase is invalid.
func Check(phrase string) error {
	_, _, err := parse(phrase)
	return err
}

func parse(phrase string) (schema *openapi3.SchemaRef, required bool, err error) {
	phrase, required = strings.CutPrefix(phrase, "required ")
	phrase, nullable := strings.CutPrefix(phrase, "nullable ")
	if items, set := strings.CutPrefix(phrase, "set of "); set || strings.HasPrefix(phrase, "list of ") {
		item, _, err := parse(strings.TrimPrefix(items, "list of "))
		if err != nil {
			return nil, false, err
		}
		array := openapi3.NewArraySchema().WithUniqueItems(set)
		array.Items = item
		array.Nullable = nullable
		return array.NewRef(), required, nil
	}
	if values, ok := strings.CutPrefix(phrase, "map of "); ok {
		value, _, err := parse(values)
		if err != nil {
			return nil, false, err
		}
		object := openapi3.NewObjectSchema()
		object.AdditionalProperties = openapi3.AdditionalProperties{Schema: value}
		object.Nullable = nullable
		return object.NewRef(), required, nil
	}
	if values, ok := strings.CutPrefix(phrase, "enum "); ok {
		enum := openapi3.NewStringSchema()
		enum.Nullable = nullable
		for value := range strings.FieldsSeq(values) {
			enum.Enum = append(enum.Enum, value)
		}
		return enum.NewRef(), required, nil
	}
	phrase, unit, _ := strings.Cut(phrase, " in ")
	kind, limits, limited := strings.Cut(phrase, " ")
	s := scalar(kind)
	if s == nil {
		if kind == "" || limited || nullable || unit != "" {
			return nil, false, fmt.Errorf("%q is not a phrase of this notation", phrase)
		}
		return openapi3.NewSchemaRef(RefPrefix+kind, nil), required, nil
	}
	s.Nullable = nullable
	s.Description = unit
	if limited {
		if err := limit(s, limits); err != nil {
			return nil, false, err
		}
	}
	return s.NewRef(), required, nil
}

func scalar(kind string) *openapi3.Schema {
	switch kind {
	case "string":
		return openapi3.NewStringSchema()
	case "uuid":
		return openapi3.NewUUIDSchema()
	case "datetime":
		return openapi3.NewDateTimeSchema()
	case "number":
		return openapi3.NewFloat64Schema()
	case "boolean":
		return openapi3.NewBoolSchema()
	case "int32":
		return openapi3.NewInt32Schema()
	case "int64":
		return openapi3.NewInt64Schema()
	case "object":
		return openapi3.NewObjectSchema()
	case "any":
		return openapi3.NewSchema()
	default:
		return nil
	}
}

func limit(s *openapi3.Schema, limits string) error {
	low, high, ok := strings.Cut(limits, "..")
	if !ok {
		return fmt.Errorf("%q is not a range", limits)
	}
	for _, end := range []struct {
		text string
		into **float64
	}{{low, &s.Min}, {high, &s.Max}} {
		if end.text == "" {
			continue
		}
		n, err := strconv.ParseFloat(end.text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a limit: %w", end.text, err)
		}
		*end.into = &n
	}
	return nil
}
