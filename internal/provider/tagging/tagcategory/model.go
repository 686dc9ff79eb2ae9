package tagcategory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/vsphere"
)

// model is the model of the data source.
type model struct {
	ID              types.String `tfsdk:"id"`
	Name            types.String `tfsdk:"name"`
	Description     types.String `tfsdk:"description"`
	Cardinality     types.String `tfsdk:"cardinality"`
	AssociableTypes types.Set    `tfsdk:"associable_types"`
}

// resourceModel is the model of the resource.
type resourceModel struct {
	model

	AdoptExisting types.Bool `tfsdk:"adopt_existing"`
	ForceDestroy  types.Bool `tfsdk:"force_destroy"`
}

// fromCategory returns the state of an imported category.
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

// lookUp finds a category by id or name.
func lookUp(ctx context.Context, c *vsphere.Client, idOrName string) (vsphere.Category, error) {
	if strings.HasPrefix(idOrName, "urn:vmomi:") {
		return c.Category(ctx, idOrName)
	}
	return c.CategoryByName(ctx, idOrName)
}
