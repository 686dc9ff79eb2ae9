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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/snapservice"
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
	if p.canReadTag() {
		p.planNames(ctx)
		p.planChanges(ctx)
		p.ledger().PlanMove(p.plan.TagID.ValueString())
	}
	p.summarize()
}

// planNames plans the names of the tag. They stay unknown for a tag that cannot be read.
func (p *preview) planNames(ctx context.Context) {
	if tag, err := p.ledger().Tag(ctx, p.Client, p.plan.TagID.ValueString()); err == nil {
		p.plan.TagName = types.StringValue(tag.Name)
		p.plan.CategoryName = types.StringValue(tag.Category)
	}
}

// canReadTag reports whether the tag can be read from vCenter. If the tag, its type or the connection is not known yet,
// it also plans the removes attribute.
func (p *preview) canReadTag() bool {
	switch {
	case !p.CheckOwnershipKnown(p.plan.Ownership):
		return false
	case p.plan.TagID.IsUnknown() || p.plan.ObjectType.IsUnknown():
		// A new tag has no objects.
		p.plan.Removes = stringset.ListValue(nil)
		return false
	case p.Clients.VSphereUnknown():
		p.plan.Removes = types.ListUnknown(types.StringType)
		return false
	}
	return p.Connect()
}

func (p *preview) planChanges(ctx context.Context) {
	listed, all := stringset.Known(p.plan.ObjectIDs)
	spec := model{TagID: p.plan.TagID, ObjectType: p.plan.ObjectType, Ownership: p.plan.Ownership}.spec()
	objects := spec.objectList(listed)
	p.PlanAttach(ctx, spec.tagID, objects...)
	owned, certain := p.owned(ctx, spec)
	removes := stringset.Without(owned, objects)
	attach := objects
	if p.isUpdate() {
		attach = stringset.Without(objects, p.state.spec().objects)
	}
	if len(attach) > 0 || spec.exclusive {
		p.readTag(ctx)
	}
	if len(attach) > 0 && !p.Diags.HasError() {
		p.checkType(spec.objectType)
	}
	if p.Diags.HasError() {
		return
	}
	replaces := p.planReplaces(ctx, attach)
	*p.plan = p.plan.withChanges(removes, replaces)
	switch {
	case p.plan.ObjectIDs.IsUnknown() && !certain:
		p.planUnknownObjects(ctx, owned)
	case !all && certain:
		p.planUnknownRemoves(ctx, spec, removes)
	case spec.exclusive:
		p.warnRemoved(ctx, removes)
	default:
		p.warnLeftGroups(ctx, removes)
	}
	if spec.exclusive {
		guard.WarnIncomplete(ctx, p.Client, "The list of objects that lose the tag", p.Diags)
	}
	if p.plan.ObjectIDs.IsUnknown() {
		p.plan.Replaces = types.MapUnknown(types.StringType)
	}
	p.warnReplaced(ctx, replaces)
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

func (p *preview) warnRemoved(ctx context.Context, removes []vsphere.Object) {
	if len(removes) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(path.Root("ownership"),
		fmt.Sprintf("Tag %s Is Detached from %s", p.tag.Path(), count(removes)),
		fmt.Sprintf("ownership is exclusive, and these objects are not in object_ids: %s. The attribute removes "+
			"lists all IDs. To keep the tag on an object, add it to object_ids or use ownership additive. If "+
			"Terraform stops the apply because of an inconsistent final plan, objects were tagged or untagged after "+
			"the plan, and nothing was changed. In this case, plan again.%s",
			assignment.Names(ctx, p.Client, removes), p.describeLeftGroups(ctx, p.plan.TagID.ValueString(), removes)),
	)
}

func (p *preview) warnLeftGroups(ctx context.Context, removes []vsphere.Object) {
	tagID := p.plan.TagID.ValueString()
	if left := p.describeLeftGroups(ctx, tagID, removes); left != "" {
		p.Diags.AddAttributeWarning(
			path.Root("object_ids"),
			fmt.Sprintf("Tag %s Is Detached from %s", p.ledger().Path(ctx, p.Client, tagID), count(removes)),
			fmt.Sprintf(
				"These objects are no longer in object_ids: %s.%s",
				assignment.Names(ctx, p.Client, removes),
				left,
			),
		)
	}
}

func (p *preview) warnDestroyed(ctx context.Context, state model) {
	before := state.spec()
	if len(before.objects) == 0 || p.Clients == nil || p.Clients.VSphereUnknown() || !p.Connect() {
		return
	}
	p.Diags.AddWarning(
		fmt.Sprintf("Tag %s Is Detached from %s", p.ledger().Path(ctx, p.Client, before.tagID), count(before.objects)),
		fmt.Sprintf("The association is destroyed. Objects in state: %s. Objects that another resource tags in the "+
			"same apply keep the tag.%s",
			assignment.Names(ctx, p.Client, before.objects), p.describeLeftGroups(ctx, before.tagID, before.objects)))
}

func (p *preview) describeLeftGroups(ctx context.Context, tagID string, objects []vsphere.Object) string {
	if len(objects) == 0 || !p.Clients.HasProtection() {
		return ""
	}
	c := p.Clients.Protection(p.Diags)
	if c == nil {
		return ""
	}
	all, err := c.AllGroups(ctx)
	if err != nil {
		return " The protection groups that they leave cannot be read: " + explain.Detail(err)
	}
	groups := guard.GroupsWithTags(all, []string{tagID}, func(g snapservice.Group) bool {
		return slices.ContainsFunc(objects, func(o vsphere.Object) bool { return slices.Contains(g.Members, o.ID) })
	})
	if len(groups) == 0 {
		return ""
	}
	return " VMs among them leave protection " + strings.Join(groups, ", ") + "."
}

func (p *preview) warnReplaced(ctx context.Context, replaces map[vsphere.Object]string) {
	if len(replaces) == 0 {
		return
	}
	byTag := make(map[string][]vsphere.Object)
	for o, id := range replaces {
		byTag[id] = append(byTag[id], o)
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(byTag)) {
		objects := byTag[id]
		p.ledger().PlanMove(id)
		slices.SortFunc(objects, func(a, b vsphere.Object) int { return strings.Compare(a.ID, b.ID) })
		lines = append(lines, fmt.Sprintf("%s on %s: %s", p.ledger().Path(ctx, p.Client, id), count(objects),
			assignment.Names(ctx, p.Client, objects)+p.describeLeftGroups(ctx, id, objects)))
	}
	slices.Sort(lines)
	p.Diags.AddAttributeWarning(path.Root("object_ids"),
		fmt.Sprintf("Tag %s Replaces Other Tags of %s", p.tag.Path(), p.tag.Category),
		"The category allows one tag per object. These tags are detached. The attribute replaces lists all IDs:\n\n  "+
			strings.Join(lines, "\n  "),
	)
}

// count returns "1 VM", "2 VMs" or "2 objects of type HostSystem".
func count(objects []vsphere.Object) string {
	noun := "object"
	if objects[0].Type == vmType {
		noun = "VM"
	}
	text := fmt.Sprintf("%d %ss", len(objects), noun)
	if len(objects) == 1 {
		text = "1 " + noun
	}
	if objects[0].Type != vmType {
		text += " of type " + objects[0].Type
	}
	return text
}
