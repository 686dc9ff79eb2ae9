// Package tagassociation implements vsla_tag_association, which attaches one tag to many objects with bulk calls
// (/rest/com/vmware/cis/tagging/tag-association). If a bulk call succeeds only partially, the tagged objects are saved
// to state and the error lists the others.
package tagassociation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const typeName = "vsla_tag_association"

type associationResource struct{ base.Managed[model] }

// NewResource returns the resource vsla_tag_association.
func NewResource() resource.Resource { return newResource() }

func newResource() *associationResource {
	r := &associationResource{}
	r.Managed = base.Managed[model]{
		Resource:   base.Resource{TypeName: typeName},
		Operations: r,
		Noun:       "Tag Association",
		NotFound:   vsphere.ErrNotFound,
		ImportID:   importID,
	}
	return r
}

// CreateObject attaches the tag.
func (r *associationResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics,
) (created model, save bool) {
	plan = plan.withID()
	unfinished := slices.Sorted(maps.Keys(r.TakeUnfinished(plan, base.AnyName)))
	owned, changed := r.apply(ctx, c, plan.spec(), nil, plan.spec().objectList(unfinished), diags)
	return r.withKnownNames(ctx, c, plan.withObjects(owned)), changed
}

// RefreshObject reads the objects that have the tag. If all objects in state still have it, a single request is enough.
// If the tag no longer exists, the association is removed from state.
func (r *associationResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (model, error) {
	attached, err := c.RefreshObjectsWithTag(ctx, state.TagID.ValueString())
	if err != nil {
		return state, err
	}
	before := state.spec()
	owned := before.ownedObjects(attached)
	if !before.exclusive { // an exclusive association rediscovers unreadable objects once they are readable
		hidden, why, err := c.UnreadableObjects(ctx, stringset.Without(before.objects, attached))
		if err != nil {
			return state, err
		}
		if len(hidden) > 0 {
			diags.AddAttributeWarning(path.Root("object_ids"), "Objects Cannot Be Read", fmt.Sprintf(
				"The account may be unable to read %s: %s. It is unknown whether these objects still have the tag. "+
					"They remain in state, because the tag would otherwise never be detached from them. %s If they "+
					"no longer have the tag, remove the association with `terraform state rm` and import it.",
				assignment.ListIDs(hidden),
				why,
				guard.ReadAllAdvice,
			))
		}
		owned = stringset.Union(owned, hidden)
	}
	return r.withNames(ctx, c, state.withObjects(owned).withoutChanges()), nil
}

// UpdateObject attaches the tag to new objects and detaches it from the objects planned for removal.
func (r *associationResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, state model, diags *diag.Diagnostics,
) (updated model, save bool) {
	owned, changed := r.apply(ctx, c, plan.spec(), state.spec().objects, nil, diags)
	return r.withKnownNames(ctx, c, plan.withObjects(owned)), changed
}

// withKnownNames reads the names that the plan could not show.
func (r *associationResource) withKnownNames(ctx context.Context, c *vsphere.Client, m model) model {
	if m.TagName.IsUnknown() || m.CategoryName.IsUnknown() {
		return r.withNames(ctx, c, m)
	}
	return m
}

// DeleteObject detaches the tag from the objects in state. A tag that no longer exists is ignored.
func (r *associationResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (remaining *model) {
	if err := r.detachAll(ctx, c, state.spec()); err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		explain.AddError(diags, "Unable to Delete Tag Association", privilege.Assign, err)
	}
	return nil
}

func (r *associationResource) detachAll(ctx context.Context, c *vsphere.Client, before associationSpec) error {
	tag, err := assignment.LedgerOf(r.Clients).Tag(ctx, c, before.tagID)
	if err != nil {
		return err
	}
	unlock, err := assignment.LedgerOf(r.Clients).Lock(ctx, false, []assignment.Tag{tag})
	if err != nil {
		return err
	}
	defer unlock()
	_, kept, err := assignment.LedgerOf(r.Clients).Detach(ctx, c, tag, before.objects)
	if err == nil && kept != nil {
		return kept
	}
	return err
}

func importID(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) string {
	var id identityModel
	diags.Append(identity.Get(ctx, &id)...)
	return id.TagID.ValueString() + "/" + id.ObjectType.ValueString()
}

// apply attaches and detaches the tag as planned. before contains the objects in state, and unfinished the objects that
// a failed create tagged. owned contains the objects that the resource owns afterwards. changed is false if nothing was
// changed.
func (r *associationResource) apply(
	ctx context.Context, c *vsphere.Client, plan associationSpec, before, unfinished []vsphere.Object,
	diags *diag.Diagnostics,
) (owned []vsphere.Object, changed bool) {
	tag, ok := r.checkIgnored(ctx, c, plan.tagID, diags)
	if !ok {
		return nil, false
	}
	unlock, err := assignment.LedgerOf(r.Clients).Lock(ctx, false, []assignment.Tag{tag})
	if err != nil {
		addError(diags, err)
		return nil, false
	}
	defer unlock()
	ledger := assignment.LedgerOf(r.Clients)
	attach := stringset.Without(plan.objects, before)
	detach := stringset.Union(plan.removes, stringset.Without(unfinished, plan.objects))
	owned = plan.objects
	requested, kept, err := ledger.Detach(ctx, c, tag, detach)
	if kept != nil {
		addError(diags, kept)
		owned = stringset.Union(owned, kept.Objects)
	}
	if err != nil {
		addError(diags, err)
		owned = stringset.Union(owned, assignment.Unconfirmed(err, requested))
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return stringset.Without(owned, attach), true
		}
	}
	untagged, errs := ledger.Attach(ctx, c, tag, attach, plan.replaces)
	for _, err := range errs {
		addError(diags, err)
	}
	ledger.MarkManaged(tag.ID, stringset.Without(plan.objects, untagged)...)
	owned = stringset.Without(owned, untagged)
	return owned, len(owned) > 0 || len(detach) > 0 || len(before) > 0 || len(errs) == 0
}

func (r *associationResource) checkIgnored(
	ctx context.Context, c *vsphere.Client, id string, diags *diag.Diagnostics,
) (assignment.Tag, bool) {
	tag, err := assignment.LedgerOf(r.Clients).Tag(ctx, c, id)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("tag_id"), "Unable to Associate Tag", privilege.Read, err)
		return tag, false
	}
	return tag, !assignment.RejectIgnored(r.Clients, tag, "tag_id", diags)
}

func addError(diags *diag.Diagnostics, err error) {
	explain.AddAttributeError(diags, path.Root("object_ids"), "Unable to Associate Tag", privilege.Assign, err)
}

// FindObject parses "<tag>", "<tag>/<object type>" or "<tag id>/<object type>/<object ids>". It first tries the whole
// text as a tag, because tag names can contain slashes.
func (r *associationResource) FindObject(ctx context.Context, c *vsphere.Client, id string) (model, error) {
	if !strings.HasPrefix(id, "urn:vmomi:") || !strings.Contains(id, "/") {
		tag, err := c.FindTag(ctx, id)
		if err == nil {
			return newModel(tag.ID, vmType), nil
		}
		if !errors.Is(err, vsphere.ErrNotFound) {
			return model{}, err
		}
	} else if parts := strings.Split(id, "/"); len(parts) == 3 {
		tag, err := c.FindTag(ctx, parts[0])
		m := newModel(tag.ID, parts[1])
		m.ObjectIDs = stringset.ListValue(strings.Split(parts[2], ","))
		return m, err
	}
	cut := strings.LastIndexByte(id, '/')
	if cut < 0 {
		cut = len(id)
	}
	tag, err := c.FindTag(ctx, id[:cut])
	if err != nil {
		return model{}, err
	}
	return newModel(tag.ID, strings.TrimPrefix(id[cut:], "/")), nil
}
