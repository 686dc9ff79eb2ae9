// The function's door: an object in, of which optional attributes may be left out, and an object out.

package calc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

type calculatorFunction[M any] struct{ calculator Calculator[M] }

// NewFunction returns the function of a calculator.
func (c Calculator[M]) NewFunction() function.Function { return calculatorFunction[M]{c} }

// Metadata names the function.
func (f calculatorFunction[M]) Metadata(
	_ context.Context,
	_ function.MetadataRequest,
	resp *function.MetadataResponse,
) {
	resp.Name = f.calculator.Function
}

// Definition describes the function. Its one parameter is dynamic because Terraform's object parameters have no
// optional attributes.
func (f calculatorFunction[M]) Definition(
	_ context.Context,
	_ function.DefinitionRequest,
	resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary:             f.calculator.Summary,
		MarkdownDescription: f.calculator.Description + "\n\n" + f.calculator.attributeDocs(),
		Parameters: []function.Parameter{function.DynamicParameter{
			Name:                "input",
			MarkdownDescription: "Object with the input attributes listed above; optional ones may be left out or null.",
		}},
		Return: function.ObjectReturn{AttributeTypes: f.calculator.resultTypes()},
	}
}

// Run computes. It takes the same way as the data source: configuration, model, state.
func (f calculatorFunction[M]) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var input types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &input); resp.Error != nil {
		return
	}
	s := f.calculator.schema()
	given, err := members(ctx, input)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	raw, problems := f.calculator.configuration(ctx, given)
	if len(problems) > 0 {
		resp.Error = function.NewArgumentFuncError(0, strings.Join(problems, "\n"))
		return
	}
	var m M
	config := tfsdk.Config{Schema: s, Raw: raw}
	if diags := config.Get(ctx, &m); diags.HasError() {
		resp.Error = function.NewArgumentFuncError(0, joined(diags))
		return
	}
	if err := f.calculator.Compute(&m); err != nil {
		list, bug := inputErrors(err)
		if bug != nil {
			resp.Error = function.NewFuncError(bug.Error())
			return
		}
		for _, e := range list {
			problems = append(problems, e.Path.String()+" "+e.Reason)
		}
		resp.Error = function.NewArgumentFuncError(0, strings.Join(problems, "\n"))
		return
	}
	state := tfsdk.State{Schema: s, Raw: raw}
	diags := state.Set(ctx, m)
	result := make(map[string]attr.Value)
	for name, t := range f.calculator.resultTypes() {
		value, err := resultValue(ctx, state.Raw, name, t)
		if err != nil {
			diags.AddError("Unable to Read Result", err.Error())
			continue
		}
		result[name] = value
	}
	object, d := types.ObjectValue(f.calculator.resultTypes(), result)
	diags.Append(d...)
	if diags.HasError() {
		resp.Error = function.NewFuncError(joined(diags))
		return
	}
	resp.Error = resp.Result.Set(ctx, object)
}

// configuration turns attributes, which it uses up, into what the data source would get from a configuration with them.
func (c Calculator[M]) configuration(ctx context.Context, given map[string]tftypes.Value) (tftypes.Value, []string) {
	schemaType := c.schema().Type().TerraformType(ctx)
	target, ok := schemaType.(tftypes.Object)
	if !ok {
		return tftypes.Value{}, []string{"the schema is not an object"}
	}
	var problems []string
	values := make(map[string]tftypes.Value, len(target.AttributeTypes))
	for name, a := range c.Attributes {
		t := target.AttributeTypes[name]
		values[name] = tftypes.NewValue(t, nil)
		value, ok := given[name]
		delete(given, name)
		switch {
		case ok && !isInput(a):
			problems = append(problems, fmt.Sprintf("attribute %q is part of the result and cannot be given", name))
		case (!ok || value.IsNull()) && a.IsRequired():
			problems = append(problems, fmt.Sprintf("attribute %q is required", name))
		case ok:
			converted, err := convert(value, t)
			if err != nil {
				problems = append(problems, fmt.Sprintf("attribute %q: %v", name, err))
				continue
			}
			values[name] = converted
		}
	}
	for name := range given {
		problems = append(
			problems,
			fmt.Sprintf("there is no attribute %q; the attributes are %s", name, strings.Join(c.inputNames(), ", ")),
		)
	}
	slices.Sort(problems)
	return tftypes.NewValue(target, values), problems
}

func (c Calculator[M]) inputNames() []string {
	var names []string
	for name, a := range c.Attributes {
		if isInput(a) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isInput reports whether an attribute may be given. What may be given or computed is in the result as well.
func isInput(a schema.Attribute) bool { return a.IsRequired() || a.IsOptional() }

// isResult reports whether an attribute is computed, itself or a part of it.
func isResult(a schema.Attribute) bool {
	if nested, ok := a.(schema.MapNestedAttribute); ok {
		for _, member := range nested.NestedObject.Attributes {
			if isResult(member) {
				return true
			}
		}
	}
	return a.IsComputed()
}

func (c Calculator[M]) resultTypes() map[string]attr.Type {
	result := make(map[string]attr.Type)
	for name, a := range c.Attributes {
		if isResult(a) {
			result[name] = a.GetType()
		}
	}
	return result
}

func resultValue(ctx context.Context, raw tftypes.Value, name string, t attr.Type) (attr.Value, error) {
	found, _, err := tftypes.WalkAttributePath(raw, tftypes.NewAttributePath().WithAttributeName(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	value, ok := found.(tftypes.Value)
	if !ok {
		return nil, fmt.Errorf("%s: unexpected %T", name, found)
	}
	return t.ValueFromTerraform(ctx, value)
}

// attributeDocs lists input and result, because a function's own documentation shows no more than "object".
func (c Calculator[M]) attributeDocs() string {
	var input, result []string
	for name, a := range c.Attributes {
		line := "- `" + name + "`"
		if isResult(a) {
			result = append(result, line+": "+a.GetMarkdownDescription())
		}
		switch {
		case !isInput(a):
		case a.IsRequired():
			input = append(input, line+" (required): "+a.GetMarkdownDescription())
		default:
			input = append(input, line+": "+a.GetMarkdownDescription())
		}
	}
	slices.Sort(input)
	slices.Sort(result)
	return "Input attributes:\n\n" + strings.Join(input, "\n") + "\n\nResult attributes:\n\n" + strings.Join(result, "\n")
}

func joined(diags diag.Diagnostics) string {
	var lines []string
	for _, d := range diags.Errors() {
		lines = append(lines, d.Detail())
	}
	return strings.Join(lines, "\n")
}
