// Package privilege lists the vCenter privileges that vsla needs, for messages and the doctor command.
// templates/guides/adopt.md lists the same tagging privileges.
package privilege

// Privilege IDs in vCenter.
const (
	SystemView = "System.View"
	SystemRead = "System.Read"

	CreateCategoryID   = "InventoryService.Tagging.CreateCategory"
	EditCategoryID     = "InventoryService.Tagging.EditCategory"
	DeleteCategoryID   = "InventoryService.Tagging.DeleteCategory"
	CreateTagID        = "InventoryService.Tagging.CreateTag"
	EditTagID          = "InventoryService.Tagging.EditTag"
	DeleteTagID        = "InventoryService.Tagging.DeleteTag"
	AttachTagID        = "InventoryService.Tagging.AttachTag"
	ObjectAttachableID = "InventoryService.Tagging.ObjectAttachable"

	ManageReplication    = "Host.Hbr.HbrManagement"
	ConfigureReplication = "VirtualMachine.Hbr.ConfigureReplication"
	DatastoreFiles       = "Datastore.FileManagement"
	StoragePolicyView    = "StorageProfile.View"
)

// Tagging privileges as shown in messages, each with the objects on which to grant it.
const (
	Read = "Read-only (" + SystemRead + "), as a global permission"

	CreateCategory = "Create vSphere Tag Category (" + CreateCategoryID + "), as a global permission"
	EditCategory   = "Edit vSphere Tag Category (" + EditCategoryID + ") on the category"
	DeleteCategory = "Delete vSphere Tag Category (" + DeleteCategoryID + ") on the category"

	CreateTag = "Create vSphere Tag (" + CreateTagID + ") on the category"
	EditTag   = "Edit vSphere Tag (" + EditTagID + ") on the tag"
	DeleteTag = "Delete vSphere Tag (" + DeleteTagID + ") on the tag"

	Assign = "Assign or Unassign vSphere Tag (" + AttachTagID + ") on the tag or as a global permission, and Assign " +
		"or Unassign vSphere Tag on Object (" + ObjectAttachableID + ") on each object"
)

// Need lists the privileges that a feature needs.
type Need struct {
	// Feature lists the Terraform resources and data sources that need the privileges.
	Feature string
	// IDs contains the privilege IDs. All of them are required.
	IDs []string
}

// Needs returns the privileges that vsla needs in vCenter, in the order of the documentation.
func Needs() []Need {
	return []Need{
		{"reading tags, categories and associations", []string{SystemRead}},
		{"vsla_tag_category", []string{CreateCategoryID, EditCategoryID, DeleteCategoryID}},
		{"vsla_tag, vsla_tags", []string{CreateTagID, EditTagID, DeleteTagID}},
		{"vsla_tag_association, vsla_object_tags", []string{AttachTagID, ObjectAttachableID}},
		{"vsla_virtual_machines, vsla_change_rates", []string{SystemView, SystemRead}},
		{"vsla_replication, the actions", []string{
			ManageReplication, ConfigureReplication, DatastoreFiles, StoragePolicyView, SystemView, SystemRead,
		}},
		{"vsla_replication_* and vsla_replications data sources", []string{
			SystemView, SystemRead, DatastoreFiles, StoragePolicyView,
		}},
	}
}
