package calculator

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// Functions returns the constructors of the calculators' functions.
func Functions() []func() function.Function {
	var all []func() function.Function
	for _, c := range registry.Calculators() {
		if c.Function != "" {
			all = append(all, func() function.Function { return calculatorFunction{c} })
		}
	}
	return all
}

type calculatorFunction struct{ calculator *calculator.Calculator }

// Metadata sets the function name.
func (f calculatorFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.calculator.Function
}

// Definition sets the function definition. The only parameter is dynamic, because object parameters do not support
// optional attributes.
func (f calculatorFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary:             f.calculator.Summary,
		MarkdownDescription: f.calculator.Description + "\n\n" + documentation(f.calculator),
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "input",
				MarkdownDescription: "Object with the input attributes listed above. Optional attributes can be " +
					"omitted or null.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: ObjectType(f.calculator.Results()).AttrTypes},
	}
}

// Run computes the result.
func (f calculatorFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument types.Dynamic
	resp.Error = req.Arguments.Get(ctx, &argument)
	if resp.Error != nil {
		return
	}
	input, err := object(ctx, argument)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	results, err := f.calculator.EvaluateContext(ctx, input)
	problems, invalid := errors.AsType[plan.InputErrors](err)
	switch {
	case invalid:
		resp.Error = function.NewArgumentFuncError(0, problems.Error())
		return
	case err != nil:
		resp.Error = function.NewFuncError(bugText(err))
		return
	}
	result, err := ObjectValue(ctx, f.calculator.Results(), results)
	if err != nil {
		resp.Error = function.NewFuncError(bugText(err))
		return
	}
	resp.Error = resp.Result.Set(ctx, result)
}

// object converts a dynamic argument, which is either an object or a map, to a map of its attributes or elements.
func object(ctx context.Context, argument types.Dynamic) (map[string]any, error) {
	errNotObject := errors.New("must be an object")
	if argument.IsNull() || argument.UnderlyingValue() == nil || argument.IsUnderlyingValueNull() {
		return nil, errNotObject
	}
	value, err := argument.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return nil, errNotObject
	}
	input, err := toPlainMap(value)
	if err != nil {
		return nil, errNotObject
	}
	return input, nil
}

// documentation lists the input and result attributes, because the signature does not show them.
func documentation(c *calculator.Calculator) string {
	lines := func(fields []calculator.Field, line func(calculator.Field) string) string {
		all := make([]string, len(fields))
		for i, f := range fields {
			all[i] = line(f)
		}
		slices.Sort(all)
		return strings.Join(all, "\n")
	}
	return "Input attributes:\n\n" + lines(c.Inputs(), func(f calculator.Field) string {
		if f.Required {
			return "- `" + f.Name + "` (required): " + f.Documentation()
		}
		return "- `" + f.Name + "`: " + f.Documentation()
	}) + "\n\nResult attributes:\n\n" + lines(c.Results(), func(f calculator.Field) string {
		return "- `" + f.Name + "`: " + f.Documentation()
	})
}
