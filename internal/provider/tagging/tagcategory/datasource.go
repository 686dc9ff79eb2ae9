package tagcategory

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/lookup"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// NewDataSource returns the data source vsla_tag_category.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource(typeName, describeDataSource, (*connection.Set).VSphere, read)
}

func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	category, at, err := lookup.Category(ctx, c, "", config.ID, config.Name)
	if err != nil {
		summary := fmt.Sprintf("Unable to Read Tag Category %q", config.ID.ValueString()+config.Name.ValueString())
		explain.AddAttributeError(diags, at, summary, privilege.Read, err)
		return
	}
	// Return an empty set if all types are allowed, so that length() needs no null check.
	empty := model{AssociableTypes: types.SetValueMust(types.StringType, nil)}
	*config = empty.refreshed(category)
}

var _ resource.ResourceWithMoveState = (*categoryResource)(nil)
