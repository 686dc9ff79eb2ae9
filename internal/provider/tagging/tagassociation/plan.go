package tagassociation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// ModifyPlan plans which objects the tag is detached from, and which other tags it replaces.
func (r *associationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		p := r.preview(nil, &state, &resp.Diagnostics)
		p.warnDestroyed(ctx, state)
	}
	resume.ModifyPlan(ctx, req, resp, func(plan, state *model) {
		p := r.preview(plan, state, &resp.Diagnostics)
		p.checkObjects(ctx, req)
		p.run(p.WithArrivals(ctx))
		if state != nil && !plan.sameTag(*state) {
			p.warnDestroyed(ctx, *state)
		}
	})
}

// mostLost is the number of vanished objects that a warning names.
const mostLost = 5

// checkObjects adds an error for each new object that does not exist. Objects that have vanished since are drift.
func (p *preview) checkObjects(ctx context.Context, req resource.ModifyPlanRequest) {
	if p.plan.ObjectType.IsUnknown() || p.Clients == nil {
		return
	}
	var configured types.List
	p.Diags.Append(req.Config.GetAttribute(ctx, path.Root("object_ids"), &configured)...)
	known, _ := stringset.Known(configured)
	spec := associationSpec{objectType: objecttype.Of(p.plan.ObjectType)}
	if p.isUpdate() {
		lost := base.LostMembers(ctx, req.Private, p.Diags)
		listed := assignment.Missing(ctx, p.Clients, spec.objectList(stringset.Intersect(known, lost)), p.Diags)
		if len(listed) > 0 {
			p.Diags.AddAttributeWarning(path.Root("object_ids"), "Objects No Longer Exist", fmt.Sprintf(
				"These objects were removed from vCenter, so the apply cannot attach the tag to them: %s. Remove "+
					"their IDs.",
				quantity.List(listed, mostLost)))
		}
		known = stringset.Without(known, stringset.Union(p.state.Members(), lost))
	}
	assignment.CheckExist(ctx, p.Clients, spec.objectList(known), func(id string) path.Path {
		at := slices.IndexFunc(configured.Elements(), types.StringValue(id).Equal)
		return path.Root("object_ids").AtListIndex(at)
	}, p.Diags)
}

// preview plans one association.
type preview struct {
	assignment.Preview

	plan  *model
	state *model // nil for a create
	tag   assignment.Tag
}

func (r *associationResource) preview(plan, state *model, diags *diag.Diagnostics) preview {
	return preview{
		Preview: assignment.Preview{Clients: r.Clients, Diags: diags, List: "object_ids"},
		plan:    plan,
		state:   state,
	}
}

func (p *preview) ledger() *assignment.Ledger { return assignment.LedgerOf(p.Clients) }

func (p *preview) run(ctx context.Context) {
	if p.state != nil && p.plan.sameConfig(*p.state) {
		p.plan.Removes = p.state.Removes
		p.plan.Replaces = p.state.Replaces
		p.plan.Summary = p.state.Summary
		p.plan.TagName = p.state.TagName
		p.plan.CategoryName = p.state.CategoryName
		p.PlanAttach(ctx, p.plan.TagID.ValueString(), p.plan.spec().objects...)
		return
	}
	p.plan.Replaces = types.MapUnknown(types.StringType)
	p.plan.TagName = types.StringUnknown()
	p.plan.CategoryName = types.StringUnknown()
	p.planTag(ctx)
	p.summarize()
}

// planTag plans the changes to the objects of the tag. If the tag, its type or the connection is not known yet, it only
// plans the removes attribute.
func (p *preview) planTag(ctx context.Context) {
	if !p.CheckOwnershipKnown(p.plan.Ownership) {
		return
	}
	if p.plan.TagID.IsUnknown() || p.plan.ObjectType.IsUnknown() {
		p.plan.Removes = stringset.ListValue(nil) // a new tag has no objects
		return
	}
	if p.Clients.VSphereUnknown() {
		p.plan.Removes = types.ListUnknown(types.StringType)
		return
	}
	if !p.Connect() {
		return
	}
	p.planNames(ctx)
	p.planChanges(ctx)
	p.ledger().PlanMove(p.plan.TagID.ValueString())
}

// planNames plans the names of the tag. They stay unknown for a tag that cannot be read.
func (p *preview) planNames(ctx context.Context) {
	if tag, err := p.ledger().Tag(ctx, p.Client, p.plan.TagID.ValueString()); err == nil {
		p.plan.TagName = types.StringValue(tag.Name)
		p.plan.CategoryName = types.StringValue(tag.Category)
	}
}

// planChanges plans which objects lose the tag and which other tags it replaces. If it adds an error before these are
// known, it leaves both attributes unchanged.
func (p *preview) planChanges(ctx context.Context) {
	listed, _ := stringset.Known(p.plan.ObjectIDs)
	spec := model{TagID: p.plan.TagID, ObjectType: p.plan.ObjectType, Ownership: p.plan.Ownership}.spec()
	objects := spec.objectList(listed)
	p.PlanAttach(ctx, spec.tagID, objects...)
	owned, certain := p.owned(ctx, spec)
	attach := objects
	if p.isUpdate() {
		attach = stringset.Without(objects, p.state.spec().objects)
	}
	p.checkTag(ctx, spec, attach)
	if p.Diags.HasError() {
		return
	}
	removes := stringset.Without(owned, objects)
	replaces := p.planReplaces(ctx, attach)
	*p.plan = p.plan.withChanges(removes, replaces)
	if p.plan.ObjectIDs.IsUnknown() && !certain {
		p.planUnknownObjects(ctx, owned)
	} else {
		p.planRemoves(ctx, spec, removes, certain)
	}
	if spec.exclusive {
		guard.WarnIncomplete(ctx, p.Client, "The list of objects that lose the tag", p.Diags)
	}
	if p.plan.ObjectIDs.IsUnknown() {
		p.plan.Replaces = types.MapUnknown(types.StringType)
	}
	p.warnReplaced(ctx, replaces)
}

// checkTag reads the tag if the plan depends on it, and adds an error if the new objects cannot have it.
func (p *preview) checkTag(ctx context.Context, spec associationSpec, attach []vsphere.Object) {
	if len(attach) > 0 || spec.exclusive {
		p.readTag(ctx)
	}
	if len(attach) > 0 && !p.Diags.HasError() {
		p.checkType(spec.objectType)
	}
}

// planRemoves warns about the objects that lose the tag. If certain is true and IDs are still unknown, it also sets the
// planned removes attribute to unknown.
func (p *preview) planRemoves(ctx context.Context, spec associationSpec, removes []vsphere.Object, certain bool) {
	_, all := stringset.Known(p.plan.ObjectIDs)
	switch {
	case !all && certain:
		p.planUnknownRemoves(ctx, spec, removes)
	case spec.exclusive:
		p.warnRemoved(ctx, removes)
	default:
		p.warnLeftGroups(ctx, removes)
	}
}

func (p *preview) isUpdate() bool { return p.state != nil && p.plan.sameTag(*p.state) }

// owned returns the objects owned before the change. certain is false if they were read from vCenter instead of state.
func (p *preview) owned(ctx context.Context, c associationSpec) (objects []vsphere.Object, certain bool) {
	if p.isUpdate() {
		objects = p.state.spec().objects
		if !c.exclusive || p.state.Ownership.ValueString() == exclusive {
			return objects, true
		}
	}
	if !c.exclusive {
		return nil, true
	}
	tagged, err := p.ledger().PriorObjects(ctx, p.Client, c.tagID)
	if err != nil {
		explain.AddAttributeError(p.Diags, path.Root("tag_id"), "Unable to Read Tagged Objects", privilege.Read, err)
	}
	return stringset.Union(c.ofType(tagged), objects), false
}

func (p *preview) readTag(ctx context.Context) {
	var err error
	p.tag, err = p.ledger().Tag(ctx, p.Client, p.plan.TagID.ValueString())
	if errors.Is(err, vsphere.ErrNotFound) {
		at := func(string) path.Path { return path.Root("tag_id") }
		assignment.CheckTags(ctx, p.Clients, p.Client, []string{p.plan.TagID.ValueString()}, at, p.Diags)
	}
	if err != nil && !p.Diags.HasError() {
		explain.AddAttributeError(p.Diags, path.Root("tag_id"), "Unable to Read Tag", privilege.Read, err)
	}
}

func (p *preview) checkType(objectType string) {
	if p.ledger().Attachable(p.tag, objectType) {
		return
	}
	p.Diags.AddAttributeError(path.Root("object_ids"), "Tag Cannot Be Attached to Object Type", fmt.Sprintf(
		"Category %q of tag %q does not include %s in associable_types, so vCenter would reject the objects. Add the "+
			"type to the category, which is an in-place change, or use a tag of another category. If another "+
			"provider adds the type, apply that change first.",
		p.tag.Category,
		p.tag.Name,
		objectType,
	))
}

// planReplaces returns the other tags of the category that the attached objects lose, and records these changes in the
// ledger.
func (p *preview) planReplaces(ctx context.Context, attach []vsphere.Object) map[vsphere.Object]string {
	if len(attach) == 0 || p.Clients.Ignored().Match(p.tag.Category) {
		return nil
	}
	former, err := p.ledger().PriorTagByObject(ctx, p.Client, p.tag, attach)
	if err != nil {
		addError(p.Diags, err)
		return nil
	}
	p.PlanReplace(ctx, p.tag, attach, former)
	for _, id := range former {
		p.ledger().PlanMove(id)
	}
	return former
}

// planUnknownObjects plans the removes attribute of an exclusive association whose object_ids is unknown. If any object
// has the tag, it adds an error, because the plan cannot show which objects lose the tag.
func (p *preview) planUnknownObjects(ctx context.Context, tagged []vsphere.Object) {
	if len(tagged) == 0 {
		p.plan.Removes = stringset.ListValue(nil)
		return
	}
	p.Diags.AddAttributeError(path.Root("object_ids"), "Objects to Untag Unknown Until Apply", fmt.Sprintf(
		"ownership exclusive detaches %s from all objects that are not in object_ids. object_ids is unknown until "+
			"apply, so the plan cannot show which of %s lose the tag: %s. Apply the resources that object_ids "+
			"depends on first with -target, or use ownership additive for this apply.",
		p.tag.Path(),
		count(tagged),
		assignment.Names(ctx, p.Client, tagged),
	))
}

// planUnknownRemoves sets the planned removes attribute to unknown if an unknown element of object_ids might turn out
// to be an object in state.
func (p *preview) planUnknownRemoves(ctx context.Context, c associationSpec, candidates []vsphere.Object) {
	if len(candidates) == 0 {
		return
	}
	p.plan.Removes = types.ListUnknown(types.StringType)
	if !c.exclusive {
		return
	}
	p.Diags.AddAttributeWarning(path.Root("object_ids"), "Objects to Untag Unknown Until Apply", fmt.Sprintf(
		"object_ids is unknown until apply, so the plan cannot show which objects lose %s. They are among these "+
			"objects in state: %s.",
		p.tag.Path(),
		assignment.Names(ctx, p.Client, candidates),
	))
}
