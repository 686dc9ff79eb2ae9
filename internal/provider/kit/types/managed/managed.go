// Package managed provides schema attributes for resources.
package managed

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// RequiredString returns a required string attribute with validators.
func RequiredString(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Required: true, Validators: valid}
}

// ForceNewString returns a required string attribute that forces a new resource when it changes.
func ForceNewString(doc string, valid ...validator.String) schema.StringAttribute {
	a := RequiredString(doc+" Changing this forces a new resource.", valid...)
	a.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return a
}

// OptionalString returns an optional string attribute with validators.
func OptionalString(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// DefaultString returns an optional string attribute with a default and validators.
func DefaultString(doc, value string, valid ...validator.String) schema.StringAttribute {
	a := OptionalString(doc, valid...)
	a.Computed = true
	a.Default = stringdefault.StaticString(value)
	return a
}

// DefaultBool returns an optional bool attribute with a default.
func DefaultBool(doc string, value bool) schema.BoolAttribute {
	return schema.BoolAttribute{
		MarkdownDescription: doc,
		Optional:            true,
		Computed:            true,
		Default:             booldefault.StaticBool(value),
	}
}

// DefaultFalse returns an optional bool attribute that is false by default.
func DefaultFalse(doc string) schema.BoolAttribute {
	return DefaultBool(doc+" Defaults to `false`.", false)
}

// OptionalBool returns an optional bool attribute.
func OptionalBool(doc string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Optional: true}
}

// RequiredInt64 returns a required integer attribute with validators.
func RequiredInt64(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Required: true, Validators: valid}
}

// OptionalInt64 returns an optional integer attribute with validators.
func OptionalInt64(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// String returns a computed string attribute.
func String(doc string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
}

// StableString returns a computed string attribute that keeps its value across updates.
func StableString(doc string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: doc,
		Computed:            true,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// RequiredStringList returns a required string list attribute with validators.
func RequiredStringList(doc string, valid ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc,
		ElementType:         types.StringType,
		Required:            true,
		Validators:          valid,
	}
}

// StringList returns a computed string list attribute.
func StringList(doc string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// StringMap returns a computed string map attribute.
func StringMap(doc string) schema.MapAttribute {
	return schema.MapAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// Timeouts returns the timeouts attribute of a resource.
func Timeouts(ctx context.Context, doc string, options timeouts.Opts) schema.Attribute {
	all := timeouts.Attributes(ctx, options)
	if nested, ok := all.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = doc
		for name, attribute := range nested.Attributes {
			if text, ok := attribute.(schema.StringAttribute); ok {
				text.Validators = append(text.Validators, positiveDuration{})
				nested.Attributes[name] = text
			}
		}
		return nested
	}
	return all
}

// positiveDuration rejects durations with which each operation would fail before it begins.
type positiveDuration struct{}

func (positiveDuration) Description(context.Context) string { return "must be positive" }

func (v positiveDuration) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (positiveDuration) ValidateString(
	_ context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
	if d, err := time.ParseDuration(req.ConfigValue.ValueString()); err == nil && d <= 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Timeout",
			fmt.Sprintf("%s is %s, but must be positive.", req.Path, req.ConfigValue.ValueString()))
	}
}
