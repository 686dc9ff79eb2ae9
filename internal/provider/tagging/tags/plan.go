package tags

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
)

type plannedTagCount struct{ atomic.Int64 }

// ModifyPlan keeps the IDs of unchanged and renamed tags, so that resources that refer to these IDs do not change.
func (r *tagsResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	again := resume.Mark(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, state resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if !req.State.Raw.IsNull() {
		r.RecordState(state)
	}
	if !again {
		r.warnMany(len(plan.Tags.Elements()), &resp.Diagnostics)
	}
	if c := r.PlansNewName(&resp.Diagnostics); c != nil && req.State.Raw.IsNull() && !plan.CategoryID.IsUnknown() {
		assignment.CheckCategory(ctx, r.Clients, c, plan.CategoryID.ValueString(), &resp.Diagnostics)
	}
	r.warnTakenNames(ctx, plan, state, &resp.Diagnostics)
	if req.State.Raw.IsNull() || plan.Tags.IsUnknown() || plan.RenamedFrom.IsUnknown() ||
		!plan.CategoryID.Equal(state.CategoryID) {
		return
	}
	r.recordNames(plan, state)
	r.warnRenamed(ctx, plan, state, &resp.Diagnostics)
	plan.IDs = plan.plannedIDs(state)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *tagsResource) warnMany(planned int, diags *diag.Diagnostics) {
	if r.Clients == nil || planned == 0 {
		return
	}
	after := int(connection.State[plannedTagCount](r.Clients).Add(int64(planned)))
	if after-planned <= maxSupportedTags && after > maxSupportedTags {
		diags.AddWarning("More Tags Than vCenter Supports", fmt.Sprintf(
			"This plan has at least %d tags, but vCenter 8.0 U3 supports only %d. More tags may work, but VMware "+
				"does not test them.",
			after,
			maxSupportedTags,
		))
	}
}

func (r *tagsResource) recordNames(plan, state resourceModel) {
	if r.Clients == nil {
		return
	}
	kept, _ := plan.matchIDs(state)
	for name, id := range kept {
		assignment.LedgerOf(r.Clients).PlanName(id, name)
	}
}

// warnTakenNames adds a warning if tags with new names exist in the category. It reads the tags as the apply does.
func (r *tagsResource) warnTakenNames(
	ctx context.Context, plan, state resourceModel, diags *diag.Diagnostics,
) {
	wanted := plan.descriptions()
	owned := sortedValues(state.ids())
	kept, _ := plan.matchIDs(state)
	maps.DeleteFunc(wanted, func(name, _ string) bool { return kept[name] != "" })
	if len(wanted) == 0 || plan.CategoryID.IsUnknown() || plan.Tags.IsUnknown() || plan.RenamedFrom.IsUnknown() ||
		plan.AdoptExisting.IsUnknown() || plan.AdoptExisting.ValueBool() {
		return
	}
	c := r.PlansNewName(diags)
	if c == nil {
		return
	}
	existing, err := readCategoryTags(ctx, c, plan.CategoryID.ValueString())
	if err != nil {
		return // the apply reports it
	}
	var taken []string
	for name := range wanted {
		tag, exists := existing.byName[name]
		if exists && !slices.Contains(owned, tag.ID) && !r.IsInState(tag.ID) {
			taken = append(taken, name)
		}
	}
	if len(taken) > 0 {
		diags.AddAttributeWarning(path.Root("tags"), takenSummary, "The apply fails unless it frees the names first. "+
			"If another resource frees them, add depends_on. "+takenDetail(taken, plan.CategoryID.ValueString()))
	}
}

func (r *tagsResource) warnRenamed(ctx context.Context, plan, state resourceModel, diags *diag.Diagnostics) {
	kept, deleted := plan.matchIDs(state)
	created := plan.descriptions()
	descriptions := state.descriptions()
	maps.DeleteFunc(created, func(name, _ string) bool { return kept[name] != "" })
	if len(deleted) == 0 || len(created) == 0 || r.Clients == nil || r.Clients.VSphereUnknown() {
		return
	}
	c := r.Clients.VSphere(diags)
	if c == nil {
		return
	}
	objects, err := c.ObjectsByTag(ctx, sortedValues(deleted))
	if err != nil {
		diags.AddAttributeWarning(path.Root("tags"), "Tags Are Deleted and Others Created",
			"It is unknown whether the deleted tags are in use: "+explain.Detail(err))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(deleted)) {
		n := len(objects[deleted[name]])
		if _, current := descriptions[name]; n == 0 || !current {
			continue
		}
		to := guessNewName(created, descriptions[name])
		diags.AddAttributeWarning(path.Root("tags"), fmt.Sprintf("Tag %q Is Deleted and %q Is Created", name, to),
			fmt.Sprintf("The deleted tag has %d associations, and the new tag has none. To rename the tag instead "+
				"and keep its ID and associations, add:\n\n  renamed_from = { %q = %q }", n, to, name))
	}
}

func guessNewName(created map[string]string, description string) string {
	names := slices.Sorted(maps.Keys(created))
	if i := slices.IndexFunc(names, func(name string) bool { return created[name] == description }); i >= 0 {
		return names[i]
	}
	return names[0]
}
