// What every calculator says beside its numbers: reasons, explanations and a summary.

package calc

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
)

// Explanation is the part of each model for the attributes that Explained adds; embed it.
type Explanation struct {
	Reasons      types.List   `tfsdk:"reasons"`
	Explanations types.List   `tfsdk:"explanations"`
	Summary      types.String `tfsdk:"summary"`
}

// Explain fills it.
func (e *Explanation) Explain(findings []plan.Finding, summary string) {
	e.Reasons = Strings(plan.Codes(findings))
	e.Explanations = Strings(plan.Sentences(findings))
	e.Summary = types.StringValue(summary)
}

// Explained are the attributes that every calculator has beside its numbers: reasons, explanations and summary. codes
// names the reasons.
func Explained(attributes map[string]schema.Attribute, codes string) map[string]schema.Attribute {
	attributes["reasons"] = schema.ListAttribute{
		MarkdownDescription: "Sorted codes of what a reader or a policy should know, each a fact of its own: " + codes + ".",
		ElementType:         types.StringType, Computed: true,
	}
	attributes["explanations"] = schema.ListAttribute{
		MarkdownDescription: "One sentence with the numbers for each of `reasons`, in the same order.",
		ElementType:         types.StringType,
		Computed:            true,
	}
	attributes["summary"] = schema.StringAttribute{
		MarkdownDescription: "The result in words with the numbers, for reviews and error messages.", Computed: true,
	}
	return attributes
}
