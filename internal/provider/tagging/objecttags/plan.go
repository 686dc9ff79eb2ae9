package objecttags

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// ModifyPlan plans the tags to detach.
func (r *tagsResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.ModifyPlan(ctx, req, resp, func(plan, state *model) {
		p := preview{
			Preview: assignment.Preview{Clients: r.Clients, Diags: &resp.Diagnostics, List: "tag_ids"},
			r:       r, plan: plan, state: state,
		}
		p.fill(p.Expecting(ctx))
	})
}

type preview struct {
	assignment.Preview

	r     *tagsResource
	plan  *model
	state *model // nil for a create
}

func (p *preview) fill(ctx context.Context) {
	want := p.plan.content()
	if p.state != nil && p.plan.same(*p.state) {
		p.plan.Removes = p.state.Removes
		p.claim(ctx, want)
		return
	}
	if !p.KnowsOwnership(p.plan.Ownership) {
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
	p.claim(ctx, want)
	removes, others, err := p.removes(ctx, want)
	if err != nil {
		failed(p.Diags, want.object, err)
		return
	}
	_, all := stringset.Known(p.plan.TagIDs)
	switch {
	case p.Diags.HasError():
	case all, len(others) == 0, want.ownership == exclusive && !p.plan.TagIDs.IsUnknown():
		*p.plan = p.plan.withRemoves(removes)
		p.warn(ctx, want, removes)
	default:
		// A tag with an unknown id may have any category.
		p.warnUnknown(ctx, want, others)
	}
}

// removes returns the tags to detach. others are all tags of the object that are not listed.
func (p *preview) removes(ctx context.Context, want content) (removes, others []string, err error) {
	has, err := assignment.Of(p.Clients).TagsOf(ctx, p.Client, want.object)
	if err != nil {
		return nil, nil, err
	}
	owned, err := p.r.owned(ctx, p.Client, want, has)
	if err != nil {
		return nil, nil, err
	}
	if p.state != nil && p.plan.sameObject(*p.state) {
		owned = stringset.Union(owned, p.state.content().tags)
	}
	others = stringset.Without(has, want.tags)
	attach := stringset.Without(want.tags, has)
	way, err := assignment.Of(p.Clients).Replaced(ctx, p.Client, others, attach, p.Clients.Ignored())
	if err != nil {
		return nil, nil, err
	}
	p.take(ctx, want, attach, way)
	return stringset.Union(stringset.Without(owned, want.tags), stringset.Without(way, owned)), others, nil
}

func (p *preview) claim(ctx context.Context, want content) {
	for _, id := range want.tags {
		if want.object.ID != "" {
			p.Claim(ctx, id, want.object)
		}
	}
}

func (p *preview) take(ctx context.Context, want content, attach, way []string) {
	if len(way) == 0 {
		return
	}
	ledger := assignment.Of(p.Clients)
	tags, err := ledger.Tags(ctx, p.Client, stringset.Union(attach, way))
	if err != nil {
		failed(p.Diags, want.object, err)
		return
	}
	for _, id := range attach {
		former := make(map[vsphere.Object]string)
		for _, old := range way {
			if tags[old].CategoryID == tags[id].CategoryID {
				former[want.object] = old
			}
		}
		p.Take(ctx, tags[id], []vsphere.Object{want.object}, former)
	}
}

func (p *preview) warn(ctx context.Context, want content, removes []string) {
	before := []string(nil)
	if p.state != nil && p.plan.sameObject(*p.state) && want.ownership == additive {
		before = p.state.content().tags // the diff of tag_ids already shows these tags
	}
	removes = stringset.Without(removes, before)
	if len(removes) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(path.Root("ownership"), "Tags Are Detached from "+p.name(ctx, want), fmt.Sprintf(
		"tag_ids does not list: %s. They go because of ownership %s, or because a tag that is listed takes their "+
			"place in a "+
			"SINGLE category. To keep one, list it or use another ownership.", p.paths(ctx, removes), want.ownership))
}

func (p *preview) warnUnknown(ctx context.Context, want content, others []string) {
	p.Diags.AddAttributeWarning(path.Root("tag_ids"), "Tags to Detach Are Not Known Yet", fmt.Sprintf(
		"tag_ids is unknown until apply, so the plan cannot show which tags %s loses with ownership %s. Apart from "+
			"those that are listed, it has: %s.",
		p.name(ctx, want),
		want.ownership,
		p.paths(ctx, others),
	))
}

func (p *preview) name(ctx context.Context, want content) string {
	return assignment.Names(ctx, p.Client, []vsphere.Object{want.object})
}

func (p *preview) paths(ctx context.Context, ids []string) string {
	paths := make([]string, 0, len(ids))
	for _, id := range ids {
		paths = append(paths, assignment.Of(p.Clients).Path(ctx, p.Client, id))
	}
	slices.Sort(paths)
	return strings.Join(paths, ", ")
}

// apply detaches the planned tags and then attaches the new ones, because a SINGLE category allows only one tag. before
// are the tags in state, and unfinished are the tags of a failed create. It returns the owned tags, or false if nothing
// was changed.
func (r *tagsResource) apply(
	ctx context.Context, c *vsphere.Client, plan content, before, unfinished []string, diags *diag.Diagnostics,
) (owns []string, touched bool) {
	if !r.allowed(ctx, c, plan, diags) {
		return nil, false
	}
	removes := stringset.Union(plan.removes, stringset.Without(unfinished, plan.tags))
	ledger := assignment.Of(r.Clients)
	exchange, unlock, err := ledger.Exchange(ctx, c, plan.object, removes, plan.tags, r.Clients.Ignored())
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
		ledger.Give(id, plan.object)
	}
	detach, kept := exchange.Detachable(stringset.Intersect(removes, has))
	certain, errs := exchange.Change(ctx, detach, stringset.Without(plan.tags, has))
	for _, err := range append(kept, errs...) {
		failed(diags, plan.object, err)
	}
	if !certain {
		return stringset.Union(stringset.Intersect(plan.tags, has), detach), true
	}
	if !diags.HasError() {
		return plan.tags, true
	}
	// After an error, save the tags that vCenter returns, or all possible tags if it cannot be read.
	graceful, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	now, err := c.TagsOfObject(graceful, plan.object)
	if err != nil {
		return stringset.Union(plan.tags, detach), true
	}
	owned := stringset.Intersect(detach, before)
	owns = stringset.Intersect(stringset.Union(plan.tags, owned), now)
	return owns, len(owns) > 0 || len(before) > 0
}

func failed(diags *diag.Diagnostics, object vsphere.Object, err error) {
	explain.AddAttributeError(diags, path.Root("tag_ids"),
		"Unable to Tag "+object.String(), privilege.Assign, err)
}
