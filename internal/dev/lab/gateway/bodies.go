// The form of request bodies. A body of the wrong form is a 400 whatever the switches say.

package gateway

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed bodies.schema.json
var bodiesJSON []byte

// The bodies, by their name in the schema.
const (
	configureBody   = "configureBatch"
	reconfigureBody = "reconfigure"
	browseBody      = "browse"
	seedsBody       = "seeds"
	idsBody         = "ids"
	pairingBody     = "pairing"
)

// bodies holds the schema of each body.
type bodies map[string]*jsonschema.Schema

// newBodies compiles the schema of an appliance with the switches.
func newBodies(s Switches) (bodies, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(bodiesJSON))
	if err != nil {
		return nil, err
	}
	defs := member(parsed, "$defs")
	settings := member(member(defs, "settings"), "properties")
	member(settings, "rpo")["minimum"] = s.leastRPO()
	if s.Enhanced {
		settings["enhanced_replication"] = map[string]any{"type": "boolean"}
	}
	const file = "bodies.schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(file, parsed); err != nil {
		return nil, err
	}
	b := bodies{}
	for _, name := range []string{configureBody, reconfigureBody, browseBody, seedsBody, idsBody, pairingBody} {
		if b[name], err = compiler.Compile(file + "#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// member returns a member of a JSON object that is an object itself.
func member(object any, name string) map[string]any {
	parent, _ := object.(map[string]any)
	found, _ := parent[name].(map[string]any)
	return found
}

// check reports an error in the form of a request's body.
func (b bodies) check(c *call, name string) error {
	if kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errors.New("the content type must be application/json")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	err = b[name].Validate(v)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		return fmt.Errorf("/%s: %s", strings.Join(invalid.InstanceLocation, "/"),
			invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
	return err
}
