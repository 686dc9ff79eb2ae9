package objecttags

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

// owned returns the owned tags of an object: the listed ones, with "category" all tags of their categories, and with
// "exclusive" all tags except those of ignored categories. Tags that the account cannot read are not in has, so they
// are never owned.
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

// givesWay returns the tags of the object in SINGLE categories of the tags to attach.
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

// allowed rejects tags of ignored categories unless ownership is additive, because the resource would neither read nor
// remove them.
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
