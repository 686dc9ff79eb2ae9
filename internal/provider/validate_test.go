package provider_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/provider"
)

// TestValidate_isLinear verifies that doubling the number of elements roughly doubles the allocated memory. Quadratic
// validation of 4,000 renames would take seconds.
//
//nolint:paralleltest // measures the allocations of the whole process
func TestValidate_isLinear(t *testing.T) {
	server, err := providerserver.NewProtocol6WithError(provider.New(provider.Options{})())()
	require.NoError(t, err)
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	renames := func(n int) error {
		tags, former := make(map[string]any, n), make(map[string]any, n)
		for i := range n {
			tags[fmt.Sprint("new", i)], former[fmt.Sprint("new", i)] = "", fmt.Sprint("old", i)
		}
		_, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: "vsla_tags",
			Config: acctest.Object(t, schema.ResourceSchemas["vsla_tags"],
				map[string]any{"category_id": "c", "tags": tags, "renamed_from": former}),
		})
		return err
	}
	tiers := func(n int) error {
		all := make(map[string]any, n)
		for i := range n {
			all[fmt.Sprint("tier", i)] = map[string]any{"tag_id": fmt.Sprint("tag", i)}
		}
		_, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
			TypeName: "vsla_sla_compliance",
			Config: acctest.Object(t, schema.DataSourceSchemas["vsla_sla_compliance"],
				map[string]any{"pairing_id": "p", "tiers": all}),
		})
		return err
	}
	for name, test := range map[string]struct {
		validate func(int) error
		n        int
	}{
		"vsla_tags":           {renames, 1000},
		"vsla_sla_compliance": {tiers, 500},
	} {
		allocated := func(n int) float64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.NoError(t, test.validate(n))
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		allocated(1) // triggers one-time allocations, which are not measured
		assert.LessOrEqual(t, allocated(2*test.n)/allocated(test.n), 2.5, name)
	}
}
