package tag

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
)

// Schema sets the schema.
func (r *tagResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a vCenter tag. The resource ID is the ID of the tag in vCenter, so it can be " +
			"used wherever the vsphere provider expects a tag ID.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString(idDoc),
			"name": managed.RequiredString(nameDoc+" Must have 1 to 256 characters. Can be changed in place. A "+
				"renamed tag keeps its associations.", stringvalidator.UTF8LengthBetween(1, 256)),
			"category_id":    managed.ForceNewString(categoryDoc, stringvalidator.LengthAtLeast(1)),
			"description":    managed.DefaultString(descriptionDoc+" Defaults to an empty string.", ""),
			"adopt_existing": managed.DefaultBool(adoptExistingDoc, false),
			"force_destroy":  managed.DefaultBool(forceDestroyDoc, false),
		},
	}
}

// IdentitySchema sets the identity schema.
func (r *tagResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identity.SchemaByID(idDoc)
}
