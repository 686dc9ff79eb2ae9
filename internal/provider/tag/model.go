// The state of a tag and its mapping, in both directions.

package tag

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/vsphere"
)

type model struct {
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	CategoryID  types.String `tfsdk:"category_id"`
	Description types.String `tfsdk:"description"`
}

func (m model) tag() vsphere.Tag {
	return vsphere.Tag{
		ID: m.ID.ValueString(), Name: m.Name.ValueString(), CategoryID: m.CategoryID.ValueString(), Description: m.Description.ValueString(),
	}
}

func (m model) withID(id string) model {
	m.ID = types.StringValue(id)
	return m
}

func fromTag(t vsphere.Tag) model {
	return model{
		ID: types.StringValue(t.ID), Name: types.StringValue(t.Name),
		CategoryID: types.StringValue(t.CategoryID), Description: types.StringValue(t.Description),
	}
}
