package calculator

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	u := usage{
		doc:      f.Documentation(),
		required: f.Required,
		optional: f.Input && !f.Required,
		computed: f.Result,
	}
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
	case calculator.Numbers:
		return numbers(f, u)
	case calculator.Texts:
		return texts(f, u)
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

func numbers(f calculator.Field, u usage) schema.Attribute {
	a := schema.ListAttribute{
		MarkdownDescription: u.doc,
		Required:            u.required,
		Optional:            u.optional,
		Computed:            u.computed,
		ElementType:         types.Float64Type,
	}
	if f.Input && f.Range != nil {
		a.ElementType = anynumber.Type{}
		a.Validators = []validator.List{listvalidator.ValueFloat64sAre(attribute.InRange(*f.Range))}
	}
	return a
}

func texts(f calculator.Field, u usage) schema.Attribute {
	a := schema.ListAttribute{
		MarkdownDescription: u.doc,
		Required:            u.required,
		Optional:            u.optional,
		Computed:            u.computed,
		ElementType:         types.StringType,
	}
	if f.Input && len(f.OneOf) > 0 {
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

// typeOf returns the type of a value, which depends on the kinds of the members of an object.
func typeOf(f calculator.Field) attr.Type { return attributeOf(f).GetType() }
