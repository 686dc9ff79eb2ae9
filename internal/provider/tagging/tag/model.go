package tag

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/vsphere"
)

type model struct {
	ID            types.String `tfsdk:"id"`
	Name          types.String `tfsdk:"name"`
	CategoryID    types.String `tfsdk:"category_id"`
	Description   types.String `tfsdk:"description"`
	AdoptExisting types.Bool   `tfsdk:"adopt_existing"`
	ForceDestroy  types.Bool   `tfsdk:"force_destroy"`
}

func (m model) tag() vsphere.Tag {
	return vsphere.Tag{
		ID:          m.ID.ValueString(),
		Name:        m.Name.ValueString(),
		CategoryID:  m.CategoryID.ValueString(),
		Description: m.Description.ValueString(),
	}
}

func (m model) withID(id string) model {
	m.ID = types.StringValue(id)
	return m
}

func (m model) refreshed(t vsphere.Tag) model {
	refreshed := fromTag(t)
	refreshed.ForceDestroy = m.ForceDestroy
	refreshed.AdoptExisting = types.BoolValue(m.AdoptExisting.ValueBool()) // null in states written by older versions
	return refreshed
}

func fromTag(t vsphere.Tag) model {
	return model{
		ID:            types.StringValue(t.ID),
		Name:          types.StringValue(t.Name),
		CategoryID:    types.StringValue(t.CategoryID),
		Description:   types.StringValue(t.Description),
		AdoptExisting: types.BoolValue(false),
		ForceDestroy:  types.BoolValue(false),
	}
}

func (m model) Identity() any { return identity.ByID{ID: m.ID} }

func (m model) Title() string { return fmt.Sprintf("Tag %q", m.Name.ValueString()) }

// Unfinished implements base.Model.
func (m model) Unfinished() (key string, ids map[string]string) {
	key = typeName + "/" + m.CategoryID.ValueString() + "/" + m.Name.ValueString()
	return key, map[string]string{m.Name.ValueString(): m.ID.ValueString()}
}
