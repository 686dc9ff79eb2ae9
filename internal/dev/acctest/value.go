package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"
)

// Object returns an object of a schema's type. Attributes that are not given are null.
func Object(t *testing.T, schema *tfprotov6.Schema, attributes map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	value := newObject(t, schema.ValueType(), attributes)
	dynamic, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
	require.NoError(t, err)
	return &dynamic
}

// newObject returns an object of a type. Attributes that are not given are null.
func newObject(t *testing.T, typ tftypes.Type, attributes map[string]any) tftypes.Value {
	t.Helper()
	shape, ok := typ.(tftypes.Object)
	require.True(t, ok, "%s is not an object", typ)
	all := make(map[string]tftypes.Value, len(shape.AttributeTypes))
	for name, kind := range shape.AttributeTypes {
		all[name] = newValue(t, kind, attributes[name])
	}
	return tftypes.NewValue(typ, all)
}

// newValue converts a Go value. A map[string]any becomes an object or a map, depending on the type.
func newValue(t *testing.T, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	members, nested := v.(map[string]any)
	if !nested {
		return tftypes.NewValue(typ, v)
	}
	m, ok := typ.(tftypes.Map)
	if !ok {
		return newObject(t, typ, members)
	}
	all := make(map[string]tftypes.Value, len(members))
	for key, member := range members {
		all[key] = newValue(t, m.ElementType, member)
	}
	return tftypes.NewValue(typ, all)
}

// decodeObject returns the attributes of an object.
func decodeObject(t *testing.T, dynamic *tfprotov6.DynamicValue, typ tftypes.Type) map[string]tftypes.Value {
	t.Helper()
	value, err := dynamic.Unmarshal(typ)
	require.NoError(t, err)
	var values map[string]tftypes.Value
	require.NoError(t, value.As(&values))
	return values
}

// StringValue returns a string attribute of the result.
func StringValue(t *testing.T, values map[string]tftypes.Value, name string) string {
	t.Helper()
	var s string
	require.NoError(t, values[name].As(&s), name)
	return s
}
