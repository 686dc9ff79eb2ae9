// Package vrcontract contains the contract of the vSphere Replication REST API v2.
package vrcontract

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// contractJSON contains the facts of the vendor's OpenAPI document. `make vr-contract` regenerates it.
//
//go:embed contract.json
var contractJSON []byte

// latestJSON contains the operations and types that later revisions of the document add, as far as their paths are
// published. Each of them is optional for a server.
//
//go:embed latest.json
var latestJSON []byte

// Load returns the contract of revision 2.0.0. LoadEnhanced returns the contract of a release that supports enhanced
// replication, and LoadLatest that of the newest revision.
var (
	Load         = load(tighten)
	LoadEnhanced = load(tighten, enhance)
	LoadLatest   = load(tighten, enhance, update)
)

// update changes the types of revision 2.0.0 to those of the newest revision.
func update(doc *openapi3.T) {
	types := doc.Components.Schemas
	format := types["ConfigureReplicationVmDisk"].Value.Properties["destination_disk_format"]
	types["ReplicatedVmDisk"].Value.Properties["destination_disk_format"] = format
	for _, name := range []string{"ServerInfo", "VrmsInfo"} {
		types[name].Value.Properties["build_number"] = openapi3.NewStringSchema().NewRef()
	}
	for _, name := range []string{"ConfigureReplicationSpec", "ReconfigureReplicationSpec"} {
		types[name].Value.Required = slices.DeleteFunc(types[name].Value.Required,
			func(field string) bool { return field == "lwd_encryption_enabled" })
	}
	for _, op := range doc.Paths.Value("/pairings/{pairing_id}/vcenters/{vcenter_id}/vms").Operations() {
		op.AddParameter(openapi3.NewQueryParameter("include_disks").WithSchema(openapi3.NewBoolSchema()))
	}
}

// load returns a function that creates a contract on its first call. The contract has the operations of both files,
// because clients probe the later ones by request.
func load(adapt ...func(*openapi3.T)) func(testing.TB) *contract.Definition {
	once := sync.OnceValues(func() (*contract.Definition, error) {
		facts, err := contract.ParseFacts(contractJSON)
		if err != nil {
			return nil, err
		}
		later, err := contract.ParseFacts(latestJSON)
		if err != nil {
			return nil, err
		}
		maps.Copy(facts.Operations, later.Operations)
		maps.Copy(facts.Types, later.Types)
		text, err := json.Marshal(facts)
		if err != nil {
			return nil, err
		}
		return contract.Define(text, contract.Options{
			Base:          "/api/rest/vr/v2",
			SessionHeader: "x-dr-session",
			Tighten: func(doc *openapi3.T) {
				for _, f := range adapt {
					f(doc)
				}
			},
		})
	})
	return func(tb testing.TB) *contract.Definition {
		tb.Helper()
		d, err := once()
		require.NoError(tb, err)
		return d
	}
}

func enhance(doc *openapi3.T) {
	least := 1.0
	for _, name := range []string{"ConfigureReplicationSpec", "ReconfigureReplicationSpec", "ReplicationInfo"} {
		properties := doc.Components.Schemas[name].Value.Properties
		properties["enhanced_replication"] = openapi3.NewBoolSchema().NewRef()
		if rpo := properties["rpo"]; rpo != nil {
			rpo.Value.Min = &least
		}
	}
}

func tighten(doc *openapi3.T) {
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			// These statuses are common for conflicts, rate limits and proxies.
			contract.Declare(op, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable)
			switch op.OperationID {
			case "login", "getCurrentSession":
				contract.Declare(op, http.StatusUnauthorized)
			case "getAllVrDetailsInPairing":
				contract.Declare(op, http.StatusNotFound)
			case "createRemoteSession": // documented as alternatives, but both are required
				op.Security = &openapi3.SecurityRequirements{{"SessionHeader": {}, "RemoteLoginBasicAuth": {}}}
			case "configureReplication", "reconfigureReplication", "browseDatastore":
				op.RequestBody.Value.Required = true
			case "registerVrServerInPairing": // returns 202, like registerVrServer
				op.Responses.Set("202", op.Responses.Value("200"))
			}
		}
	}
	for _, name := range []string{"ConfigureReplicationSpec", "ReconfigureReplicationSpec"} {
		doc.Components.Schemas[name].Value.Properties["disks"].Value.MinItems = 1
	}
	// Servers return null as the previous link of the first page and as the next link of the last page.
	if ref := doc.Components.Schemas["HrefDrData"]; ref != nil {
		ref.Value.Nullable = true
	}
}
