// The form of request bodies. A body of the wrong form is a 400 whatever the switches say.

package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"terraform-provider-vsla/internal/dev/lab/contract"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

// The operations with a body, by their ids in the contract.
const (
	configureBody   = "configureReplication"
	reconfigureBody = "reconfigureReplication"
	browseBody      = "browseDatastore"
	seedsBody       = "getSeedsForDisks"
	idsBody         = "checkStoragePolicyCompliance"
	pairingBody     = "reconnectVrPairing"
)

// bodies are the bodies of the contract.
type bodies struct{ *contract.Definition }

// newBodies returns the bodies of an appliance with the switches.
func newBodies(s Switches) (bodies, error) {
	define := vrcontract.Define
	if s.Enhanced {
		define = vrcontract.DefineEnhanced
	}
	d, err := define()
	return bodies{d}, err
}

// check refuses a body that the contract does not allow, and an empty list.
func (b bodies) check(c *call, operation string) error {
	if kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || kind != contract.MediaType {
		return errors.New("the content type must be application/json")
	}
	var v any
	if err := json.Unmarshal(c.body, &v); err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	withoutLater(v)
	err := b.Body(operation).VisitJSON(v)
	if invalid, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		return fmt.Errorf("/%s: %s", strings.Join(invalid.JSONPointer(), "/"), invalid.Reason)
	}
	if list, ok := v.([]any); ok && len(list) == 0 {
		return errors.New("/: the list is empty")
	}
	return err
}
