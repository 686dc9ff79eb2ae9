// Package calclink is the calculator vsla_link_throughput, as data source and as function link_throughput. The
// arithmetic is in internal/plan/link.
package calclink

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_link_throughput",
	Function:   "link_throughput",
	Summary:    "What a network path carries",
	Description: "What a network path carries: the smallest of what its bandwidth, the window of its connections, their losses and a limit for each flow allow. A term with a missing input is left out. It needs no connection and no credentials.\n\n" +
		"By hand: a window of 64 KiB at 100 ms is 524,288 bit every 0.1 s, 5.24 Mbit/s; 191 such streams fill 1 Gbit/s.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	BandwidthMbps            types.Float64 `tfsdk:"bandwidth_mbps"`
	EfficiencyPercent        types.Float64 `tfsdk:"efficiency_percent"`
	SharePercent             types.Float64 `tfsdk:"share_percent"`
	RTTMs                    types.Float64 `tfsdk:"rtt_ms"`
	LossPercent              types.Float64 `tfsdk:"loss_percent"`
	MSSBytes                 types.Float64 `tfsdk:"mss_bytes"`
	WindowKiB                types.Float64 `tfsdk:"window_kib"`
	Streams                  types.Float64 `tfsdk:"streams"`
	PerFlowLimitMbps         types.Float64 `tfsdk:"per_flow_limit_mbps"`
	ThroughputMbps           types.Float64 `tfsdk:"throughput_mbps"`
	PerStreamMbps            types.Float64 `tfsdk:"per_stream_mbps"`
	BandwidthDelayProductKiB types.Float64 `tfsdk:"bandwidth_delay_product_kib"`
	StreamsNeeded            types.Float64 `tfsdk:"streams_needed"`
	LimitedBy                types.String  `tfsdk:"limited_by"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"bandwidth_mbps": calc.Required(
			link.RangeBandwidthMbps,
			"Nominal rate of the link, in Mbit/s (10^6 bit/s).",
		),
		"efficiency_percent": calc.Optional(
			link.RangeEfficiencyPercent,
			"Usable part of the link, in percent. Default 100; 70 is a common planning value for a nominal rate.",
		),
		"share_percent": calc.Optional(
			link.RangeSharePercent,
			"Part of that which is for this traffic, in percent. Default 100.",
		),
		"rtt_ms": calc.Optional(link.RangeRTTMs, "Round-trip time, in milliseconds."),
		"loss_percent": calc.Optional(
			link.RangeLossPercent,
			"Packets that are lost, in percent. Counts only with `rtt_ms`.",
		),
		"mss_bytes": calc.Optional(
			link.RangeMSSBytes,
			"Maximum segment size, in bytes. Default 1460, that of Ethernet.",
		),
		"window_kib": calc.Optional(
			link.RangeWindowKiB,
			"Window of one connection, in KiB (2^10 bytes). Counts only with `rtt_ms`.",
		),
		"streams": calc.Optional(
			link.RangeStreams,
			"Parallel connections. Default 1, the cautious assumption.",
		),
		"per_flow_limit_mbps": calc.Optional(
			link.RangePerFlowLimitMbps,
			"What the network allows one flow, in Mbit/s: 5,000 for one vMotion stream across AWS availability zones, 1,250 for one VPN tunnel.",
		),
		"throughput_mbps": calc.Output("What the path carries, in Mbit/s."),
		"per_stream_mbps": calc.Output("What one stream gets of it, in Mbit/s."),
		"bandwidth_delay_product_kib": calc.Output(
			"Data under way on a full link, `bandwidth_mbps * rtt_ms`, in KiB; null without `rtt_ms`.",
		),
		"streams_needed": calc.Output("Streams of this kind that fill what is usable of the link."),
		"limited_by": schema.StringAttribute{
			MarkdownDescription: "The smallest term: `bandwidth`, `window`, `loss` or `per_flow_limit`.",
			Computed:            true,
		},
	}, "`limited_by_window`, `limited_by_loss`, `limited_by_per_flow_limit`")
}

func compute(m *model) error {
	in := link.Defaults()
	in.BandwidthMbps = m.BandwidthMbps.ValueFloat64()
	calc.Set(&in.EfficiencyPercent, m.EfficiencyPercent)
	calc.Set(&in.SharePercent, m.SharePercent)
	calc.Set(&in.MSSBytes, m.MSSBytes)
	calc.Set(&in.Streams, m.Streams)
	in.RTTMs, in.LossPercent = m.RTTMs.ValueFloat64Pointer(), m.LossPercent.ValueFloat64Pointer()
	in.WindowKiB, in.PerFlowLimitMbps = m.WindowKiB.ValueFloat64Pointer(), m.PerFlowLimitMbps.ValueFloat64Pointer()
	r, err := link.Throughput(in)
	if err != nil {
		return err
	}
	m.ThroughputMbps = types.Float64Value(r.ThroughputMbps)
	m.PerStreamMbps = types.Float64Value(r.PerStreamMbps)
	m.BandwidthDelayProductKiB = types.Float64PointerValue(r.BandwidthDelayProductKiB)
	m.StreamsNeeded = types.Float64Value(r.StreamsNeeded)
	m.LimitedBy = types.StringValue(r.LimitedBy)
	m.Explain(r.Findings, r.Summary)
	return nil
}
