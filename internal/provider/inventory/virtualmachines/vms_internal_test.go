package virtualmachines

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/vsphere"
)

// TestVMMap verifies the conversion to and from a framework map.
func TestVMMap(t *testing.T) {
	t.Parallel()
	m := model{ReadUse: types.BoolValue(true)}
	vm := vsphere.VirtualMachine{ID: "vm-1", Name: "web", Disks: []vsphere.VMDisk{{Key: 2000, Label: "Hard disk 1"}}}
	filled := newVMMap(map[string]tftypes.Value{"vm-1": m.vmValue(vm, map[string][]string{"tier": {"gold"}})})
	for name, value := range map[string]vmMap{"filled": filled, "null": newVMMap(nil)} {
		framework, diags := value.ToMapValue(t.Context())
		if diags.HasError() || framework.IsNull() != (name == "null") || framework.IsUnknown() {
			t.Fatalf("%s: %v, %v", name, framework, diags)
		}
		back, diags := newVMMapType().ValueFromMap(t.Context(), framework)
		if diags.HasError() || !back.Equal(value) {
			t.Errorf("%s: %v, want %v (%v)", name, back, value, diags)
		}
	}
	if filled.Equal(newVMMap(nil)) {
		t.Error("a map of one VM equals none")
	}
}
