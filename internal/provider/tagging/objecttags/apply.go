package objecttags

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// apply detaches the planned tags first, because a SINGLE category allows only one tag, and then attaches the new
// ones. before are the tags in state, unfinished the tags of a failed create. It returns the owned tags, or false if
// nothing was changed.
func (r *tagsResource) apply(
	ctx context.Context, c *vsphere.Client, plan content, before, unfinished []string, diags *diag.Diagnostics,
) (owns []string, touched bool) {
	if !r.allowed(ctx, c, plan, diags) {
		return nil, false
	}
	removes := stringset.Union(plan.removes, stringset.Without(unfinished, plan.tags))
	tags, unlock, err := r.lock(ctx, c, removes, plan.tags)
	if err != nil {
		failed(diags, plan.object, err)
		return nil, false
	}
	defer unlock()
	has, err := c.TagsOfNewObject(ctx, plan.object)
	if err != nil {
		failed(diags, plan.object, err)
		return nil, false
	}
	for _, id := range plan.tags {
		assignment.Ledger(r.Clients).Give(id, plan.object)
	}
	detach := r.detachable(plan.object, stringset.Both(removes, has), tags, diags)
	attach := stringset.Without(plan.tags, has)
	if !r.exchange(ctx, c, plan, detach, attach, tags, diags) {
		return stringset.Union(stringset.Both(plan.tags, has), detach), true
	}
	if !diags.HasError() {
		return plan.tags, true
	}
	// After an error, save the tags that vCenter reports, or all possible tags if it cannot be read.
	graceful, cancel := transport.Grace(ctx)
	defer cancel()
	now, err := c.TagsOfObject(graceful, plan.object)
	if err != nil {
		return stringset.Union(plan.tags, detach), true
	}
	owned := stringset.Both(detach, before)
	owns = stringset.Both(stringset.Union(plan.tags, owned), now)
	return owns, len(owns) > 0 || len(before) > 0
}

// exchange detaches tags and attaches others, in one request if vCenter supports it. It returns false if the result of
// detaching is unknown; then it attaches nothing.
func (r *tagsResource) exchange(
	ctx context.Context, c *vsphere.Client, plan content, detach, attach []string, tags map[string]tagledger.Tag,
	diags *diag.Diagnostics,
) bool {
	if len(detach) > 0 && len(attach) > 0 {
		r.note(plan.object, detach, tags)
		if offered, err := c.ChangeTags(ctx, plan.object, detach, attach); offered {
			if err != nil {
				failed(diags, plan.object, err)
			}
			return true
		}
	}
	if err := r.detach(ctx, c, plan.object, detach, tags); err != nil {
		failed(diags, plan.object, err)
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return false
		}
	}
	if err := c.AttachTags(ctx, plan.object, attach); err != nil {
		failed(diags, plan.object, err)
		r.restore(ctx, c, plan, detach, tags, diags)
	}
	return true
}

// note records the tags before they are detached.
func (r *tagsResource) note(object vsphere.Object, ids []string, tags map[string]tagledger.Tag) {
	for _, id := range ids {
		assignment.Ledger(r.Clients).Note(object, []tagledger.Tag{tags[id]}, true)
	}
}

func (r *tagsResource) lock(
	ctx context.Context, c *vsphere.Client, removes, attach []string,
) (tags map[string]tagledger.Tag, unlock func(), err error) {
	tags, err = assignment.Ledger(r.Clients).Tags(ctx, c, removes)
	if err != nil {
		return nil, nil, err
	}
	all := slices.Collect(maps.Values(tags))
	for _, id := range attach {
		all = append(all, tagledger.Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id}}})
	}
	unlock, err = assignment.Ledger(r.Clients).Lock(ctx, true, all)
	return tags, unlock, err
}

// detachable excludes tags that another resource has attached or could not replace.
func (r *tagsResource) detachable(
	object vsphere.Object, ids []string, tags map[string]tagledger.Tag, diags *diag.Diagnostics,
) []string {
	ids, kept := assignment.Ledger(r.Clients).Detachable(object, ids)
	for _, id := range kept {
		failed(diags, object, &tagledger.KeptError{Path: tags[id].Path(), Objects: []vsphere.Object{object}})
	}
	return ids
}

func (r *tagsResource) detach(
	ctx context.Context, c *vsphere.Client, object vsphere.Object, ids []string, tags map[string]tagledger.Tag,
) error {
	r.note(object, ids, tags)
	return c.DetachTags(ctx, object, ids)
}

// restore attaches detached tags again if the object now has no tag of their SINGLE category.
func (r *tagsResource) restore(
	ctx context.Context, c *vsphere.Client, plan content, detached []string, tags map[string]tagledger.Tag,
	diags *diag.Diagnostics,
) {
	ctx, cancel := transport.Grace(ctx)
	defer cancel()
	carried := make(map[string]bool)
	now, err := c.TagsOfObject(ctx, plan.object)
	if err == nil {
		var on map[string]tagledger.Tag
		on, err = assignment.Ledger(r.Clients).Tags(ctx, c, now)
		for _, tag := range on {
			carried[tag.CategoryID] = true
		}
	}
	if err != nil {
		failed(diags, plan.object, err) // safe to try, because vCenter rejects a second tag of the category
	}
	way, err := r.givesWay(ctx, c, detached, plan.tags)
	if err != nil {
		way = slices.Sorted(maps.Keys(tags))
	}
	for _, id := range way {
		if tag := tags[id]; tag.Single && !carried[tag.CategoryID] {
			if err := assignment.Ledger(r.Clients).Restore(ctx, c, plan.object, tag); err != nil {
				failed(diags, plan.object, err)
			}
		}
	}
}

func failed(diags *diag.Diagnostics, object vsphere.Object, err error) {
	explain.AddAttributeError(diags, path.Root("tag_ids"),
		"Unable to Tag "+object.String(), privilege.Assign, err)
}
