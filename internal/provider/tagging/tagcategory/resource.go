// Package tagcategory implements vsla_tag_category as a resource, a list resource and a data source
// (/rest/com/vmware/cis/tagging/category). vCenter can widen a category but not narrow it, so the plan rejects changes
// that narrow it.
package tagcategory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const typeName = "vsla_tag_category"

type categoryResource struct{ base.Managed[resourceModel] }

// NewResource returns the resource vsla_tag_category.
func NewResource() resource.Resource { return newResource() }

func newResource() *categoryResource {
	r := &categoryResource{}
	r.Managed = base.Managed[resourceModel]{
		Resource: base.Resource{TypeName: typeName}, Operations: r, Noun: "Tag Category", NotFound: vsphere.ErrNotFound,
	}
	return r
}

// IdentitySchema sets the identity schema.
func (r *categoryResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.SchemaByID(idDoc)
}

// ModifyPlan rejects changes that vCenter does not support: changing MULTIPLE to SINGLE, and removing object types.
func (r *categoryResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
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
	rejectNarrowing(state, plan, &resp.Diagnostics)
	if r.Clients != nil {
		assignment.LedgerOf(r.Clients).PlanTypes(plan.ID.ValueString(), plan.types())
	}
}

func rejectNarrowing(state, plan resourceModel, diags *diag.Diagnostics) {
	if state.Cardinality.ValueString() == vsphere.Multiple && plan.Cardinality.ValueString() == vsphere.Single {
		diags.AddAttributeError(path.Root("cardinality"), "Cardinality Cannot Be Narrowed",
			"vCenter can change a category from SINGLE to MULTIPLE, but not back, because objects may have several of its "+
				"tags. Keep MULTIPLE, or create a new category and move the tags.")
	}
	if removed := state.typesRemovedBy(plan.model); len(removed) > 0 {
		diags.AddAttributeError(path.Root("associable_types"), "Associable Types Cannot Be Removed",
			fmt.Sprintf("vCenter can add object types to a category, but not remove them. This plan would remove: %v. Keep "+
				"them, or create a new category and move the tags.", removed))
	}
}

// CreateObject creates the category. The ID is saved even if the outcome is unknown, so that the next refresh can check
// whether the category exists.
func (r *categoryResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan resourceModel, diags *diag.Diagnostics,
) (created resourceModel, save bool) {
	id, err := r.create(ctx, c, plan, diags)
	if err != nil && !diags.HasError() {
		failure := explain.Failure{
			Summary: "Unable to Create " + plan.Title(), Privilege: privilege.CreateCategory,
			Alternative: "Alternatively, set adopt_existing = true to adopt the category. In a replacement with " +
				"create_before_destroy, the existing category is the one to be replaced: adopt_existing = true keeps it.\n\n",
			Err: err,
		}
		if errors.Is(err, vsphere.ErrConflict) {
			failure.AlreadyExists(diags, path.Root("name"), typeName, plan.Name.ValueString())
		} else {
			failure.AddTo(diags)
		}
	}
	return plan.withID(id), id != ""
}

func (r *categoryResource) create(
	ctx context.Context, c *vsphere.Client, plan resourceModel, diags *diag.Diagnostics,
) (string, error) {
	for _, id := range r.TakeUnfinished(plan, base.AnyName) {
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
	if rejectNarrowing(fromCategory(found), plan, diags); diags.HasError() {
		return "", err
	}
	if err := c.UpdateCategory(ctx, plan.withID(found.ID).category()); err != nil {
		return "", err // do not save the category, or the failed create would own it
	}
	if !r.ClaimAdopted(found.ID) {
		return "", err
	}
	return found.ID, nil
}

func (r *categoryResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state resourceModel, _ *diag.Diagnostics,
) (resourceModel, error) {
	category, err := c.RefreshCategory(ctx, state.ID.ValueString())
	state.model = state.refreshed(category)
	state.AdoptExisting = types.BoolValue(state.AdoptExisting.ValueBool()) // null in states written by older versions
	return state, err
}

// UpdateObject updates the category in place.
func (r *categoryResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, _ resourceModel, diags *diag.Diagnostics,
) (updated resourceModel, save bool) {
	// Read the category before the change, because the plans of this run are based on the former cardinality.
	if _, err := assignment.LedgerOf(r.Clients).Category(ctx, c, plan.ID.ValueString()); err != nil {
		tflog.Debug(ctx, "Unable to read the category before its change", map[string]any{"error": err.Error()})
	}
	assignment.LedgerOf(r.Clients).PlanTypes(plan.ID.ValueString(), plan.types())
	if err := c.UpdateCategory(ctx, plan.category()); err != nil {
		explain.AddError(diags, "Unable to Update "+plan.Title(), privilege.EditCategory, err)
		return plan, false
	}
	return plan, true
}

// DeleteObject deletes the category, unless one of its tags is in use and force_destroy is not set. A category that no
// longer exists is ignored.
func (r *categoryResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state resourceModel, diags *diag.Diagnostics,
) (remaining *resourceModel) {
	if !r.ClaimDeleted(state.ID.ValueString(), state.Title(), diags) {
		return nil
	}
	if !state.ForceDestroy.ValueBool() {
		ids, err := c.TagIDs(ctx, state.ID.ValueString())
		switch {
		case errors.Is(err, vsphere.ErrNotFound):
			return nil
		case err != nil:
			explain.AddError(diags, "Unable to List the Tags of "+state.Title(), privilege.Read, err)
			return nil
		case !guard.MayDeleteTags(ctx, r.Clients, c, diags, guard.Deletion{
			Title: state.Title(), CategoryID: state.ID.ValueString(), IDs: ids, IncludesCategory: true,
		}):
			return nil
		}
	}
	if err := c.DeleteCategory(ctx, state.ID.ValueString()); err != nil {
		explain.AddError(diags, "Unable to Delete "+state.Title(), privilege.DeleteCategory, err)
	}
	return nil
}

// FindObject finds a category by ID (urn:vmomi:InventoryServiceCategory:...) or name.
func (r *categoryResource) FindObject(ctx context.Context, c *vsphere.Client, id string) (resourceModel, error) {
	category, err := findCategory(ctx, c, id)
	return fromCategory(category), err
}

type model struct {
	ID              types.String `tfsdk:"id"`
	Name            types.String `tfsdk:"name"`
	Description     types.String `tfsdk:"description"`
	Cardinality     types.String `tfsdk:"cardinality"`
	AssociableTypes types.Set    `tfsdk:"associable_types"`
}

type resourceModel struct {
	model

	AdoptExisting types.Bool `tfsdk:"adopt_existing"`
	ForceDestroy  types.Bool `tfsdk:"force_destroy"`
}

func fromCategory(c vsphere.Category) resourceModel {
	return resourceModel{
		model: model{}.refreshed(c), AdoptExisting: types.BoolValue(false), ForceDestroy: types.BoolValue(false),
	}
}

func (m resourceModel) Identity() any { return identity.ByID{ID: m.ID} }

func (m resourceModel) Title() string { return fmt.Sprintf("Tag Category %q", m.Name.ValueString()) }

// Unfinished implements base.Model.
func (m resourceModel) Unfinished() (key string, ids map[string]string) {
	return typeName + "/" + m.Name.ValueString(), map[string]string{m.Name.ValueString(): m.ID.ValueString()}
}

func (m resourceModel) withID(id string) resourceModel {
	m.ID = types.StringValue(id)
	return m
}

func (m model) types() []string {
	var list []string
	for _, e := range m.AssociableTypes.Elements() {
		if s, ok := e.(types.String); ok {
			list = append(list, objecttype.Of(s))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (m model) category() vsphere.Category {
	return vsphere.Category{
		ID: m.ID.ValueString(), Name: m.Name.ValueString(), Description: m.Description.ValueString(),
		Cardinality: m.Cardinality.ValueString(), AssociableTypes: m.types(),
	}
}

// refreshed returns the state of a category read from vCenter. If all types are allowed, it keeps the representation in
// state: a null set, an empty set, or the vSphere Client's list of all types.
func (m model) refreshed(c vsphere.Category) model {
	if vsphere.AllowsAllTypes(c.AssociableTypes) {
		c.AssociableTypes = nil
		if vsphere.AllowsAllTypes(m.types()) {
			c.AssociableTypes = m.types()
		}
	}
	refreshed := model{
		ID: types.StringValue(c.ID), Name: types.StringValue(c.Name), Description: types.StringValue(c.Description),
		Cardinality: types.StringValue(c.Cardinality), AssociableTypes: types.SetNull(types.StringType),
	}
	if len(c.AssociableTypes) > 0 || (!m.AssociableTypes.IsNull() && !m.AssociableTypes.IsUnknown()) {
		values := make([]attr.Value, 0, len(c.AssociableTypes))
		for _, t := range c.AssociableTypes {
			values = append(values, m.typeValues(t)...)
		}
		refreshed.AssociableTypes = types.SetValueMust(types.StringType, values)
	}
	return refreshed
}

// typeValues returns a type as it is written in state: with the prefix, without it, or both.
func (m model) typeValues(name string) []attr.Value {
	written := slices.DeleteFunc(m.AssociableTypes.Elements(), func(e attr.Value) bool {
		s, ok := e.(types.String)
		return !ok || objecttype.Of(s) != name
	})
	if len(written) == 0 {
		return []attr.Value{types.StringValue(name)}
	}
	return written
}

// typesRemovedBy returns the object types that the plan removes. It treats an empty set as all types.
func (m model) typesRemovedBy(plan model) []string {
	if plan.AssociableTypes.IsUnknown() {
		return nil
	}
	before, after := m.types(), plan.types()
	switch {
	case vsphere.AllowsAllTypes(after):
		return nil
	case vsphere.AllowsAllTypes(before):
		return []string{"every type that is not listed"}
	}
	return slices.DeleteFunc(before, func(t string) bool { return slices.Contains(after, t) })
}

func findCategory(ctx context.Context, c *vsphere.Client, idOrName string) (vsphere.Category, error) {
	if strings.HasPrefix(idOrName, "urn:vmomi:") {
		return c.Category(ctx, idOrName)
	}
	return c.CategoryByName(ctx, idOrName)
}

const (
	idDoc          = "ID of the category in vCenter, in the form `urn:vmomi:InventoryServiceCategory:…`."
	nameDoc        = "Name of the category, unique in vCenter."
	descriptionDoc = "Description of the category."
	cardinalityDoc = "Whether an object can have one tag (`SINGLE`) or several tags (`MULTIPLE`) of this category."
)

var typesDoc = "Managed object types that tags of this category can be attached to. " + objecttype.Doc

// Schema sets the schema.
func (r *categoryResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a vCenter tag category. The resource ID is the ID of the category in vCenter, so it " +
			"can be used wherever the vsphere provider expects a category ID.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString(idDoc),
			"name": managed.RequiredString(nameDoc+" Must have 1 to 256 characters. Can be changed in place.",
				stringvalidator.UTF8LengthBetween(1, 256)),
			"description": managed.DefaultString(descriptionDoc+" Defaults to an empty string.", ""),
			"cardinality": managed.RequiredString(cardinalityDoc+" `SINGLE` can be changed to `MULTIPLE` in place. vCenter "+
				"does not support the reverse.",
				stringvalidator.OneOf(vsphere.Single, vsphere.Multiple)),
			"associable_types": schema.SetAttribute{
				MarkdownDescription: typesDoc + " If empty or not set, all types are allowed. Types can be added in place but " +
					"not removed.",
				ElementType: types.StringType, Optional: true,
				Validators: []validator.Set{setvalidator.ValueStringsAre(objecttype.Valid{All: "leave associable_types out"})},
			},
			"adopt_existing": managed.DefaultBool("Whether to adopt an existing category with the same name, with its tags "+
				"and associations, instead of returning an error. Description, cardinality and types are updated to match "+
				"the configuration. If vCenter does not support the change, an error is returned. Also use this after an apply "+
				"that was killed before it saved the state. A replacement with `create_before_destroy` adopts the category of the "+
				"resource itself, and the category is then not deleted. The category must not be managed by another tool, because "+
				"destroying this resource deletes it. Defaults to `false`.", false),
			"force_destroy": managed.DefaultBool("Whether to delete the category and all of its tags even if a tag is in "+
				"use. If `false`, the provider does not delete a category with a tag that is attached to objects or used by a "+
				"rule of a protection group. It also does not delete a category with a tag that may be attached to objects of a "+
				"linked vCenter or to objects that the account cannot read. To destroy such a category, set this to `true` and "+
				"apply the change first. Defaults to `false`.", false),
		},
	}
}

func describeDataSource() dsschema.Schema {
	return dsschema.Schema{
		MarkdownDescription: "Returns a vCenter tag category by `name` or `id`.",
		Attributes: map[string]dsschema.Attribute{
			"id": attribute.OptionalComputedString(idDoc+" Specify either this or `name`.",
				stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))),
			"name":        attribute.OptionalComputedString(nameDoc + " Specify either this or `id`."),
			"description": dsschema.StringAttribute{MarkdownDescription: descriptionDoc, Computed: true},
			"cardinality": dsschema.StringAttribute{MarkdownDescription: cardinalityDoc, Computed: true},
			"associable_types": dsschema.SetAttribute{
				MarkdownDescription: typesDoc + " If empty, all types are allowed.", ElementType: types.StringType, Computed: true,
			},
		},
	}
}
