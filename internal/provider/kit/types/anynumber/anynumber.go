// Package anynumber provides a number type that accepts 1e999 as infinity, so that validation can report the valid
// range. For such numbers, the framework's Float64 reports a provider bug.
package anynumber

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	_ basetypes.Float64Typable  = Type{}
	_ basetypes.Float64Valuable = Value{}
)

// Type is the CustomType of a Float64Attribute.
type Type struct{ basetypes.Float64Type }

// Equal reports whether o is an anynumber.Type.
func (t Type) Equal(o attr.Type) bool {
	other, ok := o.(Type)
	return ok && t.Float64Type.Equal(other.Float64Type)
}

// String returns the type name.
func (t Type) String() string { return "anynumber.Type" }

// ValueType returns the value type.
func (t Type) ValueType(context.Context) attr.Value { return Value{} }

// Validate accepts any number. The framework's implementation would report a provider bug for numbers that do not fit
// into float64.
func (t Type) Validate(context.Context, tftypes.Value, path.Path) diag.Diagnostics { return nil }

// ValueFromFloat64 converts a framework value.
func (t Type) ValueFromFloat64(
	_ context.Context, in basetypes.Float64Value,
) (basetypes.Float64Valuable, diag.Diagnostics) {
	return Value{Float64Value: in}, nil
}

// ValueFromTerraform accepts any number. Numbers that do not fit into float64 become infinite or 0.
func (t Type) ValueFromTerraform(_ context.Context, in tftypes.Value) (attr.Value, error) {
	if in.IsKnown() && !in.IsNull() {
		var n big.Float
		if err := in.As(&n); err != nil {
			return nil, err
		}
		v, _ := n.Float64()
		return Value{Float64Value: basetypes.NewFloat64Value(v)}, nil
	}
	if in.IsNull() {
		return Value{Float64Value: basetypes.NewFloat64Null()}, nil
	}
	return Value{Float64Value: basetypes.NewFloat64Unknown()}, nil
}

// Value is a number.
type Value struct{ basetypes.Float64Value }

// Type returns the anynumber type.
func (v Value) Type(context.Context) attr.Type { return Type{} }

// Equal reports whether o is the same number.
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.Float64Value.Equal(other.Float64Value)
}

// Float64SemanticEquals reports whether other is the same number, possibly with a different precision.
func (v Value) Float64SemanticEquals(ctx context.Context, other basetypes.Float64Valuable) (bool, diag.Diagnostics) {
	plain, diags := other.ToFloat64Value(ctx)
	if diags.HasError() {
		return false, diags
	}
	return v.Float64Value.Float64SemanticEquals(ctx, plain)
}
