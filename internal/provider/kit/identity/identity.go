// Package identity is what resources share that have an identity: the schema of those known by one id, and the stream
// of a listing. Cores before Terraform 1.12 keep no identity and send none, so it must follow from state alone, and
// Read and Update have to set it as well.
package identity

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ByID is the identity of what vCenter knows by one id.
type ByID struct {
	ID types.String `tfsdk:"id"`
}

// ImportID returns the id in an identity that is a ByID.
func ImportID(ctx context.Context, from *tfsdk.ResourceIdentity, diags *diag.Diagnostics) string {
	var by ByID
	diags.Append(from.Get(ctx, &by)...)
	return by.ID.ValueString()
}

// SchemaByID is the schema of ByID.
func SchemaByID(description string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{Description: description, RequiredForImport: true},
	}}
}

// Save sets state and identity. The framework keeps a resource without identity as it is.
func Save(
	ctx context.Context,
	state *tfsdk.State,
	to *tfsdk.ResourceIdentity,
	model, identity any,
	diags *diag.Diagnostics,
) {
	diags.Append(state.Set(ctx, model)...)
	Set(ctx, to, identity, diags)
}

// Set sets an identity.
func Set(ctx context.Context, to *tfsdk.ResourceIdentity, identity any, diags *diag.Diagnostics) {
	if to != nil {
		diags.Append(to.Set(ctx, identity)...)
	}
}

// Listed is one result of a listing.
type Listed struct {
	Name string
	// Identity and Resource are models.
	Identity, Resource any
}

// Stream sends items as results, as many as are asked for.
func Stream[T any](
	ctx context.Context,
	req list.ListRequest,
	stream *list.ListResultsStream,
	items []T,
	describe func(T) Listed,
) {
	stream.Results = func(push func(list.ListResult) bool) {
		for i, item := range items {
			if req.Limit > 0 && int64(i) >= req.Limit {
				return
			}
			listed := describe(item)
			result := req.NewListResult(ctx)
			result.DisplayName = listed.Name
			result.Diagnostics.Append(result.Identity.Set(ctx, listed.Identity)...)
			if req.IncludeResource {
				result.Diagnostics.Append(result.Resource.Set(ctx, listed.Resource)...)
			}
			if !push(result) {
				return
			}
		}
	}
}
