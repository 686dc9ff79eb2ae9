package calculator

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/plan/calculator"
)

// toPlain converts a value to the types that encoding/json uses. Numbers that do not fit into float64 become infinite.
func toPlain(v tftypes.Value) (any, error) {
	switch {
	case v.IsNull():
		return nil, nil //nolint:nilnil // null is a valid value
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
	var elements []tftypes.Value
	if v.As(&elements) == nil {
		plain := make([]any, len(elements))
		for i, e := range elements {
			var err error
			plain[i], err = toPlain(e)
			if err != nil {
				return nil, err
			}
		}
		return plain, nil
	}
	return toPlainMap(v)
}

func toPlainMap(v tftypes.Value) (map[string]any, error) {
	var members map[string]tftypes.Value
	if err := v.As(&members); err != nil {
		return nil, err
	}
	plain := make(map[string]any, len(members))
	for key, e := range members {
		var err error
		plain[key], err = toPlain(e)
		if err != nil {
			return nil, err
		}
	}
	return plain, nil
}

func fromPlain(v any, t tftypes.Type) (tftypes.Value, error) {
	if v == nil {
		return tftypes.NewValue(t, nil), nil
	}
	switch v := v.(type) {
	case float64:
		return tftypes.NewValue(t, big.NewFloat(v)), nil
	case []any:
		return fromPlainList(v, t)
	case map[string]any:
		return fromPlainMap(v, t)
	}
	return tftypes.NewValue(t, v), nil
}

func fromPlainList(list []any, t tftypes.Type) (tftypes.Value, error) {
	target, ok := t.(tftypes.List)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("unexpected list for the type %s", t)
	}
	elements := make([]tftypes.Value, len(list))
	for i, e := range list {
		var err error
		elements[i], err = fromPlain(e, target.ElementType)
		if err != nil {
			return tftypes.Value{}, err
		}
	}
	return tftypes.NewValue(t, elements), nil
}

func fromPlainMap(m map[string]any, t tftypes.Type) (tftypes.Value, error) {
	elements := make(map[string]tftypes.Value, len(m))
	switch target := t.(type) {
	case tftypes.Map:
		for key, e := range m {
			var err error
			elements[key], err = fromPlain(e, target.ElementType)
			if err != nil {
				return tftypes.Value{}, err
			}
		}
	case tftypes.Object:
		for name, member := range target.AttributeTypes {
			var err error
			elements[name], err = fromPlain(m[name], member)
			if err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}
		}
	default:
		return tftypes.Value{}, fmt.Errorf("unexpected object for the type %s", t)
	}
	return tftypes.NewValue(t, elements), nil
}

// ObjectType returns the object type that corresponds to the fields.
func ObjectType(fields []calculator.Field) types.ObjectType {
	members := make(map[string]attr.Type, len(fields))
	for _, f := range fields {
		members[f.Name] = typeOf(f)
	}
	return types.ObjectType{AttrTypes: members}
}

// ObjectValue converts plain values to an object with the given fields.
func ObjectValue(ctx context.Context, fields []calculator.Field, values map[string]any) (attr.Value, error) {
	t := ObjectType(fields)
	v, err := fromPlainMap(values, t.TerraformType(ctx))
	if err != nil {
		return nil, err
	}
	return t.ValueFromTerraform(ctx, v)
}
