package tag

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/tagging/lookup"
	"terraform-provider-vsla/internal/provider/tagging/vsphereprovider"
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
	id, name := path.MatchRoot("id"), path.MatchRoot("name")
	categoryID, categoryName := path.MatchRoot("category_id"), path.MatchRoot("category_name")
	return schema.Schema{
		MarkdownDescription: "Returns a vCenter tag by its ID, or by its name and category. Tag names are unique only " +
			"within a category.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.OptionalComputedString(idDoc+" Specify either this, or `name` and a category.",
				stringvalidator.ExactlyOneOf(id, name)),
			"name":        attribute.OptionalComputedString(nameDoc + " Requires `category_id` or `category_name`."),
			"category_id": attribute.OptionalComputedString(categoryDoc, stringvalidator.ConflictsWith(id, categoryName)),
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
		explain.AddAttributeError(diags, at,
			fmt.Sprintf("Unable to Read Tag %q", config.ID.ValueString()+config.Name.ValueString()), privilege.Read, err)
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
		ID: types.StringValue(tag.ID), Name: types.StringValue(tag.Name), Description: types.StringValue(tag.Description),
		CategoryID: types.StringValue(category.ID), CategoryName: types.StringValue(category.Name),
	}
}

var _ resource.ResourceWithMoveState = (*tagResource)(nil)

// NewListResource returns the list resource vsla_tag.
func NewListResource() list.ListResource { return newResource() }

type listModel struct {
	CategoryID   types.String `tfsdk:"category_id"`
	CategoryName types.String `tfsdk:"category_name"`
}

// ListResourceConfigSchema sets the schema of the list block.
func (r *tagResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists tags, sorted by category and name, for `terraform query`. Excludes the categories " +
			"in `ignore_tag_categories`. Requires Terraform 1.14 or later. Returns at most 100 results unless the list block " +
			"sets `limit`.",
		Attributes: map[string]listschema.Attribute{
			"category_id": listschema.StringAttribute{
				MarkdownDescription: "Only list tags of the category with this ID.", Optional: true,
				Validators: []validator.String{stringvalidator.ConflictsWith(path.MatchRoot("category_name"))},
			},
			"category_name": listschema.StringAttribute{
				MarkdownDescription: "Only list tags of the category with this name.", Optional: true,
			},
		},
	}
}

// List streams the tags.
func (r *tagResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []vsphere.NamedTag {
		var config listModel
		diags.Append(req.Config.Get(ctx, &config)...)
		c := r.Clients.VSphere(diags)
		if diags.HasError() {
			return nil
		}
		tags, err := c.NamedTags(ctx, func(category vsphere.Category) bool {
			return !r.Clients.Ignored().Match(category.Name) &&
				(config.CategoryID.IsNull() || config.CategoryID.ValueString() == category.ID) &&
				(config.CategoryName.IsNull() || config.CategoryName.ValueString() == category.Name)
		})
		if err != nil {
			explain.AddError(diags, "Unable to List Tags", privilege.Read, err)
		}
		return tags
	}, func(t vsphere.NamedTag) identity.Listed {
		return identity.Listed{Name: t.Path(), Identity: identity.ByID{ID: types.StringValue(t.ID)}, Resource: fromTag(t.Tag)}
	})
}

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
				vsphere.Tag{ID: source.ID, Name: source.Name, Description: source.Description, CategoryID: source.CategoryID},
			)
			identity.Save(ctx, &resp.TargetState, resp.TargetIdentity, m, m.Identity(), &resp.Diagnostics)
		}},
	}
}
