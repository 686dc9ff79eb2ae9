package inventoryfile_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// TestValues verifies that the command line prints all attributes that the data source returns, except sha256.
func TestValues(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	printed := estate.InventoryValues("x.csv", inventoryfile.Inventory{
		VMs:     []inventoryfile.VM{{Key: "a"}},
		Skipped: []inventoryfile.Skipped{{Name: "b"}},
	})
	vms, _ := printed["virtual_machines"].(map[string]any)
	vm, _ := vms["a"].(map[string]any)
	skipped, _ := printed["skipped"].([]any)
	row, _ := skipped[0].(map[string]any)
	attributes := schemas.DataSourceSchemas["vsla_inventory_file"].Block.Attributes
	for _, part := range []struct {
		name       string
		attributes []*tfprotov6.SchemaAttribute
		printed    map[string]any
	}{
		{"the result", attributes, printed},
		{"a VM", find(attributes, "virtual_machines").NestedType.Attributes, vm},
		{"a row", find(attributes, "skipped").NestedType.Attributes, row},
	} {
		computed := 0
		for _, a := range part.attributes {
			if _, ok := part.printed[a.Name]; !ok && a.Computed && a.Name != "sha256" { // only policies use sha256
				t.Errorf("%s: %s is not printed", part.name, a.Name)
			}
			if a.Computed {
				computed++
			}
		}
		for name := range part.printed {
			assert.NotNil(t, find(part.attributes, name))
		}
		assert.GreaterOrEqual(t, computed, 5, part.name)
	}
}
