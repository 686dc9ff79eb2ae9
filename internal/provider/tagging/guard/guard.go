// Package guard prevents deletes that would remove tag associations.
package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// ReadAllAdvice tells users how to grant an account read access to all objects.
const ReadAllAdvice = "Grant the account the Read-only role (System.Read) on the root folder " +
	"with \"Propagate to children\"."

// WarnIncomplete adds a warning if a list of objects might be incomplete. list describes the list in the message.
// Permissions are read only once per client.
func WarnIncomplete(ctx context.Context, c *vsphere.Client, list string, diags *diag.Diagnostics) {
	reach, err := c.InventoryAccess(ctx)
	if err != nil {
		reach.UnprovenReason = "its permissions could not be read: " + err.Error()
	}
	if reach.UnprovenReason == "" {
		return
	}
	diags.AddWarning("Objects May Be Missing", fmt.Sprintf(
		"%s may be incomplete, because vCenter lists only objects that the account can read: %s. %s",
		list, reach.UnprovenReason, ReadAllAdvice,
	))
}

// Deletion describes tags that are about to be deleted.
type Deletion struct {
	// Title is the first word of the diagnostic summary, for example "Tag".
	Title      string
	CategoryID string
	IDs        []string
	// IncludesCategory is true if the category itself is deleted, which also deletes tags that the account cannot read.
	IncludesCategory bool
}

// MayDeleteTags reports whether tags may be deleted without force_destroy. It adds an error if a tag is attached, if it
// might be attached to objects that the account cannot read, or if a protection group rule uses it.
func MayDeleteTags(
	ctx context.Context, clients *connection.Set, c *vsphere.Client, diags *diag.Diagnostics, d Deletion,
) bool {
	associations, err := c.CountAssociations(ctx, d.IDs)
	return mayDeleteAssociations(diags, d.Title, associations, err) && d.canReadAll(ctx, clients, c, diags) &&
		unusedInRules(ctx, clients, diags, d.Title, d.IDs)
}

// canReadAll reports whether the account's permissions allow the delete. Without a global permission, some content
// libraries or some tags of a category might not be visible.
func (d Deletion) canReadAll(
	ctx context.Context, clients *connection.Set, c *vsphere.Client, diags *diag.Diagnostics,
) bool {
	global, err := c.GlobalAccess(ctx)
	if err != nil {
		explain.AddError(diags, "Unable to List Content Libraries", privilege.Read, err)
		return false
	}
	if global == vsphere.GlobalRead {
		return true
	}
	category, err := assignment.LedgerOf(clients).Category(ctx, c, d.CategoryID)
	if err != nil {
		explain.AddError(diags, "Unable to Read Category of "+d.Title, privilege.Read, err)
		return false
	}
	return d.mayDeleteUnlisted(category, global, diags)
}

// mayDeleteUnlisted reports whether the tags may be deleted even though the account cannot list all content libraries.
func (d Deletion) mayDeleteUnlisted(
	category vsphere.Category, global vsphere.GlobalAccess, diags *diag.Diagnostics,
) bool {
	switch {
	case !category.AllowsLibraries() && !d.IncludesCategory:
	case global == vsphere.GlobalRefused:
		diags.AddError(d.Title+" May Be in Use", fmt.Sprintf(
			"The account has no global permission, so content libraries with a tag of category %q, or tags of the "+
				"category, may be hidden. Nothing was deleted. Grant the account %s. Alternatively, check with "+
				"another account, then set force_destroy = true and apply it before the delete.",
			category.Name, privilege.Read))
		return false
	case category.AllowsLibraries():
		diags.AddWarning("Content Libraries Not Checked", fmt.Sprintf(
			"The delete of %s continues. Category %q allows content libraries, and vCenter lists none with a tag. "+
				"The account may be unable to read them, which requires %s.", d.Title, category.Name, privilege.Read))
	}
	return true
}

// ForceDeleteTags records the associations of tags that force_destroy is about to delete, because other resources in
// the run need them. It returns false if the associations cannot be read.
func ForceDeleteTags(
	ctx context.Context, clients *connection.Set, c *vsphere.Client, diags *diag.Diagnostics, categoryID string,
	ids []string,
) bool {
	err := assignment.LedgerOf(clients).RecordDelete(ctx, c, categoryID, ids)
	if err != nil {
		explain.AddError(diags, "Unable to Read Associations", privilege.Read, err)
	}
	return err == nil
}

// mayDeleteAssociations reports whether the counted associations allow a delete. err is the error from counting them,
// if any.
func mayDeleteAssociations(
	diags *diag.Diagnostics, title string, associations vsphere.AssociationCount, err error,
) bool {
	switch {
	case err != nil:
		explain.AddError(diags, "Unable to Count Associations", privilege.Read, err)
		return false
	case associations.Objects > 0:
		diags.AddError(title+" Still in Use", fmt.Sprintf(
			"Nothing was deleted, because the delete would also remove %s. Detach the tags first, or set "+
				"force_destroy = true and apply it before the delete. Objects of linked vCenters are not counted.",
			associations,
		))
		return false
	case len(associations.LinkedNodes) > 0:
		diags.AddError(title+" May Be in Use on a Linked vCenter", fmt.Sprintf(
			"These vCenters are linked: %s. They share tags and categories, so a delete applies to all of them, but "+
				"each vCenter reports only associations with its own objects. Nothing was deleted. Check on each "+
				"vCenter that there are no associations, then set force_destroy = true and apply it before the delete.",
			strings.Join(associations.LinkedNodes, ", "),
		))
		return false
	case associations.UnprovenReason != "":
		diags.AddError(title+" May Be in Use", fmt.Sprintf(
			"vCenter reports no associations, but the account may be unable to read all objects: %s. Nothing was "+
				"deleted. %s Alternatively, check with an account that can read all objects, then set force_destroy "+
				"= true and apply it before the delete.",
			associations.UnprovenReason,
			ReadAllAdvice,
		))
		return false
	case associations.TopologyUnknown:
		diags.AddWarning("Linked vCenters Not Checked", fmt.Sprintf(
			"The delete of %s continues, because this vCenter reports no associations. Linked vCenters, which share "+
				"tags, could not be checked, because the release does not support this or the user lacks the "+
				"privilege System.Read on the root object.", title))
	}
	return true
}

// unusedInRules reports whether no protection group rule uses the tags. It adds an error if a rule does, or if vSAN
// Data Protection is configured but cannot be read.
func unusedInRules(
	ctx context.Context, clients *connection.Set, diags *diag.Diagnostics, title string, tagIDs []string,
) bool {
	if !clients.HasProtection() || len(tagIDs) == 0 {
		return true
	}
	c := clients.Protection(diags)
	if c == nil {
		return false
	}
	// Reading groups requires System.Read on their cluster. mayDeleteAssociations has verified that the account can
	// read all objects, so no group is hidden. AllGroups returns an error if it finds no cluster.
	all, err := c.AllGroups(ctx)
	if err != nil {
		explain.AddError(diags, "Unable to Read Rules of Protection Groups", "", err)
		return false
	}
	if groups := GroupsWithTags(all, tagIDs, func(snapservice.Group) bool { return true }); len(groups) > 0 {
		diags.AddError(title+" Still in Use by Protection Groups", fmt.Sprintf(
			"Nothing was deleted, because rules of these protection groups use the tags, and their members would lose "+
				"protection: %s. Change the rules first, or set force_destroy = true and apply it before the delete.",
			strings.Join(groups, ", ")))
		return false
	}
	return true
}

// GroupsWithTags returns the names and clusters of the groups that filter selects and that have a rule with one of the
// tags.
func GroupsWithTags(
	all map[string][]snapservice.Group, tagIDs []string, filter func(snapservice.Group) bool,
) (names []string) {
	for _, cluster := range slices.Sorted(maps.Keys(all)) {
		for _, g := range all[cluster] {
			if slices.ContainsFunc(tagIDs, g.UsesTag) && filter(g) {
				names = append(names, fmt.Sprintf("group %s of cluster %s", snapservice.Printable(g.Name), cluster))
			}
		}
	}
	return names
}
