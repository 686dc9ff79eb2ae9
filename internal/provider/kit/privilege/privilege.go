// Package privilege names the privileges that tagging needs, for messages. templates/guides/adopt.md has the same
// table.
package privilege

// The privileges, and what each has to be granted on.
const (
	Read = "Read-only (System.Read), as a global permission"

	CreateCategory = "Create vSphere Tag Category (InventoryService.Tagging.CreateCategory), as a global permission"
	EditCategory   = "Edit vSphere Tag Category (InventoryService.Tagging.EditCategory) on the category"
	DeleteCategory = "Delete vSphere Tag Category (InventoryService.Tagging.DeleteCategory) on the category"

	CreateTag = "Create vSphere Tag (InventoryService.Tagging.CreateTag) on the category"
	EditTag   = "Edit vSphere Tag (InventoryService.Tagging.EditTag) on the tag"
	DeleteTag = "Delete vSphere Tag (InventoryService.Tagging.DeleteTag) on the tag"

	Assign = "Assign or Unassign vSphere Tag (InventoryService.Tagging.AttachTag) on the tag or as a global " +
		"permission, and Assign or Unassign vSphere Tag on Object (InventoryService.Tagging.ObjectAttachable) on each " +
		"object"
)
