package calculator

import (
	"context"
	"fmt"

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

// usage is the documentation of an attribute and whether it is an argument or a result. An optional object can contain
// computed attributes without being computed itself.
type usage struct {
	doc      string
	required bool
	optional bool
	computed bool
}

func attributeOf(f calculator.Field) schema.Attribute {
	u := usage{f.Documentation(), f.Required, f.Input && !f.Required, f.Result}
	switch f.Kind {
	case calculator.Number:
		return number(f, u)
	case calculator.Integer:
		return schema.Int64Attribute{
			MarkdownDescription: u.doc,
			Required:            u.required,
			Optional:            u.optional,
			Computed:            u.computed,
		}
	case calculator.Bool:
		return schema.BoolAttribute{
			MarkdownDescription: u.doc,
			Required:            u.required,
			Optional:            u.optional,
			Computed:            u.computed,
		}
	case calculator.Text:
		return text(f, u)
	case calculator.Numbers, calculator.Texts:
		return list(f, u)
	case calculator.NumberMap, calculator.TextMap:
		return mapOf(f, u)
	default:
		return nested(f, u)
	}
}

func number(f calculator.Field, u usage) schema.Attribute {
	a := schema.Float64Attribute{
		MarkdownDescription: u.doc,
		Required:            u.required,
		Optional:            u.optional,
		Computed:            u.computed,
	}
	if f.Input && f.Range != nil {
		a.CustomType = anynumber.Type{}
		a.Validators = []validator.Float64{attribute.InRange(*f.Range)}
	}
	return a
}

func text(f calculator.Field, u usage) schema.Attribute {
	a := schema.StringAttribute{
		MarkdownDescription: u.doc,
		Required:            u.required,
		Optional:            u.optional,
		Computed:            u.computed,
	}
	if f.Input && len(f.OneOf) > 0 {
		a.Validators = []validator.String{stringvalidator.OneOf(f.OneOf...)}
	}
	return a
}

func list(f calculator.Field, u usage) schema.Attribute {
	a := schema.ListAttribute{
		MarkdownDescription: u.doc,
		Required:            u.required,
		Optional:            u.optional,
		Computed:            u.computed,
		ElementType:         types.StringType,
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
		MarkdownDescription: u.doc,
		Required:            u.required,
		Optional:            u.optional,
		Computed:            u.computed,
		ElementType:         types.StringType,
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
			MarkdownDescription: u.doc,
			Required:            u.required,
			Optional:            u.optional,
			Computed:            u.computed,
			NestedObject:        schema.NestedAttributeObject{Attributes: members},
		}
	case calculator.ObjectList:
		return schema.ListNestedAttribute{
			MarkdownDescription: u.doc,
			Required:            u.required,
			Optional:            u.optional,
			Computed:            u.computed,
			NestedObject:        schema.NestedAttributeObject{Attributes: members},
		}
	default:
		return schema.SingleNestedAttribute{
			MarkdownDescription: u.doc,
			Required:            u.required,
			Optional:            u.optional,
			Computed:            u.computed,
			Attributes:          members,
		}
	}
}

func typeOf(f calculator.Field) attr.Type { return attributeOf(f).GetType() }

// complete returns config with the results filled in. Configured values keep their full precision.
func complete(
	ctx context.Context, fields []calculator.Field, t tftypes.Type, config map[string]tftypes.Value,
	results map[string]any,
) (tftypes.Value, error) {
	values := make(map[string]tftypes.Value, len(fields))
	for _, f := range fields {
		var err error
		configured := config[f.Name]
		result := results[f.Name]
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
		elements[key], err = complete(ctx, f.Fields, e.Type(), members, computed)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("element %q: %w", key, err)
		}
	}
	return tftypes.NewValue(configured.Type(), elements), nil
}
