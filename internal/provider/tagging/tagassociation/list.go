package tagassociation

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// IdentitySchema sets the identity schema.
func (r *associationResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.Schema(map[string]string{
		"tag_id":      "ID of the tag.",
		"object_type": "Managed object type of the objects.",
	})
}

// NewListResource returns the list resource vsla_tag_association.
func NewListResource() list.ListResource {
	return newResource()
}

type listModel struct {
	CategoryName types.String `tfsdk:"category_name"`
	ObjectType   types.String `tfsdk:"object_type"`
}

// ListResourceConfigSchema sets the schema of the list block.
func (r *associationResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists tag associations, one for each tag and object type, sorted by category, tag and " +
			"type, for `terraform query`. Excludes the categories in `ignore_tag_categories`. Requires Terraform " +
			"1.14 or later. Returns at most 100 results unless the list block sets `limit`.",
		Attributes: map[string]listschema.Attribute{
			"category_name": listschema.StringAttribute{
				MarkdownDescription: "Only list associations of tags of the category with this name.",
				Optional:            true,
			},
			"object_type": listschema.StringAttribute{
				MarkdownDescription: "Only list associations with objects of this managed object type.",
				Optional:            true,
				Validators:          []validator.String{objecttype.Valid{All: "leave object_type out"}},
			},
		},
	}
}

// List streams the associations.
func (r *associationResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	identity.Stream(ctx, req, stream, func(diags *diag.Diagnostics) []listed {
		var config listModel
		diags.Append(req.Config.Get(ctx, &config)...)
		c := r.Clients.VSphere(diags)
		if diags.HasError() {
			return nil
		}
		found, err := r.find(ctx, c, config)
		if err != nil {
			explain.AddError(diags, "Unable to List Tag Associations", privilege.Read, err)
		}
		return found
	}, func(f listed) identity.Listed {
		return identity.Listed{Name: f.name, Identity: f.Identity(), Resource: f.model}
	})
}

type listed struct {
	model

	name string
}

// find returns the associations that match the list block.
func (r *associationResource) find(ctx context.Context, c *vsphere.Client, config listModel) ([]listed, error) {
	tags, err := c.NamedTags(ctx, func(category vsphere.Category) bool {
		hasName := config.CategoryName.IsNull() || config.CategoryName.ValueString() == category.Name
		return hasName && !r.Clients.Ignored().Match(category.Name)
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(tags))
	for _, tag := range tags {
		ids = append(ids, tag.ID)
	}
	objects, err := c.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []listed
	for _, tag := range tags {
		byType := make(map[string][]string)
		for _, o := range objects[tag.ID] {
			byType[o.Type] = append(byType[o.Type], o.ID)
		}
		for _, objectType := range slices.Sorted(maps.Keys(byType)) {
			if !config.ObjectType.IsNull() && objecttype.Of(config.ObjectType) != objectType {
				continue
			}
			m := newModel(tag.ID, objectType)
			m.ObjectIDs = stringset.ListValue(byType[objectType])
			found = append(found, listed{model: m, name: tag.Path() + " on " + objectType})
		}
	}
	return found, nil
}
