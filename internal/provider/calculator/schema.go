package calculator

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/provider/kit/types/anynumber"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

// Attributes returns the schema attributes for the fields.
func Attributes(fields []calculator.Field) map[string]schema.Attribute {
	all := make(map[string]schema.Attribute, len(fields))
	for _, f := range fields {
		all[f.Name] = attributeOf(f)
	}
	return all
}

// An optional object can contain computed attributes without being computed itself.
type usage struct {
	doc                          string
	required, optional, computed bool
}

func attributeOf(f calculator.Field) schema.Attribute {
	u := usage{f.Documentation(), f.Required, f.Input && !f.Required, f.Result}
	switch f.Kind {
	case calculator.Number:
		return number(f, u)
	case calculator.Integer:
		return schema.Int64Attribute{
			MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
		}
	case calculator.Bool:
		return schema.BoolAttribute{
			MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
		}
	case calculator.Text:
		return text(f, u)
	case calculator.Numbers, calculator.Texts:
		return list(f, u)
	case calculator.NumberMap, calculator.TextMap:
		return mapOf(f, u)
	case calculator.NumberOrSpread:
		return schema.DynamicAttribute{
			MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
		}
	default:
		return nested(f, u)
	}
}

func number(f calculator.Field, u usage) schema.Attribute {
	a := schema.Float64Attribute{
		MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
	}
	if f.Input && f.Range != nil {
		a.CustomType = anynumber.Type{}
		a.Validators = []validator.Float64{attribute.InRange(*f.Range)}
	}
	return a
}

func text(f calculator.Field, u usage) schema.Attribute {
	a := schema.StringAttribute{
		MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
	}
	if f.Input && len(f.OneOf) > 0 {
		a.Validators = []validator.String{stringvalidator.OneOf(f.OneOf...)}
	}
	return a
}

func list(f calculator.Field, u usage) schema.Attribute {
	a := schema.ListAttribute{
		MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
		ElementType: types.StringType,
	}
	if f.Kind == calculator.Numbers {
		a.ElementType = types.Float64Type
		if f.Input && f.Range != nil {
			a.ElementType = anynumber.Type{}
			a.Validators = []validator.List{listvalidator.ValueFloat64sAre(attribute.InRange(*f.Range))}
		}
	}
	if f.Kind == calculator.Texts && f.Input && len(f.OneOf) > 0 {
		a.Validators = []validator.List{listvalidator.ValueStringsAre(stringvalidator.OneOf(f.OneOf...))}
	}
	return a
}

func mapOf(f calculator.Field, u usage) schema.Attribute {
	a := schema.MapAttribute{
		MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
		ElementType: types.StringType,
	}
	if f.Kind == calculator.NumberMap {
		a.ElementType = types.Float64Type
		if f.Input && f.Range != nil {
			a.ElementType = anynumber.Type{}
			a.Validators = []validator.Map{mapvalidator.ValueFloat64sAre(attribute.InRange(*f.Range))}
		}
	}
	return a
}

func nested(f calculator.Field, u usage) schema.Attribute {
	members := Attributes(f.Fields)
	switch f.Kind {
	case calculator.Objects:
		return schema.MapNestedAttribute{
			MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
			NestedObject: schema.NestedAttributeObject{Attributes: members},
		}
	case calculator.ObjectList:
		return schema.ListNestedAttribute{
			MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed,
			NestedObject: schema.NestedAttributeObject{Attributes: members},
		}
	default:
		return schema.SingleNestedAttribute{
			MarkdownDescription: u.doc, Required: u.required, Optional: u.optional, Computed: u.computed, Attributes: members,
		}
	}
}

func typeOf(f calculator.Field) attr.Type { return attributeOf(f).GetType() }

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
			if plain[i], err = toPlain(e); err != nil {
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
		if plain[key], err = toPlain(e); err != nil {
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
		if elements[i], err = fromPlain(e, target.ElementType); err != nil {
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
			if elements[key], err = fromPlain(e, target.ElementType); err != nil {
				return tftypes.Value{}, err
			}
		}
	case tftypes.Object:
		for name, member := range target.AttributeTypes {
			var err error
			if elements[name], err = fromPlain(m[name], member); err != nil {
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

// complete returns config with the results filled in. Configured values keep their full precision.
func complete(
	ctx context.Context, fields []calculator.Field, t tftypes.Type, config map[string]tftypes.Value,
	results map[string]any,
) (tftypes.Value, error) {
	values := make(map[string]tftypes.Value, len(fields))
	for _, f := range fields {
		var err error
		configured, result := config[f.Name], results[f.Name]
		switch {
		case f.Input && f.Kind == calculator.Objects && f.HasResult():
			values[f.Name], err = completeElements(ctx, f, configured, result)
		case f.Result && configured.IsNull():
			values[f.Name], err = fromPlain(result, typeOf(f).TerraformType(ctx))
		default:
			values[f.Name] = configured
		}
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return tftypes.NewValue(t, values), nil
}

func completeElements(
	ctx context.Context, f calculator.Field, configured tftypes.Value, result any,
) (tftypes.Value, error) {
	if configured.IsNull() {
		return configured, nil
	}
	var elements map[string]tftypes.Value
	if err := configured.As(&elements); err != nil {
		return tftypes.Value{}, err
	}
	results, _ := result.(map[string]any)
	for key, e := range elements {
		var members map[string]tftypes.Value
		if err := e.As(&members); err != nil {
			return tftypes.Value{}, err
		}
		computed, ok := results[key].(map[string]any)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("element %q has no result", key)
		}
		var err error
		if elements[key], err = complete(ctx, f.Fields, e.Type(), members, computed); err != nil {
			return tftypes.Value{}, fmt.Errorf("element %q: %w", key, err)
		}
	}
	return tftypes.NewValue(configured.Type(), elements), nil
}
