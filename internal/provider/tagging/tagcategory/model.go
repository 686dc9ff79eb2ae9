package tagcategory

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
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

	AdoptExisting types.Bool   `tfsdk:"adopt_existing"`
	Adopts        types.Object `tfsdk:"adopts"`
	ForceDestroy  types.Bool   `tfsdk:"force_destroy"`
}

func fromCategory(c vsphere.Category) resourceModel {
	return resourceModel{
		model:         model{}.refreshed(c),
		AdoptExisting: types.BoolValue(false),
		ForceDestroy:  types.BoolValue(false),
		Adopts:        types.ObjectNull(adoptsTypes),
	}
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
		ID:              m.ID.ValueString(),
		Name:            m.Name.ValueString(),
		Description:     m.Description.ValueString(),
		Cardinality:     m.Cardinality.ValueString(),
		AssociableTypes: m.types(),
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
		ID:              types.StringValue(c.ID),
		Name:            types.StringValue(c.Name),
		Description:     types.StringValue(c.Description),
		Cardinality:     types.StringValue(c.Cardinality),
		AssociableTypes: types.SetNull(types.StringType),
	}
	isSet := !m.AssociableTypes.IsNull() && !m.AssociableTypes.IsUnknown()
	if len(c.AssociableTypes) > 0 || isSet {
		values := make([]attr.Value, 0, len(c.AssociableTypes))
		for _, t := range c.AssociableTypes {
			values = append(values, m.typeValues(t)...)
		}
		refreshed.AssociableTypes = types.SetValueMust(types.StringType, values)
	}
	return refreshed
}

func (m resourceModel) Identity() any { return identity.ByID{ID: m.ID} }

func (m resourceModel) Title() string { return fmt.Sprintf("Tag Category %q", m.Name.ValueString()) }

// Unfinished implements base.Model.
func (m resourceModel) Unfinished() (key string, ids map[string]string) {
	return typeName + "/" + m.Name.ValueString(), map[string]string{m.Name.ValueString(): m.ID.ValueString()}
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
	before := m.types()
	after := plan.types()
	switch {
	case vsphere.AllowsAllTypes(after):
		return nil
	case vsphere.AllowsAllTypes(before):
		return []string{"every type that is not listed"}
	}
	return slices.DeleteFunc(before, func(t string) bool { return slices.Contains(after, t) })
}
