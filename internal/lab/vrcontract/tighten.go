// What the vendor's document leaves open or gets wrong, corrected in memory.

package vrcontract

import (
	"maps"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// base is where the API is served; the document names no servers.
const base = "/api/rest/vr/v2"

func tighten(doc *openapi3.T) {
	doc.Servers = openapi3.Servers{{URL: base}}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			// Rate limits, proxies and conflicts answer with their usual statuses.
			declare(op, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable)
			switch op.OperationID {
			case "login", "getCurrentSession":
				declare(op, http.StatusUnauthorized)
			case "getAllVrDetailsInPairing":
				declare(op, http.StatusNotFound)
			case "createRemoteSession": // listed as alternatives; both are needed
				op.Security = &openapi3.SecurityRequirements{{"SessionHeader": {}, "RemoteLoginBasicAuth": {}}}
			case "configureReplication", "reconfigureReplication", "browseDatastore":
				op.RequestBody.Value.Required = true
			case "registerVrServerInPairing": // its sibling answers 202
				op.Responses.Set("202", op.Responses.Value("200"))
			}
		}
	}
	for _, ref := range doc.Components.Schemas {
		flatten(ref.Value)
	}
	for _, ref := range doc.Components.Schemas {
		forbidUnknown(ref.Value)
	}
	// Servers send null for the page before the first and after the last.
	if ref := doc.Components.Schemas["HrefDrData"]; ref != nil {
		ref.Value.Nullable = true
	}
}

func declare(op *openapi3.Operation, statuses ...int) {
	for _, status := range statuses {
		if op.Responses.Status(status) == nil {
			op.AddResponse(status, openapi3.NewResponse().WithDescription(http.StatusText(status)))
		}
	}
}

// flatten merges what a schema inherits by allOf into its own properties, so that it can be closed.
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

// forbidUnknown refuses properties that the document does not name, where it names any.
func forbidUnknown(s *openapi3.Schema) {
	if len(s.Properties) > 0 {
		closed := false
		s.AdditionalProperties = openapi3.AdditionalProperties{Has: &closed}
	}
}
