package tagcategory

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/tagging/vsphereprovider"
	"terraform-provider-vsla/internal/vsphere"
)

// MoveState moves a vsphere_tag_category to a vsla_tag_category. Both have the same ID.
func (r *categoryResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{
		{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
			var source struct {
				ID              string   `json:"id"`
				Name            string   `json:"name"`
				Description     string   `json:"description"`
				Cardinality     string   `json:"cardinality"`
				AssociableTypes []string `json:"associable_types"`
			}
			if !vsphereprovider.DecodeState(req, "vsphere_tag_category", &source, &resp.Diagnostics) {
				return
			}
			m := fromCategory(vsphere.Category{
				ID:              source.ID,
				Name:            source.Name,
				Description:     source.Description,
				Cardinality:     source.Cardinality,
				AssociableTypes: source.AssociableTypes,
			})
			identity.Save(ctx, &resp.TargetState, resp.TargetIdentity, m, m.Identity(), &resp.Diagnostics)
		}},
	}
}
