package tag

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/tagging/lookup"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

type dataModel struct {
	ID           types.String `tfsdk:"id"`
	Name         types.String `tfsdk:"name"`
	CategoryID   types.String `tfsdk:"category_id"`
	CategoryName types.String `tfsdk:"category_name"`
	Description  types.String `tfsdk:"description"`
}

// NewDataSource returns the data source vsla_tag.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource(typeName, describe, (*connection.Set).VSphere, read, validate)
}

func describe() schema.Schema {
	id := path.MatchRoot("id")
	name := path.MatchRoot("name")
	categoryID := path.MatchRoot("category_id")
	categoryName := path.MatchRoot("category_name")
	return schema.Schema{
		MarkdownDescription: "Returns a vCenter tag by its ID, or by its name and category. Tag names are unique " +
			"only within a category.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.OptionalComputedString(idDoc+" Specify either this, or `name` and a category.",
				stringvalidator.ExactlyOneOf(id, name)),
			"name": attribute.OptionalComputedString(nameDoc + " Requires `category_id` or `category_name`."),
			"category_id": attribute.OptionalComputedString(
				categoryDoc,
				stringvalidator.ConflictsWith(id, categoryName),
			),
			"category_name": attribute.OptionalComputedString("Name of the category that the tag belongs to.",
				stringvalidator.ConflictsWith(id, categoryID)),
			"description": attribute.String(descriptionDoc),
		},
	}
}

func validate(config *dataModel, diags *diag.Diagnostics) {
	if !config.Name.IsNull() && config.CategoryID.IsNull() && config.CategoryName.IsNull() {
		diags.AddAttributeError(path.Root("name"), "Missing Tag Category",
			"Tag names are unique only within a category. Set category_id or category_name as well.")
	}
}

func read(ctx context.Context, c *vsphere.Client, config *dataModel, diags *diag.Diagnostics) {
	result, at, err := findByArguments(ctx, c, *config)
	if err != nil {
		explain.AddAttributeError(
			diags,
			at,
			fmt.Sprintf("Unable to Read Tag %q", config.ID.ValueString()+config.Name.ValueString()),
			privilege.Read,
			err,
		)
		return
	}
	*config = result
}

// On error, it also returns the path of the invalid argument.
func findByArguments(ctx context.Context, c *vsphere.Client, config dataModel) (dataModel, path.Path, error) {
	if !config.ID.IsNull() {
		at := path.Root("id")
		tag, err := c.Tag(ctx, config.ID.ValueString())
		if err != nil {
			return config, at, err
		}
		category, err := c.Category(ctx, tag.CategoryID)
		return newDataModel(tag, category), at, err
	}
	category, at, err := lookup.Category(ctx, c, "category_", config.CategoryID, config.CategoryName)
	if err != nil {
		return config, at, err
	}
	tag, err := c.TagByName(ctx, category.ID, config.Name.ValueString())
	return newDataModel(tag, category), path.Root("name"), err
}

func newDataModel(tag vsphere.Tag, category vsphere.Category) dataModel {
	return dataModel{
		ID:           types.StringValue(tag.ID),
		Name:         types.StringValue(tag.Name),
		Description:  types.StringValue(tag.Description),
		CategoryID:   types.StringValue(category.ID),
		CategoryName: types.StringValue(category.Name),
	}
}

var _ resource.ResourceWithMoveState = (*tagResource)(nil)
