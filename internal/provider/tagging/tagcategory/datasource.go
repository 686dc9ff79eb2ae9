// The data source vsla_tag_category.

package tagcategory

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/lookup"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

type categoryDataSource struct{ base.DataSource }

// NewDataSource returns the data source vsla_tag_category.
func NewDataSource() datasource.DataSource {
	return &categoryDataSource{base.DataSource{TypeName: typeName}}
}

// Read looks the category up; not to find it is an error.
func (d *categoryDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := d.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	category, by, err := lookup.Category(
		ctx,
		c,
		lookup.Argument{Attribute: "id", Value: config.ID},
		lookup.Argument{Attribute: "name", Value: config.Name},
	)
	if err != nil {
		explain.Failure{
			Summary:   fmt.Sprintf("Unable to Read Tag Category %q", config.ID.ValueString()+config.Name.ValueString()),
			Attribute: &by, Privilege: privilege.Read, Err: err,
		}.AddTo(&resp.Diagnostics)
		return
	}
	// The data source shows "every type" as an empty set, so that length() needs no null check.
	empty := model{AssociableTypes: types.SetValueMust(types.StringType, nil)}
	resp.Diagnostics.Append(resp.State.Set(ctx, empty.refreshed(category))...)
}
