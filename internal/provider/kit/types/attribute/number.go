// Package attribute builds schema attributes and values that several data sources share: numbers with a range of the
// planning core, so that `terraform validate` finds what it would refuse, and lists and maps of plain Go values.
package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
)

// InvalidInput is the summary of every error about a number that is out of its range.
const InvalidInput = "Invalid Calculator Input"

// InRange returns a validator for a number that is known.
func InRange(r plan.Range) validator.Float64 { return inRange{r} }

// WholeInRange returns a validator for a whole number that is known.
func WholeInRange(r plan.Range) validator.Int64 {
	return int64validator.Between(int64(r.Min), int64(r.Max))
}

type inRange struct{ r plan.Range }

// Description returns the range.
func (v inRange) Description(context.Context) string { return "value must be " + v.r.String() }

// MarkdownDescription is the same text.
func (v inRange) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateFloat64 checks a value that is known.
func (v inRange) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.r.Check(req.ConfigValue.ValueFloat64()); err != nil {
		resp.Diagnostics.AddAttributeError(Anchor(req.Path), InvalidInput, req.Path.String()+" "+err.Error())
	}
}

// Optional is an input that may be left out. Its documentation ends with the range.
func Optional(r plan.Range, doc string) schema.Float64Attribute {
	return schema.Float64Attribute{
		MarkdownDescription: doc + " Must be " + r.String() + ".", Optional: true,
		Validators: []validator.Float64{inRange{r}},
	}
}

// Either is a number that may be given, and is computed when it is not.
func Either(r plan.Range, doc string) schema.Float64Attribute {
	a := Optional(r, doc)
	a.Computed = true
	return a
}

// Output is a number of the result.
func Output(doc string) schema.Float64Attribute {
	return schema.Float64Attribute{MarkdownDescription: doc, Computed: true}
}

// Text is a text of the result.
func Text(doc string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
}

// Whole is a whole number of the result.
func Whole(doc string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Computed: true}
}

// Truth is a boolean of the result.
func Truth(doc string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Computed: true}
}

// Texts is a list of texts of the result.
func Texts(doc string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}
