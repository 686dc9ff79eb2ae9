// Package tags implements vsla_tags as a resource and a data source. The resource manages many tags of one category
// (/rest/com/vmware/cis/tagging/tag). If an apply is interrupted, the next one picks up where it left off.
package tags

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/tagging/lookup"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

type model struct {
	CategoryID   types.String `tfsdk:"category_id"`
	CategoryName types.String `tfsdk:"category_name"`
	NameRegex    types.String `tfsdk:"name_regex"`
	IDs          types.Map    `tfsdk:"ids"`
}

// NewDataSource returns the data source vsla_tags.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_tags", describe, (*connection.Set).VSphere, read)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns the IDs of the tags of a category, by tag name. In vCenter 9.0 and later, this " +
			"takes one request per 1,000 tags in the vCenter. In earlier releases, it takes one list request and one " +
			"request per tag of the category, with up to ten requests in parallel.",
		Attributes: map[string]schema.Attribute{
			"category_id": attribute.OptionalComputedString("ID of the category. Specify either this or "+
				"`category_name`.",
				stringvalidator.ExactlyOneOf(path.MatchRoot("category_id"), path.MatchRoot("category_name"))),
			"category_name": attribute.OptionalComputedString("Name of the category. Specify either this or " +
				"`category_id`."),
			"name_regex": attribute.OptionalString("Only return tags whose name matches this regular expression (Go "+
				"syntax). The expression is not anchored, so use `^` and `$` to match the whole "+
				"name.", attribute.Regex()),
			"ids": attribute.StringMap("IDs of the tags, by tag name."),
		},
	}
}

// read lists the tags. A category can be empty, but a missing category is an error.
func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	// Compile the expression again, because the validator skips unknown values.
	pattern, err := regexp.Compile(config.NameRegex.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("name_regex"), "Invalid Regular Expression", explain.Detail(err))
		return
	}
	category, at, err := lookup.Category(ctx, c, "category_", config.CategoryID, config.CategoryName)
	var list []vsphere.Tag
	if err == nil {
		list, err = c.TagsOfCategory(ctx, category.ID)
	}
	if err != nil {
		explain.AddAttributeError(diags, at, "Unable to List Tags", privilege.Read, err)
		return
	}
	ids := make(map[string]attr.Value, len(list))
	for _, tag := range list {
		if pattern.MatchString(tag.Name) {
			ids[tag.Name] = types.StringValue(tag.ID)
		}
	}
	config.CategoryID = types.StringValue(category.ID)
	config.CategoryName = types.StringValue(category.Name)
	config.IDs = types.MapValueMust(types.StringType, ids)
}
