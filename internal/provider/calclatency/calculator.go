// Package calclatency is the calculator vsla_latency_impact, as data source and as function interactive_throughput.
// The arithmetic is in internal/plan/interactive.
package calclatency

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/interactive"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_latency_impact",
	Function:   "interactive_throughput",
	Summary:    "What distance does to an application that is split",
	Description: "What distance does to an application that is split from its database, by the closed interactive law `X = N / (Z + R0 + k * RTT)`: the throughput after a move from the round trips of one operation, or the round trips from a throughput that was measured. It needs no connection and no credentials.\n\n" +
		"By hand: 5 users who think for 0.02 s do 65 operations/s beside the database, so R0 = 5/65 - 0.02 = 56.9 ms. With 40 ms in between they do 10: k = (5/10 - 5/65) / 0.04 = 10.58 round trips.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	Users                   types.Float64 `tfsdk:"users"`
	ThinkSeconds            types.Float64 `tfsdk:"think_seconds"`
	RTTBeforeMs             types.Float64 `tfsdk:"rtt_before_ms"`
	RTTAfterMs              types.Float64 `tfsdk:"rtt_after_ms"`
	ThroughputBefore        types.Float64 `tfsdk:"throughput_before"`
	TolerancePercent        types.Float64 `tfsdk:"tolerance_percent"`
	ServiceSeconds          types.Float64 `tfsdk:"service_seconds"`
	ResponseBeforeSeconds   types.Float64 `tfsdk:"response_before_seconds"`
	ResponseAfterSeconds    types.Float64 `tfsdk:"response_after_seconds"`
	ThroughputChangePercent types.Float64 `tfsdk:"throughput_change_percent"`
	MoveTogether            types.Bool    `tfsdk:"move_together"`
	RoundTrips              types.Float64 `tfsdk:"round_trips_per_operation"`
	ThroughputAfter         types.Float64 `tfsdk:"throughput_after"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"users": calc.Required(
			interactive.RangeUsers,
			"Users or connections that work at the same time (N).",
		),
		"think_seconds": calc.Required(
			interactive.RangeThinkSeconds,
			"How long each waits between an answer and the next operation (Z), in seconds.",
		),
		"rtt_before_ms": calc.Required(
			interactive.RangeRTTMs,
			"Round-trip time across the split before, in milliseconds.",
		),
		"rtt_after_ms": calc.Required(
			interactive.RangeRTTMs,
			"Round-trip time across the split after, in milliseconds.",
		),
		"throughput_before": calc.Required(interactive.RangeThroughput, "Operations per second before."),
		"tolerance_percent": calc.Optional(
			interactive.RangeTolerancePercent,
			"How much throughput may be lost, in percent. Default 20, an assumption: users notice a fifth.",
		),
		"service_seconds":           calc.Output("Response time without any round trip (R0), in seconds."),
		"response_before_seconds":   calc.Output("What a user waits for an answer before, in seconds."),
		"response_after_seconds":    calc.Output("What a user waits for an answer after, in seconds."),
		"throughput_change_percent": calc.Output("Change of the throughput, in percent; negative for a loss."),
		"move_together": schema.BoolAttribute{
			MarkdownDescription: "Whether the loss is above `tolerance_percent`, so that the parts should move together.",
			Computed:            true,
		},
		"round_trips_per_operation": calc.Either(
			interactive.RangeRoundTrips,
			"Sequential round trips of one operation across the split (k). Give this to predict, or `throughput_after` to find it.",
		),
		"throughput_after": calc.Either(
			interactive.RangeThroughput,
			"Operations per second after. Give this when it was measured, or `round_trips_per_operation` to predict it.",
		),
	}, "`loss_above_tolerance`")
}

func compute(m *model) error {
	in := interactive.Defaults()
	in.Users, in.ThinkSeconds = m.Users.ValueFloat64(), m.ThinkSeconds.ValueFloat64()
	in.RTTBeforeMs, in.RTTAfterMs = m.RTTBeforeMs.ValueFloat64(), m.RTTAfterMs.ValueFloat64()
	in.ThroughputBefore = m.ThroughputBefore.ValueFloat64()
	in.RoundTrips, in.ThroughputAfter = m.RoundTrips.ValueFloat64Pointer(), m.ThroughputAfter.ValueFloat64Pointer()
	calc.Set(&in.TolerancePercent, m.TolerancePercent)
	r, err := interactive.LatencyImpact(in)
	if err != nil {
		return err
	}
	m.ServiceSeconds = types.Float64Value(r.ServiceSeconds)
	// What was given stays as it was given, to the last digit.
	if m.RoundTrips.IsNull() {
		m.RoundTrips = types.Float64Value(r.RoundTrips)
	}
	if m.ThroughputAfter.IsNull() {
		m.ThroughputAfter = types.Float64Value(r.ThroughputAfter)
	}
	m.ResponseBeforeSeconds = types.Float64Value(r.ResponseBeforeSeconds)
	m.ResponseAfterSeconds = types.Float64Value(r.ResponseAfterSeconds)
	m.ThroughputChangePercent = types.Float64Value(r.ThroughputChangePercent)
	m.MoveTogether = types.BoolValue(r.MoveTogether)
	m.Explain(r.Findings, r.Summary)
	return nil
}
