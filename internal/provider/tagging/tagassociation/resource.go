// Package tagassociation implements vsla_tag_association, which attaches one tag to many objects in bulk calls
// (/rest/com/vmware/cis/tagging/tag-association). If a bulk call succeeds partially, the tagged objects are saved to
// state and the error lists the others.
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
		Resource: base.Resource{TypeName: typeName}, Operations: r, Noun: "Tag Association",
		NotFound: vsphere.ErrNotFound, ImportID: importID,
	}
	return r
}

// CreateObject attaches the tag.
func (r *associationResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics,
) (created model, save bool) {
	plan = plan.withID()
	left := slices.Sorted(maps.Keys(r.TakeUnfinished(plan, base.AnyName)))
	owns, touched := r.apply(ctx, c, plan.content(), nil, plan.content().named(left), diags)
	return plan.withObjects(owns), touched
}

// RefreshObject reads the objects of the tag in one request. It removes the association from state if the tag no longer
// exists.
func (r *associationResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (model, error) {
	attached, err := c.RefreshObjectsWithTag(ctx, state.TagID.ValueString())
	if err != nil {
		return state, err
	}
	before := state.content()
	owned := before.refreshed(attached)
	if !before.exclusive { // an exclusive association reads them again when they become visible
		hidden, why, err := c.UnreadableObjects(ctx, stringset.Without(before.objects, attached))
		if err != nil {
			return state, err
		}
		if len(hidden) > 0 {
			diags.AddAttributeWarning(path.Root("object_ids"), "Objects Cannot Be Read", fmt.Sprintf(
				"The account may not read %s, so vCenter does not list them, and whether they still carry the tag is not "+
					"known: %s. They stay in state, or the tag would stay on them for ever. %s Where the tag is no longer on "+
					"them, remove the association with `terraform state rm` and import it.",
				assignment.List(hidden), why, guard.ReadEverything,
			))
		}
		owned = stringset.Union(owned, hidden)
	}
	return state.withObjects(owned).unchanged(), nil
}

// UpdateObject attaches new objects and detaches the planned ones.
func (r *associationResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, state model, diags *diag.Diagnostics,
) (updated model, save bool) {
	owns, touched := r.apply(ctx, c, plan.content(), state.content().objects, nil, diags)
	return plan.withObjects(owns), touched
}

// DeleteObject detaches the tag from the objects in state. It ignores a tag that no longer exists.
func (r *associationResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (left *model) {
	if err := r.detachAll(ctx, c, state.content()); err != nil && !errors.Is(err, vsphere.ErrNotFound) {
		explain.AddError(diags, "Unable to Delete Tag Association", privilege.Assign, err)
	}
	return nil
}

func (r *associationResource) detachAll(ctx context.Context, c *vsphere.Client, before content) error {
	tag, err := assignment.Of(r.Clients).Tag(ctx, c, before.tagID)
	if err != nil {
		return err
	}
	unlock, err := assignment.Of(r.Clients).Lock(ctx, false, []assignment.Tag{tag})
	if err != nil {
		return err
	}
	defer unlock()
	_, kept, err := assignment.Of(r.Clients).Detach(ctx, c, tag, before.objects)
	if err == nil && kept != nil {
		return kept
	}
	return err
}

func importID(ctx context.Context, from *tfsdk.ResourceIdentity, diags *diag.Diagnostics) string {
	var by association
	diags.Append(from.Get(ctx, &by)...)
	return by.TagID.ValueString() + "/" + by.ObjectType.ValueString()
}

// apply attaches and detaches the tag as planned. before are the objects in state, and unfinished are the objects of a
// failed create. It returns the owned objects. touched is false if nothing was changed.
func (r *associationResource) apply(
	ctx context.Context, c *vsphere.Client, plan content, before, unfinished []vsphere.Object, diags *diag.Diagnostics,
) (owns []vsphere.Object, touched bool) {
	tag, ok := r.allowed(ctx, c, plan.tagID, diags)
	if !ok {
		return nil, false
	}
	unlock, err := assignment.Of(r.Clients).Lock(ctx, false, []assignment.Tag{tag})
	if err != nil {
		failed(diags, err)
		return nil, false
	}
	defer unlock()
	ledger := assignment.Of(r.Clients)
	attach := stringset.Without(plan.objects, before)
	detach := stringset.Union(plan.removes, stringset.Without(unfinished, plan.objects))
	owns = plan.objects
	asked, kept, err := ledger.Detach(ctx, c, tag, detach)
	if kept != nil {
		failed(diags, kept)
		owns = stringset.Union(owns, kept.Objects)
	}
	if err != nil {
		failed(diags, err)
		owns = stringset.Union(owns, assignment.NotDone(err, asked))
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return stringset.Without(owns, attach), true
		}
	}
	left, errs := ledger.Attach(ctx, c, tag, attach, plan.replaces)
	for _, err := range errs {
		failed(diags, err)
	}
	ledger.Give(tag.ID, stringset.Without(plan.objects, left)...)
	owns = stringset.Without(owns, left)
	return owns, len(owns) > 0 || len(detach) > 0 || len(before) > 0 || len(errs) == 0
}

func (r *associationResource) allowed(
	ctx context.Context, c *vsphere.Client, id string, diags *diag.Diagnostics,
) (assignment.Tag, bool) {
	tag, err := assignment.Of(r.Clients).Tag(ctx, c, id)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("tag_id"), "Unable to Associate Tag", privilege.Read, err)
		return tag, false
	}
	return tag, !assignment.Refused(r.Clients, tag, "tag_id", diags)
}

func failed(diags *diag.Diagnostics, err error) {
	explain.AddAttributeError(diags, path.Root("object_ids"), "Unable to Associate Tag", privilege.Assign, err)
}

// FindObject parses "<tag>", "<tag>/<object type>" or "<tag id>/<object type>/<object ids>". It tries the whole text as
// a tag first, because tag names may contain slashes.
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
