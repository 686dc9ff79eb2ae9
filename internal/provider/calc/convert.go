// Conversion of what an object literal holds into the types of a schema. Terraform does this for the arguments of a
// data source, but not inside a dynamic parameter, where a list arrives as a tuple and a map as an object.

package calc

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// members returns the attributes of the object, or the elements of the map, that a dynamic argument holds.
func members(ctx context.Context, input types.Dynamic) (map[string]tftypes.Value, error) {
	wrong := errors.New("must be an object")
	if input.IsNull() || input.UnderlyingValue() == nil || input.IsUnderlyingValueNull() {
		return nil, wrong
	}
	value, err := input.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return nil, wrong
	}
	given := make(map[string]tftypes.Value)
	if err := value.As(&given); err != nil {
		return nil, wrong
	}
	return given, nil
}

// convert returns the value in the target type, by the rules by which Terraform converts arguments.
func convert(value tftypes.Value, target tftypes.Type) (tftypes.Value, error) {
	switch {
	case value.IsNull():
		return tftypes.NewValue(target, nil), nil
	case value.Type().Equal(target):
		return value, nil
	}
	switch t := target.(type) {
	case tftypes.List:
		return convertList(value, t)
	case tftypes.Map:
		return convertMap(value, t)
	case tftypes.Object:
		return convertObject(value, t)
	default:
		return convertPrimitive(value, target)
	}
}

func convertPrimitive(value tftypes.Value, target tftypes.Type) (tftypes.Value, error) {
	var text string
	switch {
	case target.Is(tftypes.Number) && value.Type().Is(tftypes.String) && value.As(&text) == nil:
		if n, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven); err == nil && !n.IsInf() {
			return tftypes.NewValue(target, n), nil
		}
		return tftypes.Value{}, fmt.Errorf("a number is required, and %q is none", text)
	case target.Is(tftypes.Bool) && value.Type().Is(tftypes.String) && value.As(&text) == nil && (text == "true" || text == "false"):
		return tftypes.NewValue(target, text == "true"), nil
	}
	return tftypes.Value{}, fmt.Errorf("%s is required", typeName(target))
}

func convertList(value tftypes.Value, target tftypes.List) (tftypes.Value, error) {
	var elements []tftypes.Value
	if err := value.As(&elements); err != nil {
		return tftypes.Value{}, fmt.Errorf("%s is required", typeName(target))
	}
	converted := make([]tftypes.Value, len(elements))
	for i, e := range elements {
		var err error
		if converted[i], err = convert(e, target.ElementType); err != nil {
			return tftypes.Value{}, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return tftypes.NewValue(target, converted), nil
}

func convertMap(value tftypes.Value, target tftypes.Map) (tftypes.Value, error) {
	var elements map[string]tftypes.Value
	if err := value.As(&elements); err != nil {
		return tftypes.Value{}, fmt.Errorf("%s is required", typeName(target))
	}
	converted := make(map[string]tftypes.Value, len(elements))
	for key, e := range elements {
		var err error
		if converted[key], err = convert(e, target.ElementType); err != nil {
			return tftypes.Value{}, fmt.Errorf("element %q: %w", key, err)
		}
	}
	return tftypes.NewValue(target, converted), nil
}

// convertObject fills attributes that are left out with null; whether one is required is for the calculator to say.
func convertObject(value tftypes.Value, target tftypes.Object) (tftypes.Value, error) {
	var given map[string]tftypes.Value
	if err := value.As(&given); err != nil {
		return tftypes.Value{}, fmt.Errorf("%s is required", typeName(target))
	}
	converted := make(map[string]tftypes.Value, len(target.AttributeTypes))
	for name, t := range target.AttributeTypes {
		e, ok := given[name]
		if !ok {
			e = tftypes.NewValue(t, nil)
		}
		var err error
		if converted[name], err = convert(e, t); err != nil {
			return tftypes.Value{}, fmt.Errorf("attribute %q: %w", name, err)
		}
	}
	for name := range given {
		if _, ok := target.AttributeTypes[name]; !ok {
			return tftypes.Value{}, fmt.Errorf("there is no attribute %q", name)
		}
	}
	return tftypes.NewValue(target, converted), nil
}

func typeName(t tftypes.Type) string {
	switch {
	case t.Is(tftypes.Number):
		return "a number"
	case t.Is(tftypes.String):
		return "a string"
	case t.Is(tftypes.Bool):
		return "true or false"
	case t.Is(tftypes.List{}):
		return "a list"
	case t.Is(tftypes.Map{}):
		return "a map"
	default:
		return "an object"
	}
}
