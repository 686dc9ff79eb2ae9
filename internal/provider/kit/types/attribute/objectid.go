package attribute

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
)

const uuid = `[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`

// UUID matches the ids of pairings and vCenters.
var UUID = regexp.MustCompile(`^` + uuid + `$`)

// Validators of ids in vSphere Replication.
var (
	// IsUUID accepts the UUID of a pairing or vCenter.
	IsUUID = stringvalidator.RegexMatches(UUID, "must be a UUID, as data source vsla_replication_pairing returns")
	// IsVM accepts the id of a VM.
	IsVM = stringvalidator.RegexMatches(
		regexp.MustCompile(`^VirtualMachine:[^:]+:`+uuid+`$`),
		"must be VirtualMachine:<managed object id>:<instance UUID of its vCenter>, as function replication_object_id "+
			"returns",
	)
	// IsDatastore accepts the id of a datastore or datastore cluster.
	IsDatastore = stringvalidator.RegexMatches(
		regexp.MustCompile(`^(Datastore|StoragePod):[^:]+:`+uuid+`$`),
		"must be Datastore:<managed object id>:<instance UUID of its vCenter>, as data source "+
			"vsla_replication_datastores returns",
	)
)
