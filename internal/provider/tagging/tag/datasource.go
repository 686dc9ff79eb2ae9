// The data source vsla_tag.

package tag

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/lookup"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

var _ datasource.DataSourceWithValidateConfig = (*tagDataSource)(nil)

type tagDataSource struct{ base.DataSource }

type dataModel struct {
	ID           types.String `tfsdk:"id"`
	Name         types.String `tfsdk:"name"`
	CategoryID   types.String `tfsdk:"category_id"`
	CategoryName types.String `tfsdk:"category_name"`
	Description  types.String `tfsdk:"description"`
}

// NewDataSource returns the data source vsla_tag.
func NewDataSource() datasource.DataSource {
	return &tagDataSource{base.DataSource{TypeName: typeName}}
}

// Schema describes the data source.
func (d *tagDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	id, name, categoryID, categoryName := path.MatchRoot(
		"id",
	), path.MatchRoot(
		"name",
	), path.MatchRoot(
		"category_id",
	), path.MatchRoot(
		"category_name",
	)
	resp.Schema = schema.Schema{
		MarkdownDescription: "A tag of vCenter, by `name` within a category or by `id`. A tag's name alone does " +
			"not identify it: several categories may have a tag of that name.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: idDoc + " Give this, or `name` with a category.", Optional: true, Computed: true,
				Validators: []validator.String{stringvalidator.ExactlyOneOf(id, name)},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: nameDoc + " Give it with `category_id` or `category_name`.", Optional: true, Computed: true,
			},
			"category_id": schema.StringAttribute{
				MarkdownDescription: categoryDoc, Optional: true, Computed: true,
				Validators: []validator.String{stringvalidator.ConflictsWith(id, categoryName)},
			},
			"category_name": schema.StringAttribute{
				MarkdownDescription: "Name of the category that the tag belongs to.", Optional: true, Computed: true,
				Validators: []validator.String{stringvalidator.ConflictsWith(id, categoryID)},
			},
			"description": schema.StringAttribute{MarkdownDescription: descriptionDoc, Computed: true},
		},
	}
}

// ValidateConfig requires a category with a name.
func (d *tagDataSource) ValidateConfig(
	ctx context.Context,
	req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !config.Name.IsNull() && config.CategoryID.IsNull() && config.CategoryName.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Missing Tag Category",
			"A tag's name is unique within its category only. Set category_id or category_name as well.")
	}
}

// Read looks the tag up; not to find it is an error.
func (d *tagDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := d.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	result, by, err := find(ctx, c, config)
	if err != nil {
		explain.Failure{
			Summary:   fmt.Sprintf("Unable to Read Tag %q", config.ID.ValueString()+config.Name.ValueString()),
			Attribute: &by, Privilege: privilege.Read, Err: err,
		}.AddTo(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, result)...)
}

// find returns the tag with its category, or the argument that is to blame.
func find(ctx context.Context, c *vsphere.Client, config dataModel) (dataModel, path.Path, error) {
	if !config.ID.IsNull() {
		by := path.Root("id")
		tag, err := c.Tag(ctx, config.ID.ValueString())
		if err != nil {
			return config, by, err
		}
		category, err := c.Category(ctx, tag.CategoryID)
		return found(tag, category), by, err
	}
	category, by, err := lookup.Category(
		ctx,
		c,
		lookup.Argument{
			Attribute: "category_id",
			Value:     config.CategoryID,
		},
		lookup.Argument{Attribute: "category_name", Value: config.CategoryName},
	)
	if err != nil {
		return config, by, err
	}
	tag, err := c.TagByName(ctx, category.ID, config.Name.ValueString())
	return found(tag, category), path.Root("name"), err
}

func found(tag vsphere.Tag, category vsphere.Category) dataModel {
	return dataModel{
		ID: types.StringValue(tag.ID), Name: types.StringValue(tag.Name), Description: types.StringValue(tag.Description),
		CategoryID: types.StringValue(category.ID), CategoryName: types.StringValue(category.Name),
	}
}
