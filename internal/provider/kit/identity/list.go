package identity

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
)

// Listed is an item in a list result.
type Listed struct {
	Name string
	// Identity and Resource are Terraform models.
	Identity any
	Resource any
}

// Stream calls read and streams the items as list results, up to the requested limit. If read adds an error, Stream
// streams only the diagnostics. Without an error, it drops warnings.
func Stream[T any](
	ctx context.Context, req list.ListRequest, stream *list.ListResultsStream, read func(*diag.Diagnostics) []T,
	describe func(T) Listed,
) {
	var diags diag.Diagnostics
	items := read(&diags)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
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
