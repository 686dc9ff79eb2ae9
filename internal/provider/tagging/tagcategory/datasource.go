package tagcategory

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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

// read reads the category. A missing category is an error.
func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	category, by, err := lookup.Category(ctx, c, "", config.ID, config.Name)
	if err != nil {
		summary := fmt.Sprintf("Unable to Read Tag Category %q", config.ID.ValueString()+config.Name.ValueString())
		explain.AddAttributeError(diags, by, summary, privilege.Read, err)
		return
	}
	// "Every type" is an empty set, so that length() needs no null check.
	empty := model{AssociableTypes: types.SetValueMust(types.StringType, nil)}
	*config = empty.refreshed(category)
}
