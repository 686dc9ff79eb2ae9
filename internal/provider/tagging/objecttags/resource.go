// Package objecttags implements vsla_object_tags, which attaches many tags to one object with bulk calls
// (/rest/com/vmware/cis/tagging/tag-association).
package objecttags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

const typeName = "vsla_object_tags"

type tagsResource struct{ base.Managed[model] }

// NewResource returns the resource vsla_object_tags.
func NewResource() resource.Resource {
	r := &tagsResource{}
	r.Managed = base.Managed[model]{
		Resource:   base.Resource{TypeName: typeName},
		Operations: r,
		Noun:       "Tags of Object",
		NotFound:   vsphere.ErrObjectGone,
	}
	return r
}

// goneObjects contains the objects in state that no longer exist. A plan does not check them, because they are not new.
type goneObjects struct{ sync.Map }

// CreateObject attaches the planned tags.
func (r *tagsResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics,
) (created model, save bool) {
	plan = plan.withID()
	unfinished := r.TakeUnfinished(plan, base.AnyName)
	owned, changed := r.apply(ctx, c, plan.spec(), nil, slices.Sorted(maps.Keys(unfinished)), diags)
	plan = plan.withTags(owned)
	if plan.TagNames.IsUnknown() {
		plan = r.withNames(ctx, c, plan)
	}
	return plan, changed
}

// RefreshObject reads the owned tags. If the object no longer exists, the resource is removed from state.
func (r *tagsResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (model, error) {
	before := state.spec()
	current, err := c.RefreshTagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		connection.State[goneObjects](r.Clients).Store(before.object, true)
		diags.AddWarning("Tagged Object No Longer Exists", fmt.Sprintf(
			"%s and its tag associations no longer exist. The resource was removed from state. Remove it from the "+
				"configuration as well, or set another object_id.", before.object))
	}
	if err != nil {
		return state, err
	}
	owned, err := r.owned(ctx, c, before, current)
	return r.withNames(ctx, c, state.withTags(owned).withRemoves(nil)), err
}

// UpdateObject detaches the planned tags and attaches the new ones.
func (r *tagsResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, state model, diags *diag.Diagnostics,
) (updated model, save bool) {
	owned, changed := r.apply(ctx, c, plan.spec(), state.spec().tags, nil, diags)
	plan = plan.withTags(owned)
	if plan.TagNames.IsUnknown() {
		plan = r.withNames(ctx, c, plan)
	}
	return plan, changed
}

// DeleteObject detaches the tags in state. Tags that no longer exist are ignored.
func (r *tagsResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) *model {
	before := state.spec()
	ledger := assignment.LedgerOf(r.Clients)
	change, unlock, err := ledger.BeginTagChange(ctx, c, before.object, before.tags, nil, r.Clients.Ignored())
	if err != nil {
		addError(diags, before.object, err)
		return nil
	}
	defer unlock()
	current, err := c.TagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		return nil
	}
	if err == nil {
		detach, kept := change.Detachable(stringset.Intersect(before.tags, current))
		for _, err := range kept {
			addError(diags, before.object, err)
		}
		err = change.Detach(ctx, detach)
	}
	if err != nil {
		addError(diags, before.object, err)
	}
	return nil
}

// FindObject parses "<object id>" or "<object type>/<object id>".
func (r *tagsResource) FindObject(_ context.Context, _ *vsphere.Client, from string) (model, error) {
	objectType, id, ok := strings.Cut(from, "/")
	if !ok {
		objectType = "VirtualMachine"
		id = from
	}
	objectType = vsphere.ObjectType(objectType)
	if id == "" || objectType == "" {
		return model{}, errors.New("the ID must be an object ID (vm-42), or an object type and ID (HostSystem/host-7)")
	}
	m := model{
		ObjectID:   types.StringValue(id),
		ObjectType: types.StringValue(objectType),
		TagIDs:     types.ListNull(types.StringType),
		Removes:    types.ListNull(types.StringType),
		TagNames:   types.MapNull(types.StringType),
		Ownership:  types.StringValue(additive),
	}
	return m.withID(), nil
}

// owned returns the tags in current that the resource owns. With ownership "additive", these are the listed tags. With
// "category", they are all tags in the categories of the listed tags. With "exclusive" or after an import, they are all
// tags. Tags in ignored categories are owned only with "additive". Tags that the account cannot read are never owned,
// because current does not contain them.
func (r *tagsResource) owned(ctx context.Context, c *vsphere.Client, spec tagSpec, current []string) ([]string, error) {
	if spec.ownership == additive && !spec.imported {
		return stringset.Intersect(spec.tags, current), nil
	}
	tags, err := assignment.LedgerOf(r.Clients).Tags(ctx, c, stringset.Union(current, spec.tags))
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, id := range spec.tags {
		listed[tags[id].CategoryID] = true
	}
	var owned []string
	for _, id := range current {
		tag := tags[id]
		isOwned := spec.ownership != byCategory || listed[tag.CategoryID]
		if isOwned && !r.Clients.Ignored().Match(tag.Category) {
			owned = append(owned, id)
		}
	}
	return owned, nil
}

// checkIgnored rejects tags of ignored categories unless ownership is "additive". With any other ownership, the
// resource would neither read nor remove such tags.
func (r *tagsResource) checkIgnored(
	ctx context.Context, c *vsphere.Client, plan tagSpec, diags *diag.Diagnostics,
) bool {
	if plan.ownership == additive {
		return true
	}
	tags, err := assignment.LedgerOf(r.Clients).Tags(ctx, c, plan.tags)
	if err != nil {
		addError(diags, plan.object, err)
		return false
	}
	for _, id := range plan.tags {
		if tag, ok := tags[id]; ok && assignment.RejectIgnored(r.Clients, tag, "tag_ids", diags) {
			return false
		}
	}
	return true
}

type tagSpec struct {
	object    vsphere.Object
	ownership string
	// tags contains the tags of tag_ids in order, without duplicates. imported is true if tag_ids is null.
	tags     []string
	imported bool
	removes  []string
}

// withNames returns the resource with the names of its tags. A tag that cannot be read has none.
func (r *tagsResource) withNames(ctx context.Context, c *vsphere.Client, m model) model {
	names := make(map[string]attr.Value)
	tags, err := assignment.LedgerOf(r.Clients).Tags(ctx, c, m.spec().tags)
	for id, tag := range tags {
		names[id] = types.StringValue(tag.Path())
	}
	m.TagNames = types.MapNull(types.StringType)
	if err == nil {
		m.TagNames = types.MapValueMust(types.StringType, names)
	}
	return m
}
