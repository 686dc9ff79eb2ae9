// Package identity provides resource identities and list results. Terraform versions before 1.12 do not store
// identities, so Read and Update derive the identity from state and set it again.
package identity

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ByID is the identity of an object that has a single ID.
type ByID struct {
	ID types.String `tfsdk:"id"`
}

// ImportID returns the ID from a ByID identity.
func ImportID(ctx context.Context, from *tfsdk.ResourceIdentity, diags *diag.Diagnostics) string {
	var by ByID
	diags.Append(from.Get(ctx, &by)...)
	return by.ID.ValueString()
}

// SchemaByID returns the schema of ByID.
func SchemaByID(description string) identityschema.Schema {
	return Schema(map[string]string{"id": description})
}

// Schema returns an identity schema of string attributes that are required for import. descriptions maps attribute
// names to descriptions.
func Schema(descriptions map[string]string) identityschema.Schema {
	all := make(map[string]identityschema.Attribute, len(descriptions))
	for name, doc := range descriptions {
		all[name] = identityschema.StringAttribute{Description: doc, RequiredForImport: true}
	}
	return identityschema.Schema{Attributes: all}
}

// Save sets state and identity. If the resource has no identity schema, it sets only state.
func Save(
	ctx context.Context, state *tfsdk.State, to *tfsdk.ResourceIdentity, model, identity any, diags *diag.Diagnostics,
) {
	diags.Append(state.Set(ctx, model)...)
	Set(ctx, to, identity, diags)
}

// Set sets the identity, unless the resource has no identity schema.
func Set(ctx context.Context, to *tfsdk.ResourceIdentity, identity any, diags *diag.Diagnostics) {
	if to != nil {
		diags.Append(to.Set(ctx, identity)...)
	}
}
