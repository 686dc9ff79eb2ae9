// Package tagcategory is vsla_tag_category, as resource and as data source: one tag category of vCenter
// (/rest/com/vmware/cis/tagging/category). Unusual: vCenter can widen a category but not narrow it, and this is said
// at plan time.
package tagcategory

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

var (
	_ resource.ResourceWithModifyPlan  = (*categoryResource)(nil)
	_ resource.ResourceWithImportState = (*categoryResource)(nil)
	_ resource.ResourceWithIdentity    = (*categoryResource)(nil)
)

const (
	typeName = "vsla_tag_category"
)

type categoryResource struct{ base.Resource }

// NewResource returns the resource vsla_tag_category.
func NewResource() resource.Resource { return &categoryResource{base.Resource{TypeName: typeName}} }

// IdentitySchema describes what identifies a category.
func (r *categoryResource) IdentitySchema(
	_ context.Context,
	_ resource.IdentitySchemaRequest,
	resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.SchemaByID(idDoc)
}

// ModifyPlan refuses what vCenter refuses: going from MULTIPLE to SINGLE, and taking object types away.
func (r *categoryResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return
	}
	var state, plan resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	refuseNarrowing(state, plan, &resp.Diagnostics)
	if r.Clients != nil {
		connection.State[tagledger.Ledger](r.Clients).PlanTypes(plan.ID.ValueString(), plan.types())
	}
}

// refuseNarrowing refuses a change that vCenter does not make.
func refuseNarrowing(state, plan resourceModel, diags *diag.Diagnostics) {
	if state.Cardinality.ValueString() == vsphere.Multiple && plan.Cardinality.ValueString() == vsphere.Single {
		diags.AddAttributeError(path.Root("cardinality"), "Cardinality Cannot Be Narrowed",
			"vCenter changes a category from SINGLE to MULTIPLE but never back, because objects may carry several "+
				"of its tags. "+
				"Keep MULTIPLE, or create a new category and move the tags over.")
	}
	if lost := state.typesLostIn(plan.model); len(lost) > 0 {
		diags.AddAttributeError(path.Root("associable_types"), "Associable Types Cannot Be Removed",
			fmt.Sprintf("vCenter adds object types to a category but never removes one, and this plan would "+
				"remove: %v. "+
				"Keep them, or create a new category and move the tags over.", lost))
	}
}

// Create creates the category.
func (r *categoryResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id, err := r.create(ctx, c, plan, &resp.Diagnostics)
	if id != "" {
		// Saved even if the outcome is unknown: the next refresh finds out, and nothing is orphaned.
		plan = plan.withID(id)
		identity.Save(ctx, &resp.State, resp.Identity, plan, plan.identity(), &resp.Diagnostics)
	}
	if err != nil && !resp.Diagnostics.HasError() {
		failure := explain.Failure{
			Summary:   fmt.Sprintf("Unable to Create Tag Category %q", plan.Name.ValueString()),
			Privilege: privilege.CreateCategory,
			Instead:   "With adopt_existing = true the category is taken over as well.\n\n",
			Err:       err,
		}
		if errors.Is(err, vsphere.ErrConflict) {
			failure.AlreadyExists(&resp.Diagnostics, path.Root("name"), typeName, plan.Name.ValueString())
			return
		}
		failure.AddTo(&resp.Diagnostics)
	}
}

// create creates the category, or continues with the one that an unfinished create has left, or that it may adopt.
func (r *categoryResource) create(
	ctx context.Context,
	c *vsphere.Client,
	plan resourceModel,
	diags *diag.Diagnostics,
) (string, error) {
	for _, id := range connection.State[resume.Work](r.Clients).TakeOver(
		plan.workKey(),
		func(string) bool { return true },
	) {
		err := c.UpdateCategory(ctx, plan.withID(id).category())
		if !errors.Is(err, vsphere.ErrNotFound) {
			return id, err
		}
	}
	id, err := c.CreateCategory(ctx, plan.category())
	if !errors.Is(err, vsphere.ErrConflict) || !plan.AdoptExisting.ValueBool() {
		return id, err
	}
	found, findErr := c.CategoryByName(ctx, plan.Name.ValueString())
	if findErr != nil {
		return "", findErr
	}
	if refuseNarrowing(fromCategory(found), plan, diags); diags.HasError() {
		return "", err
	}
	if err := c.UpdateCategory(ctx, plan.withID(found.ID).category()); err != nil {
		return "", err // it is not owned before it is as planned: a failed create would own it
	}
	return found.ID, nil
}

// Read refreshes the category; one that is gone leaves state.
func (r *categoryResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	category, err := c.RefreshCategory(ctx, state.ID.ValueString())
	if errors.Is(err, vsphere.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Read Tag Category %q", state.Name.ValueString()), privilege.Read, err)
		return
	}
	state.model = state.refreshed(category)
	state.AdoptExisting = types.BoolValue(state.AdoptExisting.ValueBool()) // a state from before the argument has none
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update changes the category in place.
func (r *categoryResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	identity.Set(ctx, resp.Identity, plan.identity(), &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// What this run plans about moves between its tags follows from the cardinality before.
	if _, err := connection.State[tagledger.Ledger](r.Clients).Category(ctx, c, plan.ID.ValueString()); err != nil {
		tflog.Debug(ctx, "The category was not read before its change", map[string]any{"error": err.Error()})
	}
	connection.State[tagledger.Ledger](r.Clients).PlanTypes(plan.ID.ValueString(), plan.types())
	if err := c.UpdateCategory(ctx, plan.category()); err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Update Tag Category %q", plan.Name.ValueString()), privilege.EditCategory, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete deletes the category, unless something carries one of its tags and that has not been allowed; one that is
// gone already is a success.
func (r *categoryResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	continues := resume.Continues(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if continues {
		connection.State[resume.Work](
			r.Clients,
		).Leave(state.workKey(), map[string]string{state.Name.ValueString(): state.ID.ValueString()})
		return
	}
	if !state.ForceDestroy.ValueBool() {
		carried, err := c.AssociationsOfCategory(ctx, state.ID.ValueString())
		if errors.Is(err, vsphere.ErrNotFound) {
			return
		}
		if !guard.MayDelete(&resp.Diagnostics, fmt.Sprintf("Tag Category %q", state.Name.ValueString()), carried, err) {
			return
		}
	}
	if err := c.DeleteCategory(ctx, state.ID.ValueString()); err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Delete Tag Category %q", state.Name.ValueString()), privilege.DeleteCategory, err)
	}
}

// ImportState takes an id (urn:vmomi:InventoryServiceCategory:...), a name, or an identity.
func (r *categoryResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
) {
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := req.ID
	if id == "" {
		var by identity.ByID
		resp.Diagnostics.Append(req.Identity.Get(ctx, &by)...)
		id = by.ID.ValueString()
	}
	category, err := lookUp(ctx, c, id)
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Import Tag Category %q", id), privilege.Read, err)
		return
	}
	m := fromCategory(category)
	identity.Save(ctx, &resp.State, resp.Identity, m, m.identity(), &resp.Diagnostics)
}
