// Package taggedobjects implements the data source vsla_tagged_objects, which lists tagged objects of any type.
package taggedobjects

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
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
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const (
	matchAll = "all"
	matchAny = "any"
)

type model struct {
	TagIDs     types.List   `tfsdk:"tag_ids"`
	TagMatch   types.String `tfsdk:"tag_match"`
	ObjectType types.String `tfsdk:"object_type"`
	Objects    types.List   `tfsdk:"objects"`
}

var objectTypes = map[string]attr.Type{"type": types.StringType, "id": types.StringType}

// NewDataSource returns the data source vsla_tagged_objects.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_tagged_objects", describe, (*connection.Set).VSphere, read)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns the objects, of any type, to which the given tags are attached. Takes one " +
			"request per 200 tags.",
		Attributes: map[string]schema.Attribute{
			"tag_ids": attribute.RequiredStringList("IDs of the tags.", listvalidator.SizeAtLeast(1),
				listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
			"tag_match": attribute.OptionalString("Whether an object must have all tags of `tag_ids` (`all`) or at "+
				"least one (`any`). Defaults to `all`.", stringvalidator.OneOf(matchAll, matchAny)),
			"object_type": attribute.OptionalString("Only return objects of this managed object type. "+objecttype.Doc+
				" By default, objects of all types are returned.", objecttype.Valid{All: "leave object_type out"}),
			"objects": attribute.ObjectList("Tagged objects, sorted by type and ID.", map[string]schema.Attribute{
				"type": attribute.String("Managed object type."),
				"id":   attribute.String("Managed object ID."),
			}),
		},
	}
}

// read lists the objects. The list can be empty, but a missing tag is an error.
func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	anyTag := config.TagMatch.ValueString() == matchAny
	objects, err := c.ObjectsWithTags(ctx, stringset.Strings(config.TagIDs), anyTag)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("tag_ids"), "Unable to List Tagged Objects", privilege.Read, err)
		return
	}
	guard.WarnIncomplete(ctx, c, "`objects`", diags)
	config.Objects = objectList(objects, config.ObjectType)
}

func objectList(objects []vsphere.Object, objectType types.String) types.List {
	if !objectType.IsNull() {
		objects = slices.DeleteFunc(objects, func(o vsphere.Object) bool { return o.Type != objecttype.Of(objectType) })
	}
	slices.SortFunc(objects,
		func(a, b vsphere.Object) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID)) })
	elements := make([]attr.Value, 0, len(objects))
	for _, o := range objects {
		elements = append(elements, types.ObjectValueMust(objectTypes,
			map[string]attr.Value{"type": types.StringValue(o.Type), "id": types.StringValue(o.ID)}))
	}
	return types.ListValueMust(types.ObjectType{AttrTypes: objectTypes}, elements)
}
