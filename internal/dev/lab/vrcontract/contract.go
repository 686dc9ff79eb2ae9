// Package vrcontract contains the contract of the vSphere Replication REST API v2.
package vrcontract

import (
	_ "embed"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// contractJSON contains the facts of the vendor's OpenAPI document. `make vr-contract` regenerates it.
//
//go:embed contract.json
var contractJSON []byte

// Load returns the contract. LoadEnhanced returns the contract of a release that supports enhanced replication, and
// LoadDiskFormat that of a release that reports the disk formats of replicas.
var (
	Load           = load(tighten)
	LoadDiskFormat = load(func(doc *openapi3.T) { tighten(doc); reportFormat(doc) })
	LoadEnhanced   = load(func(doc *openapi3.T) { tighten(doc); enhance(doc) })
)

func reportFormat(doc *openapi3.T) {
	types := doc.Components.Schemas
	format := types["ConfigureReplicationVmDisk"].Value.Properties["destination_disk_format"]
	types["ReplicatedVmDisk"].Value.Properties["destination_disk_format"] = format
}

func load(adapt func(*openapi3.T)) func(testing.TB) *contract.Definition {
	return contract.Loader("vSphere Replication", contractJSON, contract.Options{
		Base: "/api/rest/vr/v2", SessionHeader: "x-dr-session", Tighten: adapt,
	})
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
