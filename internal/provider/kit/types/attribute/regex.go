package attribute

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Regex returns a validator that rejects invalid regular expressions.
func Regex() validator.String { return isRegex{} }

type isRegex struct{}

// Description describes the validation.
func (isRegex) Description(context.Context) string { return "value must be a valid regular expression" }

// MarkdownDescription returns the result of Description.
func (v isRegex) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString compiles the regular expression.
func (isRegex) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := regexp.Compile(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Regular Expression",
			"The value is not a valid regular expression: "+err.Error()+".")
	}
}
