// Package objecttags implements vsla_object_tags: many tags of one object, in bulk calls
// (/rest/com/vmware/cis/tagging/tag-association).
package objecttags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

const typeName = "vsla_object_tags"

type tagsResource struct{ base.Managed[model] }

// NewResource returns the resource vsla_object_tags.
func NewResource() resource.Resource {
	r := &tagsResource{}
	r.Managed = base.Managed[model]{
		Resource: base.Resource{TypeName: typeName}, Operations: r, Noun: "the Tags of Object",
		Gone: vsphere.ErrObjectGone,
	}
	return r
}

// Make attaches the planned tags.
func (r *tagsResource) Make(
	ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics,
) (made model, save bool) {
	plan = plan.withID()
	left := r.TakeOver(plan, base.Any)
	owns, touched := r.apply(ctx, c, plan.content(), nil, slices.Sorted(maps.Keys(left)), diags)
	return plan.withTags(owns), touched
}

// Refresh reads the owned tags. It removes the resource from state if the object no longer exists.
func (r *tagsResource) Refresh(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (model, error) {
	before := state.content()
	has, err := c.RefreshTagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		diags.AddWarning("Tagged Object Is Gone", fmt.Sprintf(
			"%s does not exist any more, and its tags went with it. The resource is removed from state; remove it from "+
				"the configuration too, or give it another object_id.", before.object))
	}
	if err != nil {
		return state, err
	}
	owned, err := r.owned(ctx, c, before, has)
	return state.withTags(owned).withRemoves(nil), err
}

// Change detaches the planned tags and attaches new ones.
func (r *tagsResource) Change(
	ctx context.Context, c *vsphere.Client, plan, state model, diags *diag.Diagnostics,
) (changed model, save bool) {
	owns, touched := r.apply(ctx, c, plan.content(), state.content().tags, nil, diags)
	return plan.withTags(owns), touched
}

// Remove detaches the tags in state. It ignores tags that no longer exist.
func (r *tagsResource) Remove(ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics) *model {
	before := state.content()
	tags, unlock, err := r.lock(ctx, c, before.tags, nil)
	if err != nil {
		failed(diags, before.object, err)
		return nil
	}
	defer unlock()
	has, err := c.TagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		return nil
	}
	if err == nil {
		detach := r.detachable(before.object, stringset.Both(before.tags, has), tags, diags)
		err = r.detach(ctx, c, before.object, detach, tags)
	}
	if err != nil {
		failed(diags, before.object, err)
	}
	return nil
}

// Find parses "<object id>" or "<object type>/<object id>".
func (r *tagsResource) Find(_ context.Context, _ *vsphere.Client, from string) (model, error) {
	objectType, id, ok := strings.Cut(from, "/")
	if !ok {
		objectType, id = "VirtualMachine", from
	}
	if id == "" || objectType == "" {
		return model{}, errors.New("the id must be that of an object (vm-42), or its type and id (HostSystem/host-7)")
	}
	m := model{
		ObjectID: types.StringValue(id), ObjectType: types.StringValue(objectType),
		TagIDs: types.ListNull(types.StringType), Removes: types.ListNull(types.StringType),
		Ownership: types.StringValue(additive),
	}
	return m.withID(), nil
}
