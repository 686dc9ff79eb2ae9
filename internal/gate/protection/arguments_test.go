package protection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

const (
	descriptive = "describes the object, and protects nothing"
	waits       = "bounds how long Terraform waits"
	placement   = "the copy is in another place; its space is that of the plan"
	atCreation  = "decides about an object that is created"
	shown       = "removes and replaces show what it takes away"
	moment      = "when a recovery point is taken, not how often"
)

// harmless contains the arguments whose change protects less in no case, with the reason. A name covers what is nested
// in it.
var harmless = map[string]map[string]string{
	"vsla_replication": {
		"disk_format":                  "the same data in another format",
		"disks.disk_format":            "the same data in another format",
		"disks.seed_path":              "it replaces the replication",
		"disks.target_datastore_id":    placement,
		"network_compression":          "a matter of the link and the processor",
		"target_datastore_id":          placement,
		"target_replication_server_id": "another server receives the same data",
		"timeouts":                     waits,
		"wait_for_initial_sync":        waits,
	},
	"vsla_protection_group": {
		"lock_confirmation":               "confirms locked",
		"name":                            descriptive,
		"replication.long_term":           moment,
		"replication.target_datastore_id": placement,
		"replication.use_replica_seeds":   atCreation,
		"tag_rules":                       shown,
		"timeouts":                        waits,
		"vm_name_patterns":                shown,
	},
	"vsla_tag":             {"adopt_existing": atCreation, "description": descriptive},
	"vsla_tag_category":    {"description": descriptive},
	"vsla_tags":            {"adopt_existing": atCreation},
	"vsla_tag_association": {"ownership": shown},
	"vsla_object_tags":     {"ownership": shown},
}

// TestCompared verifies that each argument of each resource is compared, or that its change is harmless.
func TestCompared(t *testing.T) {
	t.Parallel()
	options := provider.Options{Version: "test", Sessions: &connection.Sessions{}}
	server, err := providerserver.NewProtocol6WithError(provider.New(options)())()
	require.NoError(t, err)
	answer, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	compared := protection.Compared()
	for kind, schema := range answer.ResourceSchemas {
		arguments := names(schema.Block.Attributes, "", false)
		for _, path := range arguments {
			covered := slices.Contains(compared[kind], path)
			for outer := range harmless[kind] {
				covered = covered || path == outer || strings.HasPrefix(path, outer+".")
			}
			assert.True(t, covered, "%s.%s is neither compared nor harmless", kind, path)
		}
		for path := range harmless[kind] {
			assert.Contains(t, arguments, path, kind)
		}
		attributes := names(schema.Block.Attributes, "", true)
		for _, path := range compared[kind] {
			assert.Contains(t, append(attributes, longTerm(attributes)...), path, kind)
		}
	}
}

// longTerm returns the paths of the policies in long_term without their names, as a map of policies has them.
func longTerm(attributes []string) []string {
	var found []string
	for _, path := range attributes {
		for _, name := range []string{"hourly", "daily", "weekly", "monthly"} {
			found = append(found, strings.Replace(path, "long_term."+name+".", "long_term.", 1))
		}
	}
	// The policies of groups and of long_term have the same type, and each has some of its periods.
	for _, unit := range []string{"hours", "days", "weeks", "months", "years", "minutes"} {
		for _, outer := range []string{"snapshot_policies.", "replication.long_term."} {
			found = append(found, outer+"every_"+unit, outer+"keep_"+unit)
		}
	}
	return found
}

func names(attributes []*tfprotov6.SchemaAttribute, prefix string, computed bool) []string {
	var found []string
	for _, a := range attributes {
		if !a.Required && !a.Optional && !computed {
			continue
		}
		found = append(found, prefix+a.Name)
		if a.NestedType != nil {
			found = append(found, names(a.NestedType.Attributes, prefix+a.Name+".", computed)...)
		}
	}
	return found
}
