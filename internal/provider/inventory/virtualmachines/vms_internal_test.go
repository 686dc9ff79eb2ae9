package virtualmachines

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vsphere"
)

func TestVMMap(t *testing.T) {
	t.Parallel()
	m := model{ReadDiskUse: types.BoolValue(true)}
	vm := vsphere.VirtualMachine{ID: "vm-1", Name: "web", Disks: []vsphere.VMDisk{{Key: 2000, Label: "Hard disk 1"}}}
	filled := newVMMap(map[string]tftypes.Value{"vm-1": m.vmValue(vm, map[string][]string{"tier": {"gold"}})})
	for name, value := range map[string]vmMap{"filled": filled, "null": newVMMap(nil)} {
		framework, diags := value.ToMapValue(t.Context())
		require.False(t, diags.HasError(), "%s: %v, %v", name, framework, diags)
		require.Equal(t, name == "null", framework.IsNull(), name)
		require.False(t, framework.IsUnknown(), "%s: %v, %v", name, framework, diags)
		back, diags := newVMMapType().ValueFromMap(t.Context(), framework)
		require.False(t, diags.HasError(), "%s: %v, want %v (%v)", name, back, value, diags)
		assert.True(t, back.Equal(value), "%s: %v, want %v (%v)", name, back, value, diags)
	}
	assert.False(t, filled.Equal(newVMMap(nil)), "a map of one VM equals none")
}
