// Package tag is vsla_tag, as resource and as data source: one tag of one category of vCenter
// (/rest/com/vmware/cis/tagging/tag).
package tag

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

var (
	_ resource.ResourceWithImportState = (*tagResource)(nil)
	_ resource.ResourceWithIdentity    = (*tagResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*tagResource)(nil)
)

const (
	typeName = "vsla_tag"

	forceDestroyDoc = "Delete the tag also while something carries it; its associations are lost. Default false: " +
		"the delete is refused and says how many there are."

	adoptExistingDoc = "Take over a tag of the same name that the category has already, with its associations, in " +
		"place of an error; " +
		"its description becomes the one given here. An apply that was interrupted is then healed by the next " +
		"one. Whoever else " +
		"manages the tag has to give it up: destroying this resource deletes it. Default false."

	idDoc          = "The tag's id in vCenter, `urn:vmomi:InventoryServiceTag:…`."
	nameDoc        = "Name of the tag, unique in its category."
	categoryDoc    = "Id of the category that the tag belongs to."
	descriptionDoc = "Description of the tag."
)

type tagResource struct{ base.Resource }

// NewResource returns the resource vsla_tag.
func NewResource() resource.Resource { return &tagResource{base.Resource{TypeName: typeName}} }

// Schema describes the resource.
func (r *tagResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A tag of vCenter. Its id is vCenter's own, so it can be used wherever the vsphere " +
			"provider takes a tag id.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: idDoc, Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: nameDoc + " 1 to 256 characters; a change renames the tag in place and keeps " +
					"its associations.",
				Required:   true,
				Validators: []validator.String{stringvalidator.UTF8LengthBetween(1, 256)},
			},
			"category_id": schema.StringAttribute{
				MarkdownDescription: categoryDoc + " Changing this forces a new resource.", Required: true,
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"description": schema.StringAttribute{
				MarkdownDescription: descriptionDoc + " Default empty.",
				Optional:            true,
				Computed:            true,
				Default:             stringdefault.StaticString(""),
			},
			"adopt_existing": schema.BoolAttribute{
				MarkdownDescription: adoptExistingDoc, Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			},
			"force_destroy": schema.BoolAttribute{
				MarkdownDescription: forceDestroyDoc, Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			},
		},
	}
}

// IdentitySchema describes what identifies a tag.
func (r *tagResource) IdentitySchema(
	_ context.Context,
	_ resource.IdentitySchemaRequest,
	resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.SchemaByID(idDoc)
}

// ModifyPlan notes what the plan is about.
func (r *tagResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
}

// Create creates the tag.
func (r *tagResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id, err := r.create(ctx, c, plan)
	if id != "" {
		// Saved even if the outcome is unknown: the next refresh finds out, and nothing is orphaned.
		plan = plan.withID(id)
		identity.Save(ctx, &resp.State, resp.Identity, plan, plan.identity(), &resp.Diagnostics)
	}
	if err == nil {
		return
	}
	failure := explain.Failure{
		Summary:   fmt.Sprintf("Unable to Create Tag %q", plan.Name.ValueString()),
		Privilege: privilege.CreateTag,
		Instead:   "With adopt_existing = true the tag is taken over as well.\n\n",
		Err:       err,
	}
	category := path.Root("category_id")
	switch {
	case errors.Is(err, vsphere.ErrConflict):
		failure.AlreadyExists(&resp.Diagnostics, path.Root("name"), typeName, r.importID(ctx, c, plan))
		return
	case errors.Is(err, vsphere.ErrNotFound):
		failure.Attribute = &category
	}
	failure.AddTo(&resp.Diagnostics)
}

// create creates the tag, or continues with the one that an unfinished create has left, or that it may adopt.
func (r *tagResource) create(ctx context.Context, c *vsphere.Client, plan model) (string, error) {
	for _, id := range connection.State[resume.Work](r.Clients).TakeOver(
		plan.workKey(),
		func(string) bool { return true },
	) {
		err := c.UpdateTag(ctx, plan.withID(id).tag())
		if !errors.Is(err, vsphere.ErrNotFound) {
			return id, err
		}
	}
	id, err := c.CreateTag(ctx, plan.tag())
	if !errors.Is(err, vsphere.ErrConflict) || !plan.AdoptExisting.ValueBool() {
		return id, err
	}
	found, findErr := c.TagByName(ctx, plan.CategoryID.ValueString(), plan.Name.ValueString())
	if findErr != nil {
		return "", findErr
	}
	if found.Description != plan.Description.ValueString() {
		if err := c.UpdateTag(ctx, plan.withID(found.ID).tag()); err != nil {
			return "", err // it is not owned before it is as planned: a failed create would own it
		}
	}
	return found.ID, nil
}

// importID returns "category/name", or the name with a placeholder when the category cannot be read.
func (r *tagResource) importID(ctx context.Context, c *vsphere.Client, plan model) string {
	category, err := c.Category(ctx, plan.CategoryID.ValueString())
	if err != nil {
		return "CATEGORY/" + plan.Name.ValueString()
	}
	return category.Name + "/" + plan.Name.ValueString()
}

// Read refreshes the tag; one that is gone leaves state.
func (r *tagResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	identity.Set(ctx, resp.Identity, state.identity(), &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	tag, err := c.RefreshTag(ctx, state.ID.ValueString())
	if errors.Is(err, vsphere.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Read Tag %q", state.Name.ValueString()), privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state.refreshed(tag))...)
}

// Update renames or describes the tag in place.
func (r *tagResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	identity.Set(ctx, resp.Identity, plan.identity(), &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := c.UpdateTag(ctx, plan.tag()); err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Update Tag %q", plan.Name.ValueString()), privilege.EditTag, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete deletes the tag, unless something carries it and that has not been allowed; one that is gone already is a
// success.
func (r *tagResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
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
		carried, err := c.Associations(ctx, []string{state.ID.ValueString()})
		what := fmt.Sprintf("Tag %q", state.Name.ValueString())
		if !guard.MayDelete(&resp.Diagnostics, what, carried, err) ||
			!guard.MayEndRules(ctx, r.Clients, &resp.Diagnostics, what, []string{state.ID.ValueString()}) {
			return
		}
	}
	if err := c.DeleteTag(ctx, state.ID.ValueString()); err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to Delete Tag %q", state.Name.ValueString()), privilege.DeleteTag, err)
	}
}

// ImportState takes an id (urn:vmomi:InventoryServiceTag:...), "category/name", or an identity.
func (r *tagResource) ImportState(
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
	tag, err := c.FindTag(ctx, id)
	if err != nil {
		explain.AddError(&resp.Diagnostics, fmt.Sprintf("Unable to Import Tag %q", id), privilege.Read, err)
		return
	}
	m := fromTag(tag)
	identity.Save(ctx, &resp.State, resp.Identity, m, m.identity(), &resp.Diagnostics)
}
