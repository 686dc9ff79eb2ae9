package vsphere_test

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

type requestPaths struct {
	mu   sync.Mutex
	list []string
}

func (p *requestPaths) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.list = append(p.list, r.URL.Path)
		p.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (p *requestPaths) takeCount(prefix string) (n, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range p.list {
		if strings.HasPrefix(path, prefix) {
			n++
		}
	}
	total, p.list = len(p.list), nil
	return n, total
}

// TestProtocol_costs checks that choosing the protocol takes no additional request if the server supports /api, and
// otherwise one per connection.
func TestProtocol_costs(t *testing.T) {
	t.Parallel()
	for release, logins := range map[tagging.Release]int{
		tagging.Release70: 2,
		tagging.Release80: 1,
		tagging.Release91: 1,
	} {
		v, c, _ := startLab(t, vcsim.Config{VMs: -1, Release: release})
		for i := range 5 {
			_, err := c.Tag(t.Context(), strconv.Itoa(i))
			require.ErrorIs(t, err, vsphere.ErrNotFound, "%+v", release)
		}
		v.ExpireSessions()
		_, err := c.Tag(t.Context(), "x")
		require.ErrorIs(t, err, vsphere.ErrNotFound, "%+v", release)
		// One more login for the expired session, plus the request that detected the expiry.
		assert.Equal(t, logins+1, v.Traffic().Count("POST session"), "%+v", release)
		assert.Equal(t, 5+2, v.Traffic().Count("GET tag/{id}"), "%+v", release)
	}
}

func withoutTagging(prefix string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, prefix) {
				tagging.NoSuchOperation(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// TestProtocol_sessionsOnly checks that a client of vCenter 7.0, which has sessions but no tagging below /api, switches
// to /rest after its first request and keeps its session.
func TestProtocol_sessionsOnly(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{VMs: 3, Wrap: withoutTagging("/api/cis/tagging/")})
	category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Single})
	require.NoError(t, err)
	require.NoError(t, c.DeleteCategory(t.Context(), category))
	require.Equal(t, 1, v.Traffic().Count("POST session"))
	assert.Empty(t, sleeps.sleeps)
	assert.Equal(t, 2, v.Traffic().Count("POST category"))
}

func TestProtocol_isKept(t *testing.T) {
	t.Parallel()
	var sent requestPaths
	v, c, _ := startLab(t, vcsim.Config{VMs: -1, Wrap: sent.wrap})
	v.Tags().SetMissing(tagging.MissingService)
	_, err := c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNoOperation)
	v.Tags().SetMissing(tagging.NotMissing)
	newTag(t, c)
	sent.takeCount("")
	v.Traffic().Break(fault.Rule{
		Kind:   "GET tag/{id}",
		Times:  1,
		Status: http.StatusNotFound,
		Body:   `{"error_type":"OPERATION_NOT_FOUND","messages":[]}`,
	})
	_, err = c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	n, total := sent.takeCount("/rest/")
	require.Equal(t, 0, n)
	assert.Equal(t, 1, total)
}

func TestVMFlags_unreadable(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 2})
	v.LoseProperty(v.VMs()[0].ID, "config.managedBy", &types.NoPermission{})
	require.NoError(t, v.Reconfigure(v.VMs()[0].ID, func(c *types.VirtualMachineConfigInfo) {
		c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "x", Type: "y"}
	}))
	marks, err := c.VMFlags(t.Context(), vmIDs(v))
	require.NoError(t, err)
	assert.True(t, marks[v.VMs()[0].ID].Unreadable, "got %+v, %v; want the first unreadable", marks, err)
	assert.False(t, marks[v.VMs()[1].ID].Unreadable, "got %+v, %v; want the first unreadable", marks, err)
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

func TestVMFlags(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 10, Inaccessible: 2})
	ids := vmIDs(v)
	vms := v.VMs()
	for n, options := range map[int][]string{
		0: {"hbr_filter.destination", "10.0.0.7"},
		1: {"hbr_filter.destination", ""},
		2: {"hbr_filter.rpo", "15"},
		3: {"HDCS.agent", "true"},
		4: {"HDCS.agent", "false"},
		7: {"hbr_filter.destination", "second"},
	} {
		err := v.Reconfigure(vms[n].ID, func(c *types.VirtualMachineConfigInfo) {
			c.ExtraConfig = append(c.ExtraConfig, &types.OptionValue{Key: options[0], Value: options[1]})
		})
		require.NoError(t, err)
	}
	for n, change := range map[int]func(*types.VirtualMachineConfigInfo){
		5: func(c *types.VirtualMachineConfigInfo) {
			c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.vmware.vcDr", Type: "placeholderVm"}
		},
		6: func(c *types.VirtualMachineConfigInfo) {
			c.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.example.backup", Type: "proxy"}
		},
		7: func(c *types.VirtualMachineConfigInfo) {
			c.RepConfig = &types.ReplicationConfigSpec{Destination: "first", Rpo: 15, VmReplicationId: "GID-7"}
		},
	} {
		require.NoError(t, v.Reconfigure(vms[n].ID, change))
	}
	v.Traffic().Reset()
	marks, err := c.VMFlags(t.Context(), append(slices.Clone(ids), "vm-none"))
	require.NoError(t, err)
	require.Len(t, marks, len(ids))
	for n, vm := range vms {
		want := map[int]vsphere.VMFlags{
			0: {ExtraConfigOnly: true},
			3: {ClusterService: true},
			5: {Placeholder: true},
			7: {ReplicationDestination: "first", ReplicationID: "GID-7"},
		}[n]
		assert.Equal(t, want, marks[vm.ID], "%+v", n)
	}
	none, err := c.VMFlags(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestVMFlags_requests(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 1001})
	for ids, want := range map[int]int{0: 0, 1000: 1, 1001: 2} {
		v.Traffic().Reset()
		_, err := c.VMFlags(t.Context(), vmIDs(v)[:ids])
		require.NoError(t, err)
		assert.Equal(t, want, v.Traffic().Count("soap:RetrievePropertiesEx"), "%+v", ids)
	}
}
