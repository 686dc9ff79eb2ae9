package tagcategory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/vsphere"
)

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

// Unfinished returns the category of an unfinished create.
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
			list = append(list, s.ValueString())
		}
	}
	slices.Sort(list)
	return list
}

func (m model) category() vsphere.Category {
	return vsphere.Category{
		ID: m.ID.ValueString(), Name: m.Name.ValueString(), Description: m.Description.ValueString(),
		Cardinality: m.Cardinality.ValueString(), AssociableTypes: m.types(),
	}
}

// refreshed returns the state of a category read from vCenter. A null set, an empty set and the vSphere Client's list
// of all types all mean every type, so the representation in state is kept.
func (m model) refreshed(c vsphere.Category) model {
	if vsphere.MeansEveryType(c.AssociableTypes) {
		c.AssociableTypes = nil
		if vsphere.MeansEveryType(m.types()) {
			c.AssociableTypes = m.types()
		}
	}
	fresh := model{
		ID: types.StringValue(c.ID), Name: types.StringValue(c.Name), Description: types.StringValue(c.Description),
		Cardinality: types.StringValue(c.Cardinality), AssociableTypes: types.SetNull(types.StringType),
	}
	if len(c.AssociableTypes) > 0 || (!m.AssociableTypes.IsNull() && !m.AssociableTypes.IsUnknown()) {
		values := make([]attr.Value, 0, len(c.AssociableTypes))
		for _, t := range c.AssociableTypes {
			values = append(values, types.StringValue(t))
		}
		fresh.AssociableTypes = types.SetValueMust(types.StringType, values)
	}
	return fresh
}

// typesLostIn returns the object types that the plan removes. An empty list means every type.
func (m model) typesLostIn(plan model) []string {
	if plan.AssociableTypes.IsUnknown() {
		return nil
	}
	before, after := m.types(), plan.types()
	switch {
	case vsphere.MeansEveryType(after):
		return nil
	case vsphere.MeansEveryType(before):
		return []string{"every type that is not listed"}
	}
	return slices.DeleteFunc(before, func(t string) bool { return slices.Contains(after, t) })
}

func lookUp(ctx context.Context, c *vsphere.Client, idOrName string) (vsphere.Category, error) {
	if strings.HasPrefix(idOrName, "urn:vmomi:") {
		return c.Category(ctx, idOrName)
	}
	return c.CategoryByName(ctx, idOrName)
}

const (
	idDoc          = "The category's id in vCenter, `urn:vmomi:InventoryServiceCategory:…`."
	nameDoc        = "Name of the category, unique in the vCenter."
	descriptionDoc = "Description of the category."
	cardinalityDoc = "How many tags of this category one object may carry: `SINGLE` or `MULTIPLE`."
	typesDoc       = "Managed object types that tags of this category may be attached to, for example " +
		"`VirtualMachine`, `HostSystem`, `Datastore`."
)

// Schema sets the schema.
func (r *categoryResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A tag category of vCenter. Its id is vCenter's own, so it can be used wherever the " +
			"vsphere provider takes a category id.",
		Attributes: map[string]schema.Attribute{
			"id": managed.Kept(idDoc),
			"name": managed.Required(nameDoc+" 1 to 256 characters; a change renames the category in place.",
				stringvalidator.UTF8LengthBetween(1, 256)),
			"description": managed.Default(descriptionDoc+" Default empty.", ""),
			"cardinality": managed.Required(cardinalityDoc+" vCenter changes `SINGLE` to `MULTIPLE` in place, and never back.",
				stringvalidator.OneOf(vsphere.Single, vsphere.Multiple)),
			"associable_types": schema.SetAttribute{
				MarkdownDescription: typesDoc + " Empty or absent: every type. Types can be added in place, and " +
					"never removed.",
				ElementType: types.StringType, Optional: true,
				Validators: []validator.Set{setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"adopt_existing": managed.Flag("Take over a category of the same name that exists already, with its tags and "+
				"associations, in place of an error; description, cardinality and types become those given here, as far as "+
				"vCenter changes them. An apply that was interrupted is then healed by the next one. Other tools must no longer "+
				"manage the category: destroying this resource deletes it. Default false.", false),
			"force_destroy": managed.Flag("Delete the category, with its tags, even while one of them is attached; the "+
				"associations are lost. Default false: the delete is refused, with their number.", false),
		},
	}
}

func describeDataSource() dsschema.Schema {
	return dsschema.Schema{
		MarkdownDescription: "A tag category of vCenter, by `name` or by `id`.",
		Attributes: map[string]dsschema.Attribute{
			"id": attribute.EitherText(idDoc+" Give this or `name`.",
				stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))),
			"name":        attribute.EitherText(nameDoc + " Give this or `id`."),
			"description": dsschema.StringAttribute{MarkdownDescription: descriptionDoc, Computed: true},
			"cardinality": dsschema.StringAttribute{MarkdownDescription: cardinalityDoc, Computed: true},
			"associable_types": dsschema.SetAttribute{
				MarkdownDescription: typesDoc + " Empty: every type.", ElementType: types.StringType, Computed: true,
			},
		},
	}
}
