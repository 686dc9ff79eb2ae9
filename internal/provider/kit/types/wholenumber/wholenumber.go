// Package wholenumber provides an integer type that reports a fraction as an attribute error. The framework's Int64
// would report a provider bug.
package wholenumber

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	_ basetypes.Int64Typable      = Type{}
	_ basetypes.Int64Valuable     = Value{}
	_ xattr.ValidateableAttribute = Value{}
)

// Type is the CustomType of an Int64Attribute.
type Type struct{ basetypes.Int64Type }

// Equal reports whether o is a wholenumber.Type.
func (t Type) Equal(o attr.Type) bool {
	other, ok := o.(Type)
	return ok && t.Int64Type.Equal(other.Int64Type)
}

// String returns the type name.
func (t Type) String() string { return "wholenumber.Type" }

// ValueType returns the value type.
func (t Type) ValueType(context.Context) attr.Value { return Value{} }

// ValueFromInt64 converts a framework value.
func (t Type) ValueFromInt64(_ context.Context, in basetypes.Int64Value) (basetypes.Int64Valuable, diag.Diagnostics) {
	return Value{Int64Value: in}, nil
}

// ValueFromTerraform accepts any number. ValidateAttribute rejects fractions.
func (t Type) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if in.IsKnown() && !in.IsNull() {
		var n big.Float
		if err := in.As(&n); err != nil {
			return nil, err
		}
		if !n.IsInt() {
			whole, _ := n.Int64() // unused for fractions, because validation rejects them
			return Value{Int64Value: basetypes.NewInt64Value(whole), fraction: n.Text('g', -1)}, nil
		}
	}
	value, err := t.Int64Type.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	whole, ok := value.(basetypes.Int64Value)
	if !ok {
		return nil, fmt.Errorf("unexpected value %T", value)
	}
	return Value{Int64Value: whole}, nil
}

// Value is an integer. Before it is validated, it can be a fraction.
type Value struct {
	basetypes.Int64Value

	fraction string // the original text if the value is a fraction, or empty
}

// Of returns a known value.
func Of(n int64) Value { return Value{Int64Value: basetypes.NewInt64Value(n)} }

// Type returns the wholenumber type.
func (v Value) Type(context.Context) attr.Type { return Type{} }

// Equal reports whether o is the same number.
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.fraction == other.fraction && v.Int64Value.Equal(other.Int64Value)
}

// ValidateAttribute rejects a fraction.
func (v Value) ValidateAttribute(
	_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse,
) {
	if v.fraction != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Whole Number Required",
			fmt.Sprintf("%s must be a whole number, got %s.", req.Path, v.fraction))
	}
}
