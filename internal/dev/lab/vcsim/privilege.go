package vcsim

import (
	"errors"
	"slices"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

var privileges = []string{
	"System.Anonymous",
	"System.View",
	"System.Read",
	"InventoryService.Tagging.CreateCategory",
	"InventoryService.Tagging.EditCategory",
	"InventoryService.Tagging.DeleteCategory",
	"InventoryService.Tagging.CreateTag",
	"InventoryService.Tagging.EditTag",
	"InventoryService.Tagging.DeleteTag",
	"InventoryService.Tagging.AttachTag",
	"InventoryService.Tagging.ObjectAttachable",
	"Host.Hbr.HbrManagement",
	"VirtualMachine.Hbr.ConfigureReplication",
	"Datastore.FileManagement",
	"StorageProfile.View",
}

// authorization is the simulator's authorization manager with privileges that can be revoked. The simulator grants all
// privileges but lists none.
type authorization struct {
	simulator.AuthorizationManager

	mu      sync.Mutex
	lacking []string
	access  Access
	root    types.ManagedObjectReference
}

// Access describes the objects on which the user has a role.
type Access int

// Values of Access. By default, the role propagates to all objects.
const (
	AccessPropagates Access = iota
	// AccessRoot is a role on the root folder only.
	AccessRoot
	// AccessBelow is a role on a folder below the root folder, but not on the root folder itself.
	AccessBelow
	// AccessByGroup is a role on the root folder that does not propagate, plus a role on each object below it.
	AccessByGroup
	// AccessUnlisted is a role that propagates but is granted by a permission that the user cannot read.
	AccessUnlisted
)

// LimitAccess sets the user's access. The given VMs are hidden from the inventory and from lists of attached objects.
func (v *VCenter) LimitAccess(access Access, hiddenVMs ...string) {
	v.authorization.mu.Lock()
	v.authorization.access = access
	v.authorization.mu.Unlock()
	v.tags.Hide(hiddenVMs...)
	v.reading.mu.Lock()
	defer v.reading.mu.Unlock()
	v.reading.hidden = hiddenVMs
}

// RetrieveEntityPermissions returns the permissions of two groups on the root folder, or none if they are unlisted.
// Other objects have no permissions.
func (a *authorization) RetrieveEntityPermissions(
	_ *simulator.Context, req *types.RetrieveEntityPermissions,
) soap.HasFault {
	a.mu.Lock()
	defer a.mu.Unlock()
	res := new(types.RetrieveEntityPermissionsResponse)
	if req.Entity == a.root && a.access != AccessUnlisted {
		for group, propagates := range map[string]bool{
			`VSPHERE.LOCAL\Administrators`: true,
			`VSPHERE.LOCAL\Automation`:     a.access == AccessPropagates,
		} {
			res.Returnval = append(res.Returnval, types.Permission{
				Entity:    &a.root,
				Principal: group,
				Group:     true,
				RoleId:    -1,
				Propagate: propagates,
			})
		}
	}
	return &methods.RetrieveEntityPermissionsBody{Res: res}
}

func (a *authorization) grants(entity types.ManagedObjectReference) bool {
	switch a.access {
	case AccessRoot:
		return entity == a.root
	case AccessBelow:
		return false
	case AccessPropagates, AccessByGroup, AccessUnlisted:
	}
	return true
}

const defaultMaxQueryMetrics = 256

// servePrivileges replaces the simulator's authorization manager. It also adds the maxQueryMetrics setting if its value
// is not the default.
func (v *VCenter) servePrivileges() error {
	ctx := v.model.Service.Context
	theirs, ok := ctx.Map.Get(*v.model.ServiceContent.AuthorizationManager).(*simulator.AuthorizationManager)
	if !ok {
		return errors.New("the model has no authorization manager")
	}
	v.authorization = &authorization{AuthorizationManager: *theirs, root: v.model.ServiceContent.RootFolder}
	for _, id := range privileges {
		v.authorization.PrivilegeList = append(v.authorization.PrivilegeList, types.AuthorizationPrivilege{PrivId: id})
	}
	ctx.Map.Put(v.authorization)
	if v.config.MaxQueryMetrics == defaultMaxQueryMetrics {
		return nil
	}
	settings, ok := ctx.Map.Get(*v.model.ServiceContent.Setting).(*simulator.OptionManager)
	if !ok {
		return errors.New("the model has no option manager")
	}
	// Copy the simulator's settings, which are stored in a package variable.
	settings.Setting = append(slices.Clone(settings.Setting), &types.OptionValue{
		Key:   "config.vpxd.stats.maxQueryMetrics",
		Value: int32(v.config.MaxQueryMetrics), //nolint:gosec // small test values
	})
	return nil
}

// HasPrivilegeOnEntities evaluates the configured access. Like vCenter, it rejects unknown privileges.
func (a *authorization) HasPrivilegeOnEntities(req *types.HasPrivilegeOnEntities) soap.HasFault {
	a.mu.Lock()
	defer a.mu.Unlock()
	var answer []types.EntityPrivilege
	for _, entity := range req.Entity {
		one := types.EntityPrivilege{Entity: entity}
		for _, id := range req.PrivId {
			if !slices.Contains(privileges, id) {
				return &methods.HasPrivilegeOnEntitiesBody{
					Fault_: simulator.Fault("", &types.InvalidArgument{InvalidProperty: "privId"}),
				}
			}
			one.PrivAvailability = append(one.PrivAvailability, types.PrivilegeAvailability{
				PrivId:    id,
				IsGranted: a.grants(entity) && !slices.Contains(a.lacking, id),
			})
		}
		answer = append(answer, one)
	}
	return &methods.HasPrivilegeOnEntitiesBody{Res: &types.HasPrivilegeOnEntitiesResponse{Returnval: answer}}
}

// LackPrivileges revokes the given privileges in the SOAP API, or all privileges if none are given. For the tagging
// service, use tagging.Store.Deny.
func (v *VCenter) LackPrivileges(ids ...string) {
	v.authorization.mu.Lock()
	defer v.authorization.mu.Unlock()
	v.authorization.lacking = ids
	if len(ids) == 0 {
		v.authorization.lacking = privileges
	}
}
