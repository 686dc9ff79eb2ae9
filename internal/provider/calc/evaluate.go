// The third door, for programs that are not Terraform: plain values in and out, by the same schema and function.

package calc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Input describes an input attribute.
type Input struct {
	Name, Description string
	Required          bool
	// Simple inputs are numbers, strings and booleans; the others are lists and maps.
	Simple bool
}

// Inputs lists the input attributes by name, required ones first.
func (c Calculator[M]) Inputs() []Input {
	var inputs []Input
	for name, a := range c.Attributes {
		if !isInput(a) {
			continue
		}
		_, composed := a.GetType().(attr.TypeWithElementType)
		inputs = append(
			inputs,
			Input{Name: name, Description: a.GetMarkdownDescription(), Required: a.IsRequired(), Simple: !composed},
		)
	}
	slices.SortFunc(inputs, func(a, b Input) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return inputs
}

// Evaluate computes from the values of a JSON object (json.Number or float64 for numbers; text is converted as
// Terraform would) and returns the result's attributes in the same form. The error has a line for each thing that is
// wrong.
func (c Calculator[M]) Evaluate(ctx context.Context, input map[string]any) (map[string]any, error) {
	given := make(map[string]tftypes.Value, len(input))
	for name, v := range input {
		value, err := fromPlain(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		given[name] = value
	}
	raw, problems := c.configuration(ctx, given)
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "\n"))
	}
	var m M
	config := tfsdk.Config{Schema: c.schema(), Raw: raw}
	if diags := config.Get(ctx, &m); diags.HasError() {
		return nil, errors.New(joined(diags))
	}
	if err := c.Compute(&m); err != nil {
		return nil, err
	}
	state := tfsdk.State{Schema: c.schema(), Raw: raw}
	if diags := state.Set(ctx, m); diags.HasError() {
		return nil, errors.New(joined(diags))
	}
	var all map[string]tftypes.Value
	if err := state.Raw.As(&all); err != nil {
		return nil, err
	}
	result := make(map[string]any)
	for name := range c.resultTypes() {
		value, err := toPlain(all[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		result[name] = value
	}
	return result, nil
}

// fromPlain turns a decoded JSON value into Terraform's types.
func fromPlain(v any) (tftypes.Value, error) {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(tftypes.DynamicPseudoType, nil), nil
	case string:
		return tftypes.NewValue(tftypes.String, v), nil
	case bool:
		return tftypes.NewValue(tftypes.Bool, v), nil
	case float64:
		return tftypes.NewValue(tftypes.Number, big.NewFloat(v)), nil
	case json.Number:
		n, _, err := big.ParseFloat(v.String(), 10, 512, big.ToNearestEven)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%q is not a number", v)
		}
		return tftypes.NewValue(tftypes.Number, n), nil
	case []any:
		types, values := make([]tftypes.Type, len(v)), make([]tftypes.Value, len(v))
		for i, e := range v {
			value, err := fromPlain(e)
			if err != nil {
				return tftypes.Value{}, err
			}
			types[i], values[i] = value.Type(), value
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, values), nil
	case map[string]any:
		types, values := make(map[string]tftypes.Type, len(v)), make(map[string]tftypes.Value, len(v))
		for key, e := range v {
			value, err := fromPlain(e)
			if err != nil {
				return tftypes.Value{}, err
			}
			types[key], values[key] = value.Type(), value
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values), nil
	}
	return tftypes.Value{}, fmt.Errorf("a value of type %T is not JSON's", v)
}

// toPlain is the way back. Numbers are float64, null is nil.
func toPlain(v tftypes.Value) (any, error) {
	if v.IsNull() {
		return nil, nil //nolint:nilnil // null is a value
	}
	switch {
	case v.Type().Is(tftypes.Number):
		var n big.Float
		err := v.As(&n)
		f, _ := n.Float64()
		return f, err
	case v.Type().Is(tftypes.String):
		var s string
		err := v.As(&s)
		return s, err
	case v.Type().Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	}
	var list []tftypes.Value
	if v.As(&list) == nil {
		plain := make([]any, len(list))
		for i, e := range list {
			var err error
			if plain[i], err = toPlain(e); err != nil {
				return nil, err
			}
		}
		return plain, nil
	}
	var members map[string]tftypes.Value
	if err := v.As(&members); err != nil {
		return nil, err
	}
	plain := make(map[string]any, len(members))
	for key, e := range members {
		var err error
		if plain[key], err = toPlain(e); err != nil {
			return nil, err
		}
	}
	return plain, nil
}
