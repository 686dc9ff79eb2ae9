package vsphere_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/vsphere"
)

func TestCategory_allowsLibraries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		types []string
		want  bool
	}{
		{nil, true},
		{[]string{"VirtualMachine"}, false},
		{[]string{"VirtualMachine", "com.vmware.content.Library"}, true},
		{[]string{"com.vmware.content.library.Item"}, true},
	} {
		assert.Equal(t, test.want, (vsphere.Category{AssociableTypes: test.types}).AllowsLibraries())
	}
}

func TestAllowsAllTypes(t *testing.T) {
	t.Parallel()
	list := []string{
		"Folder", "Datacenter", "HostSystem", "ClusterComputeResource", "ResourcePool", "VirtualApp", "VirtualMachine",
		"Datastore", "StoragePod", "Network", "HostNetwork", "OpaqueNetwork", "DistributedVirtualPortgroup",
		"DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch", "com.vmware.content.Library",
		"com.vmware.content.library.Item",
	}
	for want, lists := range map[bool][][]string{
		true:  {nil, {}, list},
		false: {list[1:], append([]string{"Other"}, list...), {"VirtualMachine"}},
	} {
		for _, l := range lists {
			assert.Equal(t, want, vsphere.AllowsAllTypes(l), "%+v", len(l))
		}
	}
}
