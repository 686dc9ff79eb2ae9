package objecttags

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

// ModifyPlan plans which tags are detached.
func (r *tagsResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.ModifyPlan(ctx, req, resp, func(plan, state *model) {
		p := preview{
			Preview: assignment.Preview{Clients: r.Clients, Diags: &resp.Diagnostics, List: "tag_ids"},
			r:       r,
			plan:    plan,
			state:   state,
		}
		p.run(p.WithArrivals(ctx))
	})
}

type preview struct {
	assignment.Preview

	r     *tagsResource
	plan  *model
	state *model // nil for a create
}

func (p *preview) run(ctx context.Context) {
	spec := p.plan.spec()
	if p.state != nil && p.plan.sameConfig(*p.state) {
		p.plan.Removes = p.state.Removes
		p.plan.TagNames = p.state.TagNames
		p.planAttach(ctx, spec)
		return
	}
	p.plan.TagNames = types.MapUnknown(types.StringType)
	if !p.CheckOwnershipKnown(p.plan.Ownership) {
		return
	}
	if p.plan.ObjectID.IsUnknown() || p.plan.ObjectType.IsUnknown() {
		// A new object has no tags.
		p.plan.Removes = stringset.ListValue(nil)
		return
	}
	p.plan.Removes = types.ListUnknown(types.StringType)
	if p.r.Clients.VSphereUnknown() {
		return
	}
	if !p.Connect() {
		return
	}
	if !p.checkExist(ctx, spec) {
		return
	}
	if _, all := stringset.Known(p.plan.TagIDs); all {
		*p.plan = p.r.withNames(ctx, p.Client, *p.plan)
	}
	p.planAttach(ctx, spec)
	removes, others, err := p.removes(ctx, spec)
	if err != nil {
		addError(p.Diags, spec.object, err)
		return
	}
	_, all := stringset.Known(p.plan.TagIDs)
	switch {
	case p.Diags.HasError():
	case all, len(others) == 0, spec.ownership == exclusive && !p.plan.TagIDs.IsUnknown():
		*p.plan = p.plan.withRemoves(removes)
		p.warnDetached(ctx, spec, removes)
	default:
		// A tag with an unknown ID can belong to any category.
		p.warnUnknown(ctx, spec, others)
	}
}

// checkExist reports whether the object and the tags exist, and adds an error for each that is new and does not.
func (p *preview) checkExist(ctx context.Context, spec tagSpec) bool {
	if _, gone := connection.State[goneObjects](p.Clients).Load(spec.object); p.state == nil && !gone {
		at := func(string) path.Path { return path.Root("object_id") }
		assignment.CheckExist(ctx, p.Clients, []vsphere.Object{spec.object}, at, p.Diags)
	}
	added := spec.tags
	if p.state != nil && p.plan.sameObject(*p.state) {
		added = stringset.Without(added, p.state.spec().tags)
	}
	assignment.CheckTags(ctx, p.Clients, p.Client, added, func(id string) path.Path {
		at := slices.IndexFunc(p.plan.TagIDs.Elements(), types.StringValue(id).Equal)
		return path.Root("tag_ids").AtListIndex(at)
	}, p.Diags)
	return !p.Diags.HasError()
}

// removes returns the tags to be detached. others contains the object's tags that tag_ids does not list.
func (p *preview) removes(ctx context.Context, spec tagSpec) (removes, others []string, err error) {
	current, err := assignment.LedgerOf(p.Clients).PriorTags(ctx, p.Client, spec.object)
	if err != nil {
		return nil, nil, err
	}
	owned, err := p.r.owned(ctx, p.Client, spec, current)
	if err != nil {
		return nil, nil, err
	}
	if p.state != nil && p.plan.sameObject(*p.state) {
		owned = stringset.Union(owned, p.state.spec().tags)
	}
	others = stringset.Without(current, spec.tags)
	attach := stringset.Without(spec.tags, current)
	replaced, err := assignment.LedgerOf(p.Clients).ReplacedTags(ctx, p.Client, others, attach, p.Clients.Ignored())
	if err != nil {
		return nil, nil, err
	}
	p.planReplace(ctx, spec, replaced)
	return stringset.Union(stringset.Without(owned, spec.tags), stringset.Without(replaced, owned)), others, nil
}

func (p *preview) planAttach(ctx context.Context, spec tagSpec) {
	for _, id := range spec.tags {
		if spec.object.ID != "" {
			p.PlanAttach(ctx, id, spec.object)
		}
	}
}

func (p *preview) planReplace(ctx context.Context, spec tagSpec, replaced []string) {
	if len(replaced) == 0 && len(spec.tags) < 2 {
		return
	}
	tags, err := assignment.LedgerOf(p.Clients).Tags(ctx, p.Client, stringset.Union(spec.tags, replaced))
	if err != nil {
		addError(p.Diags, spec.object, err)
		return
	}
	for _, id := range spec.tags {
		former := make(map[vsphere.Object]string)
		for _, old := range replaced {
			if tags[old].CategoryID == tags[id].CategoryID {
				former[spec.object] = old
			}
		}
		p.PlanReplace(ctx, tags[id], []vsphere.Object{spec.object}, former)
	}
}

func (p *preview) warnDetached(ctx context.Context, spec tagSpec, removes []string) {
	before := []string(nil)
	if p.state != nil && p.plan.sameObject(*p.state) && spec.ownership == additive {
		before = p.state.spec().tags // the diff of tag_ids already shows these tags
	}
	removes = stringset.Without(removes, before)
	if len(removes) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(path.Root("ownership"), "Tags Are Detached from "+p.name(ctx, spec), fmt.Sprintf(
		"These tags are not in tag_ids: %s. They are detached because of ownership %s, or because a tag in tag_ids "+
			"replaces them in a SINGLE category. To keep a tag, add it to tag_ids or use another ownership.",
		paths(ctx, p.Clients, p.Client, removes), spec.ownership))
}

func (p *preview) warnUnknown(ctx context.Context, spec tagSpec, others []string) {
	p.Diags.AddAttributeWarning(path.Root("tag_ids"), "Tags to Detach Unknown Until Apply", fmt.Sprintf(
		"tag_ids is unknown until apply, so the plan cannot show which tags are detached from %s with ownership %s. "+
			"Tags that are not listed: %s.",
		p.name(ctx, spec),
		spec.ownership,
		paths(ctx, p.Clients, p.Client, others),
	))
}

func (p *preview) name(ctx context.Context, spec tagSpec) string {
	return assignment.Names(ctx, p.Client, []vsphere.Object{spec.object})
}

func paths(ctx context.Context, clients *connection.Set, c *vsphere.Client, ids []string) string {
	paths := make([]string, 0, len(ids))
	for _, id := range ids {
		paths = append(paths, assignment.LedgerOf(clients).Path(ctx, c, id))
	}
	slices.Sort(paths)
	return strings.Join(paths, ", ")
}
