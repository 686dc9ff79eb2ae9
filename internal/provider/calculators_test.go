package provider_test

import (
	"context"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

func TestCalculators_interfacesAgree(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	for _, c := range registry.Calculators() {
		if c.NoDataSource {
			continue
		}
		dataType := schemas.DataSourceSchemas[c.DataSource()].ValueType()
		if c.Function == "" {
			continue
		}
		t.Run(c.Function, func(t *testing.T) {
			t.Parallel()
			resultType := schemas.Functions[c.Function].Return.Type
			compared := 0
			rapid.Check(t, func(t *rapid.T) {
				input := typed(t, dataType, c, usuallyValid(t, c))
				fromData, problem := read(t, server, c.DataSource(), dataType, input)
				fromFunction, refusal := call(t, server, c.Function, resultType, input)
				require.Equal(t, refusal == "", problem == "")
				assert.Contains(t, refusal, problem)
				for result, want := range fromFunction {
					compared++
					assert.True(t, same(fromData[result], want),
						"%s: the data source returns %s, the function %s", result, fromData[result], want)
				}
			})
			assert.NotZero(t, compared, "got no valid input, want results to compare")
		})
	}
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

// same compares numbers as float64, because Terraform's numbers are more precise than the calculators' results.
func same(a, b tftypes.Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.Equal(b)
	}
	var listA, listB []tftypes.Value
	if a.As(&listA) == nil && b.As(&listB) == nil {
		return slices.EqualFunc(listA, listB, same)
	}
	var x, y map[string]tftypes.Value
	if a.As(&x) != nil || b.As(&y) != nil {
		return sameNumber(a, b)
	}
	return maps.EqualFunc(x, y, same)
}

func sameNumber(a, b tftypes.Value) bool {
	var x, y big.Float
	if a.IsNull() || b.IsNull() || !a.Type().Is(tftypes.Number) || a.As(&x) != nil || b.As(&y) != nil {
		return a.Equal(b)
	}
	m, _ := x.Float64()
	n, _ := y.Float64()
	return m == n
}

func typed(t *rapid.T, dataType tftypes.Type, c *calculator.Calculator, input map[string]any) map[string]tftypes.Value {
	object, ok := dataType.(tftypes.Object)
	require.True(t, ok, "the data source is %s", dataType)
	values := make(map[string]tftypes.Value)
	for _, f := range c.Inputs() {
		if f.Kind == calculator.NumberOrSpread {
			values[f.Name] = dynamic(input[f.Name])
			continue
		}
		text, err := json.Marshal(input[f.Name])
		require.NoError(t, err)
		//nolint:staticcheck // the suggested replacement reads state, but this is a configuration
		v, err := tftypes.ValueFromJSON(withNulls(t, text, object.AttributeTypes[f.Name]), object.AttributeTypes[f.Name])
		require.NoError(t, err)
		values[f.Name] = v
	}
	return values
}

// dynamic converts a number or a map of numbers to the type that Terraform infers for a dynamic attribute.
func dynamic(v any) tftypes.Value {
	switch v := v.(type) {
	case float64:
		return tftypes.NewValue(tftypes.Number, v)
	case map[string]any:
		types, members := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for name, e := range v {
			types[name], members[name] = tftypes.Number, dynamic(e)
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
	if len(answer.Diagnostics) > 0 {
		return nil, answer.Diagnostics[0].Detail
	}
	return decode(t, answer.State, dataType), ""
}

func call(
	t *rapid.T, server tfprotov6.ProviderServer, name string, resultType tftypes.Type, input map[string]tftypes.Value,
) (map[string]tftypes.Value, string) {
	types := make(map[string]tftypes.Type)
	for attribute, v := range input {
		types[attribute] = v.Type()
	}
	argument, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType,
		tftypes.NewValue(tftypes.Object{AttributeTypes: types}, input))
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

// TestAccCalculators_badInput verifies that bad inputs cause attribute errors. Without the provider's own validation,
// some of them would make Terraform or the framework panic or report a provider bug.
func TestAccCalculators_badInput(t *testing.T) {
	t.Parallel()
	group := func(kind, arguments string) string {
		return "data \"" + kind + "\" \"x\" {\n  vm_count = 15\n  vm_size_gib = 100\n  rpo_minutes = 15\n  " +
			strings.ReplaceAll(arguments, "; ", "\n  ") + "\n}\n"
	}
	refused := func(config string, words ...string) resource.TestStep {
		return resource.TestStep{Config: config, PlanOnly: true, ExpectError: acctest.ErrorPattern(strings.Join(words, " "))}
	}
	const large = `got\s+a\s+number\s+that\s+is\s+too\s+large`
	acctest.RunOffline(t,
		refused(group("vsla_replication_estimate", "daily_change_percent = 5; throughput_mbps = 1e999"),
			"throughput_mbps", "must", "be", "between", ".*"+large),
		refused(group("vsla_replication_confidence",
			"daily_change_percent = 5; throughput_mbps = { low = 1, likely = 5, high = 1e999 }"),
			`throughput_mbps\.high`, "must", "be", "between", ".*"+large),
		refused(group("vsla_replication_confidence",
			"daily_change_percent = 5; throughput_mbps = { low = 10, likely = 5, high = 20 }"),
			`throughput_mbps\.low`, "must", "be", "at", "most", "the", "likely", "value", `\(5\),`, "got", "10"),
		refused(group("vsla_replication_confidence", "daily_change_percent = 5; throughput_mbps = { low = 1, high = 2 }"),
			`throughput_mbps\.likely`, "is", "required"),
		refused(group("vsla_replication_confidence", "daily_change_percent = 5; throughput_mbps = [1, 2, 3]"),
			"throughput_mbps", "must", "be", "a", "number,", "got", "a", "list"),
		// In the configuration, these map keys are written as numbers.
		refused(group("vsla_replication_estimate", "change_curve = { 15 = -1 }; throughput_mbps = 500"),
			`change_curve = \{ 15 = -1 \}.*change_curve\["15"\]`, "must", "be", "between"),
		refused(group("vsla_replication_estimate", "change_curve = { 15 = 2, 30 = 1 }; throughput_mbps = 500"),
			`change_curve\["30"\]`, "must", "be", "at", "least", "2", "GiB"),
		refused("data \"vsla_replica_storage\" \"x\" {\n  vm_count = 0\n  used_gib = 10\n  rpo_minutes = 15\n"+
			"  daily_change_percent = 5\n}\n",
			"vm_count", "must", "be", "between", ".*got", "0;", "if", "the", "value", "is", "from", "vsla_virtual_machines"),
		refused("data \"vsla_migration_plan\" \"x\" {\n  throughput_mbps = 1000\n"+
			"  virtual_machines = { 1 = { memory_gib = -1 } }\n}\n",
			`virtual_machines\["1"\]\.memory_gib`, "must", "be", "between"),
	)
}

type peer struct{ lab *acctest.Lab }

func (p *peer) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vsphere"
}
func (p *peer) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (p *peer) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (p *peer) DataSources(context.Context) []func() datasource.DataSource                        { return nil }

func (p *peer) Resources(context.Context) []func() fwresource.Resource {
	attributes := func(names ...string) map[string]schema.Attribute {
		all := map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}
		for _, name := range names {
			all[name] = schema.StringAttribute{Required: true}
		}
		return all
	}
	category := attributes("name", "description", "cardinality")
	category["associable_types"] = schema.SetAttribute{Required: true, ElementType: types.StringType}
	return []func() fwresource.Resource{
		func() fwresource.Resource {
			return &peerResource{
				name:       "vsphere_tag_category",
				attributes: category,
				create: func(text func(string) string) (string, error) {
					return p.lab.Tags().AddCategory(tagging.Category{
						Name: text("name"), Description: text("description"), Cardinality: text("cardinality"),
						AssociableTypes: []string{"VirtualMachine"},
					})
				},
			}
		},
		func() fwresource.Resource {
			return &peerResource{
				name:       "vsphere_tag",
				attributes: attributes("name", "description", "category_id"),
				create: func(text func(string) string) (string, error) {
					return p.lab.Tags().
						AddTag(tagging.Tag{Name: text("name"), Description: text("description"), CategoryID: text("category_id")})
				},
			}
		},
	}
}

type peerResource struct {
	name       string
	attributes map[string]schema.Attribute
	create     func(text func(string) string) (string, error)
}

func (r *peerResource) Metadata(_ context.Context, _ fwresource.MetadataRequest, resp *fwresource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r *peerResource) Schema(_ context.Context, _ fwresource.SchemaRequest, resp *fwresource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: r.attributes}
}

func (r *peerResource) Create(ctx context.Context, req fwresource.CreateRequest, resp *fwresource.CreateResponse) {
	id, err := r.create(func(name string) string {
		var value attr.Value
		resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(name), &value)...)
		text, _ := value.(types.String)
		return text.ValueString()
	})
	if err != nil {
		resp.Diagnostics.AddError("Create", err.Error())
	}
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
}

func (r *peerResource) Read(context.Context, fwresource.ReadRequest, *fwresource.ReadResponse) {}
func (r *peerResource) Update(context.Context, fwresource.UpdateRequest, *fwresource.UpdateResponse) {
}

func (r *peerResource) Delete(context.Context, fwresource.DeleteRequest, *fwresource.DeleteResponse) {
}
