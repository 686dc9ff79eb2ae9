package objecttype_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/provider/tagging/objecttype"
)

func TestValid(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"VirtualMachine":             "",
		"urn:vim25:VirtualMachine":   "",
		"com.vmware.content.Library": "",
		"All":                        `"All" is not an object type: leave it out.`,
		"all ":                       `"all " is not an object type: leave it out.`,
		"Virtual Machine":            `"Virtual Machine" is not an object type of vCenter, only "VirtualMachine", `,
		"virtualmachine":             `"virtualmachine" is not an object type of vCenter, only "VirtualMachine", `,
		"VirtualMachine ":            `"VirtualMachine " is not an object type of vCenter, only "VirtualMachine", `,
		"Host":                       `"Host" is not an object type of vCenter, only "HostSystem", `,
		"Cluster":                    `"Cluster" is not an object type of vCenter, only "ClusterComputeResource", `,
		"urn:vim25:Datastores":       `"urn:vim25:Datastores" is not an object type of vCenter, only "Datastore", `,
		"":                           `"" is not an object type of vCenter, only `,
	} {
		var resp validator.StringResponse
		objecttype.Valid{All: "leave it out"}.ValidateString(t.Context(), validator.StringRequest{
			Path:        path.Root("object_type"),
			ConfigValue: types.StringValue(value),
		}, &resp)
		if want == "" {
			assert.Empty(t, resp.Diagnostics, value)
			continue
		}
		require.Len(t, resp.Diagnostics, 1, value)
		assert.Contains(t, resp.Diagnostics[0].Detail(), want)
	}
}
