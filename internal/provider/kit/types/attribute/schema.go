// Attributes of data sources: computed ones, and arguments with their validators.

package attribute

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Text returns a computed string.
func Text(doc string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
}

// RequiredText returns a required string with validators.
func RequiredText(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Required: true, Validators: valid}
}

// OptionalText returns an optional string with validators.
func OptionalText(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// EitherText returns an optional and computed string with validators.
func EitherText(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Optional: true, Computed: true, Validators: valid}
}

// Whole returns a computed integer.
func Whole(doc string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Computed: true}
}

// OptionalWhole returns an optional integer with validators.
func OptionalWhole(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// EitherWhole returns an optional and computed integer with validators.
func EitherWhole(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Optional: true, Computed: true, Validators: valid}
}

// Truth returns a computed bool.
func Truth(doc string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Computed: true}
}

// OptionalTruth returns an optional bool with validators.
func OptionalTruth(doc string, valid ...validator.Bool) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// EitherTruth returns an optional and computed bool with validators.
func EitherTruth(doc string, valid ...validator.Bool) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Optional: true, Computed: true, Validators: valid}
}

// Texts returns a computed list of strings.
func Texts(doc string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// RequiredTexts returns a required list of strings with validators.
func RequiredTexts(doc string, valid ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc, ElementType: types.StringType, Required: true, Validators: valid,
	}
}

// OptionalTexts returns an optional list of strings with validators.
func OptionalTexts(doc string, valid ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc, ElementType: types.StringType, Optional: true, Validators: valid,
	}
}

// TextMap returns a computed map of strings.
func TextMap(doc string) schema.MapAttribute {
	return schema.MapAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// Object returns a computed object.
func Object(doc string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{MarkdownDescription: doc, Computed: true, Attributes: attributes}
}

// Objects returns a computed map of objects.
func Objects(doc string, attributes map[string]schema.Attribute) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: doc, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}

// ObjectList returns a computed list of objects.
func ObjectList(doc string, attributes map[string]schema.Attribute) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: doc, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}
