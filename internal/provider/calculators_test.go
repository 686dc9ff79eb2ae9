package provider_test

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// TestCalculators_interfacesAgree verifies that data sources and functions return what the calculator computes.
func TestCalculators_interfacesAgree(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	for _, c := range registry.Calculators() {
		if !c.NoDataSource {
			dataType := schemas.DataSourceSchemas[c.DataSource()].ValueType()
			agrees(t, c, c.DataSource(), func(t *rapid.T, input map[string]any) (map[string]tftypes.Value, string) {
				return read(t, server, c.DataSource(), dataType, typed(t, dataType, c, input))
			})
		}
		if c.Function != "" {
			resultType := schemas.Functions[c.Function].Return.Type
			agrees(t, c, c.Function, func(t *rapid.T, input map[string]any) (map[string]tftypes.Value, string) {
				return call(t, server, c.Function, resultType, dynamic(input))
			})
		}
	}
}

func agrees(
	t *testing.T, c *calculator.Calculator, name string,
	ask func(*rapid.T, map[string]any) (map[string]tftypes.Value, string),
) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		compared := 0
		rapid.Check(t, func(t *rapid.T) {
			input := usuallyValid(t, c)
			want, err := c.Evaluate(input)
			got, problem := ask(t, input)
			require.Equal(t, err == nil, problem == "", problem)
			if err != nil {
				return
			}
			compared++
			for result, v := range want {
				assert.Equal(t, withoutNulls(v), withoutNulls(plain(t, got[result])), result)
			}
		})
		assert.NotZero(t, compared, "got no valid input, want results to compare")
	})
}

// plain converts a value to the types that encoding/json uses.
func plain(t *rapid.T, v tftypes.Value) any {
	if v.IsNull() {
		return nil
	}
	var (
		number  big.Float
		text    string
		yes     bool
		list    []tftypes.Value
		members map[string]tftypes.Value
	)
	switch {
	case v.Type().Is(tftypes.Number):
		require.NoError(t, v.As(&number))
		n, _ := number.Float64()
		return n
	case v.Type().Is(tftypes.String):
		require.NoError(t, v.As(&text))
		return text
	case v.Type().Is(tftypes.Bool):
		require.NoError(t, v.As(&yes))
		return yes
	case v.As(&list) == nil:
		all := make([]any, len(list))
		for i, e := range list {
			all[i] = plain(t, e)
		}
		return all
	}
	require.NoError(t, v.As(&members))
	all := make(map[string]any, len(members))
	for name, e := range members {
		all[name] = plain(t, e)
	}
	return all
}

// withoutNulls removes members that are null, which calculators omit.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i, e := range v {
			all[i] = withoutNulls(e)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, e := range v {
			if e != nil {
				all[name] = withoutNulls(e)
			}
		}
		return all
	}
	return v
}

// usuallyValid tries up to 20 random inputs and returns the first valid one. If none is valid, it returns the
// calculator's example if that is JSON, or else another random input without checking it.
func usuallyValid(t *rapid.T, c *calculator.Calculator) map[string]any {
	drawn := plantest.Input(t, c)
	for range 20 {
		if _, err := c.Evaluate(drawn); err == nil {
			return drawn
		}
		drawn = plantest.Input(t, c)
	}
	if strings.HasPrefix(c.Example, "{") {
		clear(drawn)
		require.NoError(t, json.Unmarshal([]byte(c.Example), &drawn))
	}
	return drawn
}

func typed(t *rapid.T, dataType tftypes.Type, c *calculator.Calculator, input map[string]any) map[string]tftypes.Value {
	object, ok := dataType.(tftypes.Object)
	require.True(t, ok, "the data source is %s", dataType)
	values := make(map[string]tftypes.Value)
	for _, f := range c.Inputs() {
		text, err := json.Marshal(input[f.Name])
		require.NoError(t, err)
		//nolint:staticcheck // the suggested replacement reads state, but this is a configuration
		v, err := tftypes.ValueFromJSON(withNulls(t, text, object.AttributeTypes[f.Name]),
			object.AttributeTypes[f.Name])
		require.NoError(t, err)
		values[f.Name] = v
	}
	return values
}

// dynamic converts a value to the type that Terraform infers.
func dynamic(v any) tftypes.Value {
	switch v := v.(type) {
	case float64:
		return tftypes.NewValue(tftypes.Number, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case map[string]any:
		types := map[string]tftypes.Type{}
		members := map[string]tftypes.Value{}
		for name, e := range v {
			members[name] = dynamic(e)
			types[name] = members[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, members)
	}
	return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
}

// withNulls sets omitted object attributes to null, as Terraform does.
func withNulls(t *rapid.T, text []byte, as tftypes.Type) []byte {
	target, ok := as.(tftypes.Map)
	if !ok {
		return text
	}
	element, ok := target.ElementType.(tftypes.Object)
	if !ok {
		return text
	}
	var elements map[string]map[string]any
	require.NoError(t, json.Unmarshal(text, &elements))
	for _, e := range elements {
		for name := range element.AttributeTypes {
			if _, ok := e[name]; !ok {
				e[name] = nil
			}
		}
	}
	filled, err := json.Marshal(elements)
	require.NoError(t, err)
	return filled
}

func read(
	t *rapid.T, server tfprotov6.ProviderServer, name string, dataType tftypes.Type, input map[string]tftypes.Value,
) (map[string]tftypes.Value, string) {
	object, ok := dataType.(tftypes.Object)
	require.True(t, ok, "the data source is %s", dataType)
	values := make(map[string]tftypes.Value)
	for attribute, at := range object.AttributeTypes {
		values[attribute] = tftypes.NewValue(at, nil)
		if v, ok := input[attribute]; ok {
			values[attribute] = v
		}
	}
	config, err := tfprotov6.NewDynamicValue(dataType, tftypes.NewValue(dataType, values))
	require.NoError(t, err)
	answer, err := server.ReadDataSource(context.Background(),
		&tfprotov6.ReadDataSourceRequest{TypeName: name, Config: &config})
	require.NoError(t, err)
	for _, d := range answer.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return nil, d.Detail
		}
	}
	return decode(t, answer.State, dataType), ""
}

func call(
	t *rapid.T, server tfprotov6.ProviderServer, name string, resultType tftypes.Type, input tftypes.Value,
) (map[string]tftypes.Value, string) {
	argument, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, input)
	require.NoError(t, err)
	answer, err := server.CallFunction(context.Background(),
		&tfprotov6.CallFunctionRequest{Name: name, Arguments: []*tfprotov6.DynamicValue{&argument}})
	require.NoError(t, err)
	if answer.Error != nil {
		return nil, answer.Error.Text
	}
	return decode(t, answer.Result, resultType), ""
}

func decode(t *rapid.T, value *tfprotov6.DynamicValue, as tftypes.Type) map[string]tftypes.Value {
	decoded, err := value.Unmarshal(as)
	require.NoError(t, err)
	attributes := make(map[string]tftypes.Value)
	require.NoError(t, decoded.As(&attributes))
	return attributes
}
