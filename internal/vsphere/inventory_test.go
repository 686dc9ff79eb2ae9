package vsphere_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

var allParts = vsphere.VMParts{Sizes: true, Disks: true, Paths: true}

func wantInventory(v *vcsim.VCenter, matches func(vcsim.VM) bool, power string) vsphere.Inventory {
	var want vsphere.Inventory
	for _, vm := range v.VMs() {
		ref := vsphere.VMReference{ID: vm.ID, Name: vm.Name}
		switch {
		case !matches(vm):
		case vm.ConnectionState != "connected":
			want.Inaccessible = append(want.Inaccessible, ref)
		case power != "" && vm.PowerState != power:
		case vm.Template:
			want.Templates = append(want.Templates, ref)
		default:
			want.VMs = append(want.VMs, vsphere.VirtualMachine{
				ID:                   vm.ID,
				Name:                 vm.Name,
				InstanceUUID:         vm.InstanceUUID,
				PowerState:           vm.PowerState,
				HostID:               vm.HostID,
				Path:                 vm.Path,
				CPUCount:             vm.CPUCount,
				MemoryBytes:          vm.MemoryBytes,
				ProvisionedBytes:     vm.ProvisionedBytes,
				UsedBytes:            vm.UsedBytes,
				DiskBytes:            vm.DiskBytes,
				DatastoreIDs:         vm.DatastoreIDs,
				ChangedBlockTracking: vm.ChangedBlockTracking,
			})
		}
	}
	byID := func(a, b vsphere.VMReference) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(want.VMs, func(a, b vsphere.VirtualMachine) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(want.Templates, byID)
	slices.SortFunc(want.Inaccessible, byID)
	return want
}

func TestVirtualMachines_everyCombinationOfFilters(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: 44, Templates: 6, Inaccessible: 8})
	cluster := v.VMs()[0].Cluster
	var half []string
	for i, vm := range v.VMs() {
		if i%5 < 3 {
			half = append(half, vm.ID)
		}
	}
	type rule struct {
		set     func(*vsphere.VMFilter)
		matches func(vcsim.VM) bool
	}
	rules := []rule{
		{func(f *vsphere.VMFilter) { f.IDs = half }, func(vm vcsim.VM) bool { return slices.Contains(half, vm.ID) }},
		{func(f *vsphere.VMFilter) { f.Folder = "dev" }, func(vm vcsim.VM) bool { return vm.Folder == "/DC0/vm/dev" }},
		{func(f *vsphere.VMFilter) { f.Cluster = cluster }, func(vm vcsim.VM) bool { return vm.Cluster == cluster }},
		{
			func(f *vsphere.VMFilter) { f.Name = regexp.MustCompile("b") },
			func(vm vcsim.VM) bool { return strings.Contains(vm.Name, "b") },
		},
	}
	selected := 0
	for set := range 1 << len(rules) {
		for _, power := range []string{"", "poweredOn", "poweredOff"} {
			filter := vsphere.VMFilter{PowerState: power}
			matches := func(vm vcsim.VM) bool {
				for n, r := range rules {
					if set>>n&1 == 1 && !r.matches(vm) {
						return false
					}
				}
				return true
			}
			for n, r := range rules {
				if set>>n&1 == 1 {
					r.set(&filter)
				}
			}
			got, err := c.VirtualMachines(t.Context(), filter, allParts)
			require.NoError(t, err, "%+v", filter)
			assert.EqualExportedValues(t, wantInventory(v, matches, power), got,
				"%v, %v, %v, %v, %v", filter.Folder, filter.Cluster, filter.Name, power, len(filter.IDs))
			selected += len(got.VMs)
		}
	}
	assert.GreaterOrEqual(t, selected, 250)
}

func TestVirtualMachines_noIDsSelectNothing(t *testing.T) {
	t.Parallel()
	_, c, _ := startLab(t, vcsim.Config{})
	got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{IDs: []string{}}, allParts)
	require.NoError(t, err)
	assert.Empty(t, got.VMs)
}

func TestVirtualMachines_requests(t *testing.T) {
	t.Parallel()
	const count = 44
	const inCluster = count / 2
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: count, Page: 30})
	cluster := v.VMs()[0].Cluster
	ids := vmIDs(v)
	_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{IDs: ids[:1]}, vsphere.VMParts{}) // logs in
	require.NoError(t, err)
	// Each view is created and destroyed. 44 VMs take two pages, and 22 VMs take one.
	for name, test := range map[string]struct {
		filter     vsphere.VMFilter
		parts      vsphere.VMParts
		vms        int
		views      int
		retrieves  int
		continuing int
	}{
		"all": {
			vms:        count,
			views:      1,
			retrieves:  1,
			continuing: 1,
		},
		"all, with paths": {
			parts:      vsphere.VMParts{Paths: true},
			vms:        count,
			views:      2,
			retrieves:  2,
			continuing: 1,
		},
		"all, with disks: as many": {
			parts:      vsphere.VMParts{Disks: true},
			vms:        count,
			views:      1,
			retrieves:  1 + 1,
			continuing: 1 + 1,
		},
		"disks of the few that fit only": {
			filter:     vsphere.VMFilter{Name: regexp.MustCompile("^db-00")},
			parts:      vsphere.VMParts{Disks: true},
			vms:        11,
			views:      1,
			retrieves:  1 + 1,
			continuing: 1,
		},
		"all, with the use of disks: as many": {
			parts:      vsphere.VMParts{DiskUse: true},
			vms:        count,
			views:      1,
			retrieves:  1 + 1,
			continuing: 1 + 1,
		},
		"by id, with the use of disks: no more": {
			filter:     vsphere.VMFilter{IDs: ids},
			parts:      vsphere.VMParts{DiskUse: true},
			vms:        count,
			retrieves:  1,
			continuing: 1,
		},
		"by id: no view": {
			filter:     vsphere.VMFilter{IDs: ids},
			vms:        count,
			retrieves:  1,
			continuing: 1,
		},
		"of a cluster by name": {
			filter:    vsphere.VMFilter{Cluster: "/DC0/host/" + cluster},
			vms:       inCluster,
			views:     1,
			retrieves: 1,
		},
		"by id and cluster: the view is listed": {
			filter:    vsphere.VMFilter{IDs: ids, Cluster: "/DC0/host/" + cluster},
			vms:       inCluster,
			views:     1,
			retrieves: 1 + 1,
		},
	} {
		v.Traffic().Reset()
		got, err := c.VirtualMachines(t.Context(), test.filter, test.parts)
		require.NoError(t, err, name)
		assert.Len(t, got.VMs, test.vms, name)
		finds := 0
		if test.filter.Cluster != "" {
			// The finder sends one request per path element, regardless of the number of VMs.
			finds = v.Traffic().Count("soap:RetrievePropertiesEx") - test.retrieves
			assert.GreaterOrEqual(t, finds, 1, name)
			assert.LessOrEqual(t, finds, 6, name)
		}
		for kind, want := range map[string]int{
			"soap:CreateContainerView":          test.views,
			"soap:DestroyView":                  test.views,
			"soap:RetrievePropertiesEx":         test.retrieves + finds,
			"soap:ContinueRetrievePropertiesEx": test.continuing,
		} {
			assert.Equal(t, want, v.Traffic().Count(kind), "%v, %v", name, kind)
		}
	}
}

func TestVirtualMachines_manyGone(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 12})
	ids := []string{v.VMs()[3].ID}
	for i := range 200 {
		ids = append(ids, fmt.Sprintf("vm-gone-%d", i))
	}
	got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{IDs: ids}, allParts)
	require.NoError(t, err)
	require.Len(t, got.VMs, 1)
	require.Equal(t, ids[0], got.VMs[0].ID)
	// Three requests read the VMs (the rejected one, the listing and the retry), one reads the paths, and one reads the
	// disks.
	assert.Equal(t, 3+1+1, v.Traffic().Count("soap:RetrievePropertiesEx"))
}

func TestVirtualMachines_goneMeanwhile(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 12})
	lost := v.VMs()[5].ID
	destroyed := make(chan error, 1)
	// The first request lists the VMs, the second reads the folders, and the third reads the disks.
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:RetrievePropertiesEx",
		Skip:   2,
		Times:  1,
		Before: func(*http.Request) { destroyed <- v.DestroyVM(lost) },
	})
	got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, allParts)
	require.NoError(t, err)
	require.NoError(t, <-destroyed)
	assert.EqualExportedValues(t, wantInventory(v, func(vm vcsim.VM) bool { return vm.ID != lost }, ""), got)
}

func TestVirtualMachines_faultsBetweenPages(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: 44, Page: 30})
	for name, rule := range map[string]fault.Rule{
		"session":     {Before: func(*http.Request) { v.ExpireSessions() }},
		"busy":        {Status: http.StatusServiceUnavailable},
		"lost answer": {HandleFirst: true, CloseConnection: true},
	} {
		v.Traffic().Mend()
		v.Traffic().Reset()
		rule.Kind, rule.Times = "soap:ContinueRetrievePropertiesEx", 1
		v.Traffic().Break(rule)
		got, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{Sizes: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := wantInventory(v, func(vcsim.VM) bool { return true }, "")
		for i := range want.VMs {
			want.VMs[i].Path, want.VMs[i].DiskBytes = "", 0 // not requested
		}
		assert.EqualExportedValues(t, want, got, name)
		// The page that failed, and the same page in the second attempt.
		assert.Equal(t, 2, v.Traffic().Count("soap:ContinueRetrievePropertiesEx"), name)
	}
}

func TestVirtualMachines_isCancelledBetweenPages(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{Hosts: 4, VMs: 44, Page: 30})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	v.Traffic().
		Break(fault.Rule{
			Kind:            "soap:ContinueRetrievePropertiesEx",
			Before:          func(*http.Request) { cancel() },
			CloseConnection: true,
		})
	_, err := c.VirtualMachines(ctx, vsphere.VMFilter{}, allParts)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, v.Traffic().Count("soap:DestroyView"))
}
