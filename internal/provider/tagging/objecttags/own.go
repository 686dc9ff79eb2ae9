// Which tags of an object are owned, and which are replaced by others of their category.

package objecttags

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

// owned returns which of the tags that the object has are owned: those that are listed; with "category" all of the
// categories of those; with "exclusive" all but those of ignored categories. Tags that the account may not read are not
// in has: they stay, and are not owned.
func (r *tagsResource) owned(ctx context.Context, c *vsphere.Client, want content, has []string) ([]string, error) {
	if want.ownership == additive && !want.imported {
		return stringset.Both(want.tags, has), nil
	}
	tags, err := assignment.Ledger(r.Clients).Tags(ctx, c, stringset.Union(has, want.tags))
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, id := range want.tags {
		listed[tags[id].CategoryID] = true
	}
	var owned []string
	for _, id := range has {
		tag := tags[id]
		if !r.Clients.Ignored().Match(tag.Category) && (want.ownership != byCategory || listed[tag.CategoryID]) {
			owned = append(owned, id)
		}
	}
	return owned, nil
}

// givesWay returns which of the tags that the object has are of a SINGLE category that a tag to attach is of.
func (r *tagsResource) givesWay(ctx context.Context, c *vsphere.Client, has, attach []string) ([]string, error) {
	if len(has) == 0 || len(attach) == 0 {
		return nil, nil
	}
	tags, err := assignment.Ledger(r.Clients).Tags(ctx, c, has)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, id := range has {
		tag := tags[id]
		if !tag.Single || r.Clients.Ignored().Match(tag.Category) {
			continue
		}
		siblings, err := c.TagIDs(ctx, tag.CategoryID)
		if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
			return nil, err
		}
		if len(stringset.Both(attach, siblings)) > 0 {
			gone = append(gone, id)
		}
	}
	return gone, nil
}

// allowed refuses, where ownership is by category, tags of categories that the provider leaves alone: it would
// neither read nor remove what it has attached.
func (r *tagsResource) allowed(ctx context.Context, c *vsphere.Client, plan content, diags *diag.Diagnostics) bool {
	if plan.ownership == additive {
		return true
	}
	tags, err := assignment.Ledger(r.Clients).Tags(ctx, c, plan.tags)
	if err != nil {
		failed(diags, plan.object, err)
		return false
	}
	for _, id := range plan.tags {
		if tag, ok := tags[id]; ok && assignment.Refused(r.Clients, tag, "tag_ids", diags) {
			return false
		}
	}
	return true
}
