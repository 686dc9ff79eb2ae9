// Package managed provides schema attributes of resources.
package managed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Required returns a required string with validators.
func Required(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Required: true, Validators: valid}
}

// Fixed returns a required string. Changing it replaces the resource.
func Fixed(doc string, valid ...validator.String) schema.StringAttribute {
	a := Required(doc+" Changing this forces a new resource.", valid...)
	a.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return a
}

// Optional returns an optional string with validators.
func Optional(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// Default returns an optional string with a default and validators.
func Default(doc, value string, valid ...validator.String) schema.StringAttribute {
	a := Optional(doc, valid...)
	a.Computed, a.Default = true, stringdefault.StaticString(value)
	return a
}

// Flag returns an optional bool with a default.
func Flag(doc string, value bool) schema.BoolAttribute {
	return schema.BoolAttribute{
		MarkdownDescription: doc, Optional: true, Computed: true, Default: booldefault.StaticBool(value),
	}
}

// Off returns an optional bool that is false by default.
func Off(doc string) schema.BoolAttribute { return Flag(doc+" Defaults to `false`.", false) }

// OptionalFlag returns an optional bool.
func OptionalFlag(doc string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Optional: true}
}

// RequiredWhole returns a required integer with validators.
func RequiredWhole(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Required: true, Validators: valid}
}

// OptionalWhole returns an optional integer with validators.
func OptionalWhole(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// Text returns a computed string.
func Text(doc string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
}

// Kept returns a computed string that does not change in an update.
func Kept(doc string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: doc, Computed: true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// RequiredTexts returns a required list of strings with validators.
func RequiredTexts(doc string, valid ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc, ElementType: types.StringType, Required: true, Validators: valid,
	}
}

// Texts returns a computed list of strings.
func Texts(doc string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// TextMap returns a computed map of strings.
func TextMap(doc string) schema.MapAttribute {
	return schema.MapAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// Timeouts returns the time limits of a resource.
func Timeouts(ctx context.Context, doc string, options timeouts.Opts) schema.Attribute {
	all := timeouts.Attributes(ctx, options)
	if nested, ok := all.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = doc
		return nested
	}
	return all
}
