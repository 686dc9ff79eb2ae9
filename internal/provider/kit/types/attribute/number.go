// Package attribute provides schema attributes and values shared by data sources: numbers with a valid range of the
// planning core, object ids, and lists and maps of Go values.
package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-vsla/internal/plan"
)

// InvalidInput is the summary of diagnostics about numbers out of range.
const InvalidInput = "Invalid Calculator Input"

// InRange returns a validator that checks the range of a number.
func InRange(r plan.Range) validator.Float64 { return inRange{r} }

// WholeInRange returns a validator that checks the range of an integer.
func WholeInRange(r plan.Range) validator.Int64 {
	return int64validator.Between(int64(r.Min), int64(r.Max))
}

type inRange struct{ r plan.Range }

// Description returns the range.
func (v inRange) Description(context.Context) string { return "value must be " + v.r.String() }

// MarkdownDescription returns the same text.
func (v inRange) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateFloat64 checks the range of a known value.
func (v inRange) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.r.Check(req.ConfigValue.ValueFloat64()); err != nil {
		resp.Diagnostics.AddAttributeError(Anchor(req.Path), InvalidInput, req.Path.String()+" "+err.Error())
	}
}

// Optional returns an optional number. The description includes its range.
func Optional(r plan.Range, doc string) schema.Float64Attribute {
	return schema.Float64Attribute{
		MarkdownDescription: doc + " Must be " + r.String() + ".", Optional: true,
		Validators: []validator.Float64{inRange{r}},
	}
}

// Either returns a number that is optional and computed.
func Either(r plan.Range, doc string) schema.Float64Attribute {
	a := Optional(r, doc)
	a.Computed = true
	return a
}

// Output returns a computed number.
func Output(doc string) schema.Float64Attribute {
	return schema.Float64Attribute{MarkdownDescription: doc, Computed: true}
}
