package tags_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// TestTags_supportedCountsOnce verifies that a replacement of 4,500 tags is counted only once, although Terraform plans
// it twice. With a second resource of the same size, the total exceeds the 8,000 tags that vCenter supports.
func TestTags_supportedCountsOnce(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: acctest.Object(t, schemas.Provider, nil),
	})
	require.NoError(t, err)
	require.Empty(t, configured.Diagnostics)
	schema := schemas.ResourceSchemas["vsla_tags"]
	tags := make(map[string]tftypes.Value)
	for i := range 4500 {
		tags[fmt.Sprintf("tag-%04d", i)] = tftypes.NewValue(tftypes.String, "")
	}
	object := func(category string) *tfprotov6.DynamicValue {
		return acctest.Object(t, schema, map[string]any{
			"category_id":    category,
			"tags":           tags,
			"adopt_existing": false,
			"force_destroy":  false,
		})
	}
	null, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), nil))
	require.NoError(t, err)
	plan := func(prior *tfprotov6.DynamicValue, private []byte) (warnings string, planned []byte) {
		t.Helper()
		answer, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName:         "vsla_tags",
			PriorState:       prior,
			PriorPrivate:     private,
			ProposedNewState: object("urn:b"),
			Config:           object("urn:b"),
		})
		require.NoError(t, err)
		var text []string
		for _, d := range answer.Diagnostics {
			text = append(text, d.Summary+": "+d.Detail)
		}
		return strings.Join(text, "\n"), answer.PlannedPrivate
	}
	warnings, private := plan(object("urn:a"), nil)
	second, _ := plan(&null, private)
	assert.Empty(t, warnings+second)
	third, _ := plan(&null, nil)
	assert.Contains(t, third, "9000 tags")
}
