package provider_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/acctest"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// doors are the calculators: data source, function, the ranges from which their required and optional numbers are
// drawn, and what else they need. Whole numbers are drawn from ranges marked so.
var doors = []struct {
	data, function string
	required       map[string]drawn
	optional       map[string]drawn
	text           map[string]string
}{
	{
		data:     "vsla_replication_estimate",
		function: "replication_estimate",
		required: map[string]drawn{
			"vm_count":             {1, 5000, true},
			"vm_size_gib":          {0.1, 64000, false},
			"daily_change_percent": {0, 200, false},
			"throughput_mbps":      {0.1, 400000, false},
			"rpo_minutes":          {1, 1440, true},
		},
		optional: map[string]drawn{
			"peak_factor":        {1, 100, false},
			"efficiency_percent": {1, 100, false},
			"compression_ratio":  {1, 10, false},
			"seeded_percent":     {0, 100, false},
			"overhead_seconds":   {0, 3600, false},
		},
	},
	{
		data:     "vsla_replication_calibration",
		function: "replication_calibration",
		required: map[string]drawn{
			"last_sync_size_bytes":       {0, 1e12, true},
			"last_sync_duration_seconds": {0, 10000, true},
			"rpo_minutes":                {1, 1440, true},
			"vm_size_gib":                {0.1, 64000, false},
		},
		optional: map[string]drawn{
			"interval_seconds":     {1, 100000, false},
			"throughput_mbps":      {0.1, 400000, false},
			"daily_change_percent": {0, 200, false},
			"peak_factor":          {1, 100, false},
			"tolerance_percent":    {0, 100, false},
		},
	},
	{
		data:     "vsla_link_throughput",
		function: "link_throughput",
		required: map[string]drawn{"bandwidth_mbps": {1, 400000, false}, "rtt_ms": {0.1, 500, false}},
		optional: map[string]drawn{
			"efficiency_percent":  {1, 100, false},
			"share_percent":       {1, 100, false},
			"loss_percent":        {0, 10, false},
			"mss_bytes":           {500, 9000, true},
			"window_kib":          {1, 65536, false},
			"streams":             {1, 64, true},
			"per_flow_limit_mbps": {1, 50000, false},
		},
	},
	{
		data:     "vsla_vmotion_estimate",
		function: "vmotion_estimate",
		required: map[string]drawn{"memory_gib": {0.1, 6000, false}, "throughput_mbps": {1, 400000, false}},
		optional: map[string]drawn{
			"memory_dirty_mbps":     {0, 50000, false},
			"working_set_gib":       {0, 100, false},
			"disk_gib":              {0, 60000, false},
			"disk_write_mbps":       {0, 5000, false},
			"rtt_ms":                {0, 200, false},
			"concurrent_migrations": {1, 16, true},
			"switchover_goal_ms":    {1, 5000, false},
			"setup_seconds":         {0, 100, false},
		},
	},
	{
		data:     "vsla_latency_impact",
		function: "interactive_throughput",
		required: map[string]drawn{
			"users":                     {1000, 2000, true},
			"think_seconds":             {0, 10, false},
			"rtt_before_ms":             {0, 1, false},
			"rtt_after_ms":              {2, 200, false},
			"throughput_before":         {1, 90, false},
			"round_trips_per_operation": {0, 100, false},
		},
		optional: map[string]drawn{"tolerance_percent": {0, 100, false}},
	},
	{
		data: "vsla_configuration_limits", function: "configuration_limits",
		text: map[string]string{"product": "vcenter", "version": "6.5"},
	},
}

type drawn struct {
	low, high float64
	whole     bool
}

func (d drawn) draw(t *rapid.T, name string) float64 {
	if d.whole {
		return float64(rapid.IntRange(int(d.low), int(d.high)).Draw(t, name))
	}
	return rapid.Float64Range(d.low, d.high).Draw(t, name)
}

// TestCalculators_doorsAgree calls both doors of each calculator over the plugin protocol on generated inputs.
func TestCalculators_doorsAgree(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, door := range doors {
		t.Run(door.function, func(t *testing.T) {
			t.Parallel()
			dataType := schemas.DataSourceSchemas[door.data].ValueType()
			resultType := schemas.Functions[door.function].Return.Type
			rapid.Check(t, func(t *rapid.T) {
				input := make(map[string]tftypes.Value)
				for name, d := range door.required {
					input[name] = tftypes.NewValue(tftypes.Number, big.NewFloat(d.draw(t, name)))
				}
				for name, d := range door.optional {
					if rapid.Bool().Draw(t, "with "+name) {
						input[name] = tftypes.NewValue(tftypes.Number, big.NewFloat(d.draw(t, name)))
					}
				}
				for name, text := range door.text {
					input[name] = tftypes.NewValue(tftypes.String, text)
				}
				fromData := read(t, server, door.data, dataType, input)
				fromFunction := call(t, server, door.function, resultType, input)
				if len(fromFunction) < 4 {
					t.Errorf("the function gives %d values", len(fromFunction))
				}
				for name, want := range fromFunction {
					if !fromData[name].Equal(want) {
						t.Errorf("%s: the data source gives %s, the function %s", name, fromData[name], want)
					}
				}
			})
		})
	}
}

func read(
	t *rapid.T,
	server tfprotov6.ProviderServer,
	name string,
	dataType tftypes.Type,
	input map[string]tftypes.Value,
) map[string]tftypes.Value {
	object, ok := dataType.(tftypes.Object)
	if !ok {
		t.Fatalf("the data source is %s", dataType)
	}
	values := make(map[string]tftypes.Value)
	for attribute, at := range object.AttributeTypes {
		values[attribute] = tftypes.NewValue(at, nil)
		if v, ok := input[attribute]; ok {
			values[attribute] = v
		}
	}
	config, err := tfprotov6.NewDynamicValue(dataType, tftypes.NewValue(dataType, values))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.ReadDataSource(
		context.Background(),
		&tfprotov6.ReadDataSourceRequest{TypeName: name, Config: &config},
	)
	if err != nil || len(answer.Diagnostics) > 0 {
		t.Fatal(err, answer.Diagnostics)
	}
	return decode(t, answer.State, dataType)
}

func call(
	t *rapid.T,
	server tfprotov6.ProviderServer,
	name string,
	resultType tftypes.Type,
	input map[string]tftypes.Value,
) map[string]tftypes.Value {
	types := make(map[string]tftypes.Type)
	for attribute, v := range input {
		types[attribute] = v.Type()
	}
	argument, err := tfprotov6.NewDynamicValue(
		tftypes.DynamicPseudoType,
		tftypes.NewValue(tftypes.Object{AttributeTypes: types}, input),
	)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.CallFunction(
		context.Background(),
		&tfprotov6.CallFunctionRequest{Name: name, Arguments: []*tfprotov6.DynamicValue{&argument}},
	)
	if err != nil || answer.Error != nil {
		t.Fatal(err, answer.Error)
	}
	return decode(t, answer.Result, resultType)
}

func decode(t *rapid.T, value *tfprotov6.DynamicValue, as tftypes.Type) map[string]tftypes.Value {
	decoded, err := value.Unmarshal(as)
	if err != nil {
		t.Fatal(err)
	}
	attributes := make(map[string]tftypes.Value)
	if err := decoded.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}
