// Package guard refuses deletes that would end associations.
package guard

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// ReadEverything advises how to let an account read every object.
const ReadEverything = "Give it the role Read-only (System.Read) on the root folder with \"Propagate to children\"."

// WarnUnproven warns that a list of objects may be incomplete; what names the list. It asks only once for a client.
func WarnUnproven(ctx context.Context, c *vsphere.Client, what string, diags *diag.Diagnostics) {
	reach, err := c.Reach(ctx)
	if err != nil {
		reach.Unproven = "its permissions could not be read: " + err.Error()
	}
	if reach.Unproven == "" {
		return
	}
	diags.AddWarning("Objects May Be Missing", fmt.Sprintf(
		"vCenter lists only objects that the account may read, so whether %s is complete is not known: %s. %s",
		what, reach.Unproven, ReadEverything,
	))
}

// Doomed are tags that are about to be deleted.
type Doomed struct {
	// What begins the summary of a refusal, such as "Tag".
	What       string
	CategoryID string
	IDs        []string
	// Whole is the delete of the category, with tags that the account may not see.
	Whole bool
}

// MayDeleteTags reports whether tags may be deleted without force_destroy. It is an error when something carries one of
// them or could carry it, and when a rule of a protection group names one.
func MayDeleteTags(
	ctx context.Context, clients *connection.Set, c *vsphere.Client, diags *diag.Diagnostics, of Doomed,
) bool {
	carried, err := c.Associations(ctx, of.IDs)
	return mayDelete(diags, of.What, carried, err) && of.seen(ctx, c, diags) &&
		mayEndRules(ctx, clients, diags, of.What, of.IDs)
}

// seen reports whether the account may read what is below the global root, where that matters: content libraries, and
// the tags of a category.
func (of Doomed) seen(ctx context.Context, c *vsphere.Client, diags *diag.Diagnostics) bool {
	global, err := c.GlobalReach(ctx)
	if err != nil {
		explain.AddError(diags, "Unable to List Content Libraries", privilege.Read, err)
		return false
	}
	if global == vsphere.GlobalRead {
		return true
	}
	category, err := c.Category(ctx, of.CategoryID)
	if err != nil {
		explain.AddError(diags, "Unable to Read the Category of "+of.What, privilege.Read, err)
		return false
	}
	return of.maySkip(category, global, diags)
}

// maySkip judges a delete without a list of content libraries.
func (of Doomed) maySkip(category vsphere.Category, global vsphere.GlobalReach, diags *diag.Diagnostics) bool {
	switch {
	case !category.AllowsLibraries() && !of.Whole:
	case global == vsphere.GlobalRefused:
		diags.AddError(of.What+" May Be in Use", fmt.Sprintf(
			"The account may not list content libraries: it has no global permission, so it may not see content libraries "+
				"that carry a tag of category %q, or tags of it. Nothing was deleted. Give the account %s. Or check with "+
				"another account, then set force_destroy = true and apply that before the delete.",
			category.Name, privilege.Read))
		return false
	case category.AllowsLibraries():
		diags.AddWarning("Content Libraries Not Checked", fmt.Sprintf(
			"%s is deleted, and category %q allows content libraries. vCenter shows none: there is none, or the account "+
				"may not read them, which needs %s.", of.What, category.Name, privilege.Read))
	}
	return true
}

// ForceDeleteTags notes for the other resources of the run what carries tags of a category that are deleted with
// force_destroy, and reports whether that could be read.
func ForceDeleteTags(
	ctx context.Context,
	clients *connection.Set,
	c *vsphere.Client,
	diags *diag.Diagnostics,
	categoryID string,
	ids []string,
) bool {
	err := connection.State[tagledger.Ledger](clients).Delete(ctx, c, categoryID, ids)
	if err != nil {
		explain.AddError(diags, "Unable to Read Associations", privilege.Read, err)
	}
	return err == nil
}

// mayDelete judges associations that were counted with err.
func mayDelete(diags *diag.Diagnostics, what string, carried vsphere.Associated, err error) bool {
	switch {
	case err != nil:
		explain.AddError(diags, "Unable to Count Associations", privilege.Read, err)
		return false
	case carried.Objects > 0:
		diags.AddError(what+" Still in Use", fmt.Sprintf(
			"Deleting would also end %s, and nothing was deleted. Detach it first, or set force_destroy = true and apply "+
				"that before "+
				"the delete. Linked vCenters count their own objects, which are not part of this number.",
			carried,
		))
		return false
	case len(carried.Linked) > 0:
		diags.AddError(what+" May Be in Use on a Linked vCenter", fmt.Sprintf(
			"This vCenter is linked with others (%s). They share tags and categories, so deleting here deletes there as "+
				"well, but each "+
				"vCenter reports only associations with its own objects. Nothing was deleted. Check on each of them that nothing "+
				"carries it, then set force_destroy = true and apply that before the delete.",
			strings.Join(carried.Linked, ", "),
		))
		return false
	case carried.Unproven != "":
		diags.AddError(what+" May Be in Use", fmt.Sprintf(
			"vCenter reports only objects that the account may read, and none of them carries it. That does not prove that "+
				"none does, because the account may not read everything: %s. Nothing was deleted. %s Or check with an "+
				"account that reads everything, then set force_destroy = true and apply that before the delete.",
			carried.Unproven, ReadEverything,
		))
		return false
	case carried.TopologyUnknown:
		diags.AddWarning("Linked vCenters Not Checked", fmt.Sprintf(
			"%s is deleted because nothing in this vCenter carries it. Whether this vCenter is linked with others, which share "+
				"its tags, could not be read: the release has no such operation, or the user lacks the privilege "+
				"System.Read on the root object.", what))
	}
	return true
}
