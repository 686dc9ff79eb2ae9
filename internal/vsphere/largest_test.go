package vsphere_test

import (
	"testing"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestVirtualMachines_largest: the 25,000 VMs that a vCenter supports take 40 requests at most when neither their paths
// nor their disks are read: the login of two, a view created and destroyed, and a page for each 1,000 VMs.
func TestVirtualMachines_largest(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reading 25,000 VMs takes longer than a unit test may; make test does it")
	}
	v, c, _ := start(t, vcsim.Config{Hosts: 32, VMs: 25_000})
	found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	if err != nil || len(found.VMs) != 25_000 {
		t.Fatalf("%d VMs, %v", len(found.VMs), err)
	}
	if n := v.Traffic().Total(); n != 2+2+25 {
		t.Errorf("%d requests, want 29: %v", n, v.Traffic().Counts())
	}
}
