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
	validateTags := func(n int) {
		_, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: "vsla_tags",
			Config:   acctest.Object(t, schema.ResourceSchemas["vsla_tags"], renamedTags(n)),
		})
		require.NoError(t, err)
	}
	validateTiers := func(n int) {
		_, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
			TypeName: "vsla_sla_compliance",
			Config:   acctest.Object(t, schema.DataSourceSchemas["vsla_sla_compliance"], manyTiers(n)),
		})
		require.NoError(t, err)
	}
	for name, test := range map[string]struct {
		validate func(n int)
		n        int
	}{
		"vsla_tags":           {validate: validateTags, n: 1000},
		"vsla_sla_compliance": {validate: validateTiers, n: 500},
	} {
		allocated := func(n int) float64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			test.validate(n)
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		allocated(1) // triggers one-time allocations, which are not measured
		// Twice the elements need twice the memory if validation is linear, and four times if it is quadratic.
		assert.LessOrEqual(t, allocated(2*test.n)/allocated(test.n), 2.5, name)
	}
}

// renamedTags returns the arguments of a vsla_tags with n tags, all of them renamed.
func renamedTags(n int) map[string]any {
	tags := make(map[string]any, n)
	former := make(map[string]any, n)
	for i := range n {
		name := fmt.Sprint("new", i)
		tags[name] = ""
		former[name] = fmt.Sprint("old", i)
	}
	return map[string]any{
		"category_id":  "c",
		"tags":         tags,
		"renamed_from": former,
	}
}

// manyTiers returns the arguments of a vsla_sla_compliance with n tiers.
func manyTiers(n int) map[string]any {
	tiers := make(map[string]any, n)
	for i := range n {
		name := fmt.Sprint("tier", i)
		tiers[name] = map[string]any{"tag_id": fmt.Sprint("tag", i)}
	}
	return map[string]any{
		"pairing_id": "p",
		"tiers":      tiers,
	}
}
