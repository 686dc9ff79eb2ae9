package tag

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/tagging/vsphereprovider"
	"terraform-provider-vsla/internal/vsphere"
)

// MoveState moves a vsphere_tag to a vsla_tag. Both have the same ID.
func (r *tagResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{
		{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
			var source struct {
				ID          string `json:"id"`
				Name        string `json:"name"`
				Description string `json:"description"`
				CategoryID  string `json:"category_id"`
			}
			if !vsphereprovider.DecodeState(req, "vsphere_tag", &source, &resp.Diagnostics) {
				return
			}
			m := fromTag(
				vsphere.Tag{
					ID:          source.ID,
					Name:        source.Name,
					Description: source.Description,
					CategoryID:  source.CategoryID,
				},
			)
			identity.Save(ctx, &resp.TargetState, resp.TargetIdentity, m, m.Identity(), &resp.Diagnostics)
		}},
	}
}
