package vsphere_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestVirtualMachines_missingProperties(t *testing.T) {
	t.Parallel()
	for property, parts := range map[string]vsphere.VMParts{
		"summary.storage":        {},
		"config.hardware.device": {Disks: true},
		"layoutEx.file":          {DiskUse: true},
	} {
		v, c, _ := startLab(t, vcsim.Config{VMs: 6})
		vms := v.VMs()
		v.LoseProperty(vms[2].ID, property, &types.NoPermission{PrivilegeId: "System.Read"})
		v.LoseProperty(vms[4].ID, "summary.config.template", &types.ManagedObjectNotFound{})
		got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, parts)
		want := []vsphere.VMReference{{ID: vms[2].ID, Name: vms[2].Name}}
		require.NoError(t, err, property)
		assert.Len(t, got.VMs, 4, property)
		assert.True(t, slices.Equal(got.Inaccessible, want), "%s: got %d VMs and %v, %v; want 4 and %v", property,
			len(got.VMs), got.Inaccessible, err, want)
		marks, err := c.VMFlags(t.Context(), vmIDs(v))
		require.NoError(t, err, property)
		assert.Len(t, marks, 6, property)
	}
}

// TestVirtualMachines_pagesRefused checks that each VM is returned once to an account without a role on the root
// folder. For such an account, vCenter 7.0.3 to 8.0.2 returns only the first page (govmomi issue 3455).
func TestVirtualMachines_pagesRefused(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: 44, Page: 10})
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:ContinueRetrievePropertiesEx",
		Status: http.StatusInternalServerError,
		Body:   soapFault("NoPermission", `<privilegeId>System.View</privilegeId>`),
	})
	got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	ids := make([]string, 0, len(got.VMs))
	for _, vm := range got.VMs {
		ids = append(ids, vm.ID)
	}
	want := vmIDs(v)
	slices.Sort(want)
	require.NoError(t, err)
	assert.Equal(t, want, ids)
	// One request for the first page, one for the list of VMs in the view, and four for the other 34 VMs in batches of
	// ten.
	assert.Equal(t, 1+1+4, v.Traffic().Count("soap:RetrievePropertiesEx"))
}

// TestVirtualMachines_deletedMeanwhile deletes a VM after such an account has listed it.
func TestVirtualMachines_deletedMeanwhile(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: 44, Page: 10})
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:ContinueRetrievePropertiesEx",
		Status: http.StatusInternalServerError,
		Body:   soapFault("NoPermission", `<privilegeId>System.View</privilegeId>`),
	})
	last := v.VMs()[43].ID
	v.Traffic().Break(fault.Rule{
		Kind:  "soap:RetrievePropertiesEx",
		Skip:  2,
		Times: 1,
		Before: func(*http.Request) {
			assert.NoError(t, v.DestroyVM(last))
		},
	})
	got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	require.NoError(t, err)
	assert.Len(t, got.VMs, 43)
}
