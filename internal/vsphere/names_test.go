package vsphere_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestObjectNames(t *testing.T) {
	t.Parallel()
	lab, c, _ := startLab(t, vcsim.Config{VMs: 2})
	lab.Traffic().Reset()
	hosts, err := c.ObjectNames(t.Context(), "HostSystem")
	require.NoError(t, err)
	assert.Equal(t, []string{"DC0_C0_H0", "DC0_C1_H0"}, slices.Sorted(maps.Values(hosts)))
	assert.Equal(t, 1, lab.Traffic().Count("soap:RetrievePropertiesEx"))
	clusters, err := c.ObjectNames(t.Context(), "ClusterComputeResource")
	require.NoError(t, err)
	assert.Len(t, clusters, 2)
}

func TestVirtualMachines_escapedNames(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 1})
	vm := v.VMs()[0]
	v.Rename(vm.ID, "web%2f50%25%5cold")
	const plain = `web/50%\old`
	found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{Name: regexp.MustCompile(`^web/50%\\old$`)},
		vsphere.VMParts{Paths: true})
	require.NoError(t, err)
	require.Len(t, found.VMs, 1)
	assert.Equal(t, plain, found.VMs[0].Name)
	assert.Equal(t, vm.Folder+"/web%2f50%25%5cold", found.VMs[0].Path)
	v.RenameFolder("prod", "50%25 off%5c") // folder of the first VM
	for _, folder := range []string{`50% off\`, "50%25 off%5c", `/DC0/vm/50% off\`} {
		found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{Folder: folder}, vsphere.VMParts{})
		require.NoError(t, err, folder)
		assert.Len(t, found.VMs, 1, folder)
	}
	names, err := c.VMNames(t.Context(), []string{vm.ID})
	require.NoError(t, err)
	assert.Equal(t, plain, names[vm.ID])
	names, err = c.ObjectNames(t.Context(), "VirtualMachine")
	require.NoError(t, err)
	assert.Equal(t, plain, names[vm.ID])
}
