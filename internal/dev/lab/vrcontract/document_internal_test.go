package vrcontract

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// variable names the file of the vendor's OpenAPI document. By default it is expected next to the repository.
const variable = "VSLA_VR_OPENAPI"

const defaultFile = "../../../../../shared/api/vsphere-replication-v2.openapi.json"

var update = flag.Bool("update", false, "write contract.json from the vendor's document")

// TestContract_vendor compares the committed contract with the vendor's document. The document is not part of this
// repository: where it is missing this one comparison cannot be made.
func TestContract_vendor(t *testing.T) {
	t.Parallel()
	file, named := os.LookupEnv(variable)
	if !named {
		file = filepath.FromSlash(defaultFile)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !named && !*update {
		t.Skipf("the vendor's document is not at %s; %s names another file", file, variable)
	}
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	f, err := extract(doc)
	require.NoError(t, err)
	got := encode(t, f)
	if *update {
		require.NoError(t, os.WriteFile("contract.json", []byte(got), 0o600))
		return
	}
	assert.Equal(t, string(contractJSON), got,
		"contract.json differs from %s: run make vr-contract and review the changes", file)
}

// TestFacts_roundTrip extracts the facts of the document that is built from them.
func TestFacts_roundTrip(t *testing.T) {
	t.Parallel()
	f, err := contract.ParseFacts(contractJSON)
	require.NoError(t, err)
	doc, err := f.Document("x-dr-session")
	require.NoError(t, err)
	again, err := extract(doc)
	require.NoError(t, err)
	assert.Equal(t, string(contractJSON), encode(t, again), "contract.json differs from the facts of its own document")
}

func encode(t *testing.T, f contract.Facts) string {
	t.Helper()
	text, err := json.MarshalIndent(f, "", " ")
	require.NoError(t, err)
	return string(text) + "\n"
}

func extract(doc *openapi3.T) (contract.Facts, error) {
	f := contract.Facts{Operations: map[string]contract.Operation{}, Types: map[string]contract.Object{}}
	for name, ref := range doc.Components.Schemas {
		o, err := extractType(ref.Value)
		if err != nil {
			return contract.Facts{}, fmt.Errorf("type %s: %w", name, err)
		}
		f.Types[name] = o
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o, err := extractOperation(op)
			if err != nil {
				return contract.Facts{}, fmt.Errorf("operation %s: %w", op.OperationID, err)
			}
			o.Call = method + " " + path
			f.Operations[op.OperationID] = o
		}
	}
	return f, nil
}

func extractType(s *openapi3.Schema) (contract.Object, error) {
	o := contract.Object{Nullable: s.Nullable, Fields: map[string]string{}}
	switch {
	case !s.Type.Is("object"):
		return o, fmt.Errorf("the type is %v, not object", s.Type)
	case len(s.AllOf) > 1:
		return o, errors.New("it extends more than one type")
	case len(s.AllOf) == 1:
		o.Extends = strings.TrimPrefix(s.AllOf[0].Ref, contract.RefPrefix)
	}
	for name, ref := range s.Properties {
		phrase, err := phraseOf(ref)
		if err != nil {
			return o, fmt.Errorf("field %s: %w", name, err)
		}
		o.Fields[name] = phrase
	}
	for _, name := range s.Required {
		if phrase, own := o.Fields[name]; own {
			o.Fields[name] = "required " + phrase
		} else {
			o.Requires = append(o.Requires, name)
		}
	}
	slices.Sort(o.Requires)
	return o, nil
}

func extractOperation(op *openapi3.Operation) (contract.Operation, error) {
	o := contract.Operation{Path: map[string]string{}, Query: map[string]string{}, Answers: map[string]string{}}
	if op.Security != nil {
		for _, requirement := range *op.Security {
			for scheme := range requirement {
				o.Auth = append(o.Auth, scheme)
			}
		}
	}
	for _, ref := range op.Parameters {
		phrase, err := phraseOf(ref.Value.Schema)
		if err != nil {
			return o, fmt.Errorf("parameter %s: %w", ref.Value.Name, err)
		}
		if ref.Value.Required {
			phrase = "required " + phrase
		}
		into := map[string]map[string]string{
			openapi3.ParameterInPath: o.Path, openapi3.ParameterInQuery: o.Query,
		}[ref.Value.In]
		if into == nil {
			return o, fmt.Errorf("parameter %s is in %s", ref.Value.Name, ref.Value.In)
		}
		into[ref.Value.Name] = phrase
	}
	if op.RequestBody != nil {
		phrase, err := phraseOfContent(op.RequestBody.Value.Content)
		if err != nil {
			return o, fmt.Errorf("body: %w", err)
		}
		if op.RequestBody.Value.Required {
			phrase = "required " + phrase
		}
		o.Body = phrase
	}
	for status, ref := range op.Responses.Map() {
		if len(ref.Value.Content) == 0 {
			o.Answers[status] = ""
			continue
		}
		phrase, err := phraseOfContent(ref.Value.Content)
		if err != nil {
			return o, fmt.Errorf("answer %s: %w", status, err)
		}
		o.Answers[status] = phrase
	}
	return o, nil
}

func phraseOfContent(c openapi3.Content) (string, error) {
	if len(c) != 1 || c[contract.MediaType] == nil {
		return "", errors.New("the content is not " + contract.MediaType)
	}
	return phraseOf(c[contract.MediaType].Schema)
}

func phraseOf(ref *openapi3.SchemaRef) (string, error) {
	if ref.Ref != "" {
		return strings.TrimPrefix(ref.Ref, contract.RefPrefix), nil
	}
	s := ref.Value
	phrase, err := kindOf(s)
	if err != nil {
		return "", err
	}
	if s.Nullable {
		phrase = "nullable " + phrase
	}
	if s.Min != nil || s.Max != nil {
		phrase += " " + number(s.Min) + ".." + number(s.Max)
	}
	return phrase, nil
}

func kindOf(s *openapi3.Schema) (string, error) {
	switch {
	case s.Type.Is("array"):
		items, err := phraseOf(s.Items)
		if s.UniqueItems {
			return "set of " + items, err
		}
		return "list of " + items, err
	case len(s.Enum) > 0:
		return strings.TrimSpace("enum " + strings.Trim(fmt.Sprint(s.Enum), "[]")), nil
	case s.Type.Is("integer") && (s.Format == "int32" || s.Format == "int64"), s.Type.Is("string") && s.Format == "uuid":
		return s.Format, nil
	case (s.Type.Is("string") || s.Type.Is("boolean") || s.Type.Is("object") && len(s.Properties) == 0) && s.Format == "":
		return (*s.Type)[0], nil
	default:
		return "", fmt.Errorf("the notation has no word for %v %q", s.Type, s.Format)
	}
}

func number(f *float64) string {
	if f == nil {
		return ""
	}
	return fmt.Sprint(*f)
}
