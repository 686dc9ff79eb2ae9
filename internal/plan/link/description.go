package link

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges ensure that every product is finite.
var (
	RangeBandwidthMbps     = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeEfficiencyPercent = plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}
	RangeSharePercent      = plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}
	RangeRTTMs             = plan.Range{Min: 1e-6, Max: 1e7, Unit: "ms"}
	RangeLossPercent       = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeMSSBytes          = plan.Range{Min: 1, Max: 65535, Whole: true, Unit: "bytes"}
	RangeWindowKiB         = plan.Range{Min: 1e-6, Max: 1e9, Unit: "KiB"}
	RangeStreams           = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "streams"}
	RangePerFlowLimitMbps  = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
)

// Values of limited_by.
const (
	LimitedByBandwidth = "bandwidth"
	LimitedByWindow    = "window"
	LimitedByLoss      = "loss"
	LimitedByPerFlow   = "per_flow_limit"
)

// Congestion control algorithms.
const (
	Reno  = "reno"
	Cubic = "cubic"
	Linux = "linux"
)

// Reasons: one for each limit except the bandwidth, followed by warnings.
var (
	reasonWindow = calculator.NewReason("limited_by_window", "The throughput is %s of the usable %s, because a "+
		"window of %s KiB is sent once per round trip of %s ms, with %s.")
	reasonLoss = calculator.NewReason("limited_by_loss", "The throughput is %s of the usable %s, because %s%% of the "+
		"packets are lost at a round trip of %s ms, with %s.")
	reasonPerFlow = calculator.NewReason("limited_by_per_flow_limit", "The throughput is %s of the usable %s, "+
		"because a flow is limited to %s, with %s.")
	reasonLossTooLarge = calculator.NewReason("loss_above_25_percent", "A loss of %s%% is above the 25%% covered by "+
		"the model for Linux: connections mostly wait for timeouts. Repair the path, or measure it.")
	reasonWindowUnknown = calculator.NewReason("window_unknown", "The round-trip time of %s ms has no effect without "+
		"`window_kib` or `loss_percent`: set the window of one connection, or a loss of 0.")
	reasonUnequal = calculator.NewReason("unequal_shares", "The windows of %s allow %s, above 65%% of the usable %s. "+
		"The streams share it unequally, reach %s to %s in total, and the last one takes up to 1.2 times the mean "+
		"duration.")
)

// Definition describes the link_throughput calculator.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:    "link_throughput",
		Command: "link",
		Example: "--bandwidth-mbps 1000 --rtt-ms 50 --window-kib 1024",
		Title:   "Link",
		Summary: "Throughput of a network path",
		Description: "Calculates the throughput of a network path. It is the lowest of the limits set by the " +
			"bandwidth, the TCP window, packet loss and per-flow limits. Requires no connection and no " +
			"credentials.\n\nExample: a connection with a window of 64 KiB sends 524,288 bits per round trip. With a " +
			"round-trip time of 100 ms, this is 5.24 Mbit/s. 191 such connections fill a link of 1 Gbit/s.",
	},
	Default: Defaults,
	Inputs:  inputs,
	Results: rows,
	Reasons: []calculator.Reason{
		reasonWindow, reasonLoss, reasonPerFlow, reasonLossTooLarge, reasonWindowUnknown, reasonUnequal,
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Throughput,
}

var inputs = calculator.Inputs[Input]{
	calculator.Required("bandwidth_mbps", RangeBandwidthMbps, "Bandwidth of the link, nominal or measured, in Mbit/s "+
		"(10^6 bit/s).",
		func(in *Input) *float64 { return &in.BandwidthMbps }).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
		"Usable share of `bandwidth_mbps`, in percent. Use 100 for a measured bandwidth. 70 is a common planning "+
			"value for a nominal rate.",
		func(in *Input) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Optional("share_percent", RangeSharePercent, "Share of the usable bandwidth available to this traffic, "+
		"in percent.",
		func(in *Input) *float64 { return &in.SharePercent }).Better(calculator.Higher),
	calculator.Absent("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds.",
		func(in *Input) **float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Absent("loss_percent", RangeLossPercent,
		"Packet loss, in percent. A value above 0 requires `rtt_ms`. The models are conservative. For example, in a "+
			"measurement at 155 Mbit/s and 5 ms, a loss of 0.1% reduced the throughput by only 7%.",
		func(in *Input) **float64 { return &in.LossPercent }).Better(calculator.Lower),
	calculator.Choice("congestion_control", false, []string{Reno, Cubic, Linux},
		"Congestion control algorithm of the connections: `reno`, `cubic` (RFC 9438) or `linux` (CUBIC with the "+
			"timeouts of Linux, for a loss of at most 25%). With packet loss, `cubic` is faster than `reno` on paths "+
			"with a long round-trip time. `linux` matches measurements best.",
		func(in *Input) *string { return &in.CongestionControl }).Either("a name"),
	calculator.Optional("mss_bytes", RangeMSSBytes, "TCP maximum segment size, in bytes. Use 1,460 for an Ethernet "+
		"MTU of 1,500 bytes.",
		func(in *Input) *float64 { return &in.MSSBytes }).Better(calculator.Higher),
	calculator.Absent("window_kib", RangeWindowKiB,
		"TCP window of one connection, in KiB (2^10 bytes). Requires `rtt_ms`.",
		func(in *Input) **float64 { return &in.WindowKiB }).Better(calculator.Higher),
	calculator.Optional("streams", RangeStreams, "Number of parallel connections.",
		func(in *Input) *float64 { return &in.Streams }).Better(calculator.Higher),
	calculator.Absent("per_flow_limit_mbps", RangePerFlowLimitMbps,
		"Bandwidth limit that the network imposes on each flow, in Mbit/s. For example, use 5,000 for a vMotion "+
			"stream across AWS availability zones, and 1,250 for an AWS VPN tunnel. If not set, there is no limit.",
		func(in *Input) **float64 { return &in.PerFlowLimitMbps }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Source of `bandwidth_mbps`: `transfer` (measured transfers of the same kind), `network` (measured with iperf "+
			"or similar) or `nominal` (nominal rate of the line). Selects the factors for `throughput_mbps_80` and "+
			"`throughput_mbps_90`.",
		func(in *Input) *string { return &in.ThroughputBasis }).Neutral("it adds a band and changes no verdict"),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("throughput_mbps",
		"Throughput of the path, in Mbit/s. Null if `congestion_control` is `linux` and the loss is above 25%.",
		func(r *Result) **float64 { return &r.ThroughputMbps }).Better(calculator.Higher),
	calculator.Result("throughput_mbps_80",
		"Throughput that 4 of 5 measurements reached or exceeded, in Mbit/s. With the bases "+
			"`transfer` and `network`, `throughput_mbps` divided by 1.14. With `nominal`, the throughput at an "+
			"efficiency of at most 70%, divided by 1.87. Null without a basis, with packet loss, or if the windows "+
			"of all streams allow more than 65% of the usable bandwidth.",
		func(r *Result) **float64 { return &r.ThroughputMbps80 }),
	calculator.Result("throughput_mbps_90",
		"Throughput that 9 of 10 measurements reached or exceeded, in Mbit/s. With the bases "+
			"`transfer` and `network`, `throughput_mbps` divided by 1.32. Null with `nominal`, or if "+
			"`throughput_mbps_80` is null.",
		func(r *Result) **float64 { return &r.ThroughputMbps90 }),
	calculator.Result("per_stream_mbps", "Mean throughput of one stream, in Mbit/s. Null if `throughput_mbps` is "+
		"null.",
		func(r *Result) **float64 { return &r.PerStreamMbps }),
	calculator.Result("bandwidth_delay_product_kib",
		"Bandwidth-delay product, the data in flight when the link is full, in KiB. Calculated from `bandwidth_mbps` "+
			"and `rtt_ms`. Null without `rtt_ms`.",
		func(r *Result) **float64 { return &r.BandwidthDelayProductKiB }),
	calculator.Result("streams_needed",
		"Number of streams required to fill the usable bandwidth. Null if the throughput of a stream is 0 or unknown.",
		func(r *Result) **float64 { return &r.StreamsNeeded }),
	calculator.ResultOf("limited_by", "Limit that determines the throughput: `bandwidth`, `window`, `loss` or "+
		"`per_flow_limit`.",
		[]string{LimitedByBandwidth, LimitedByWindow, LimitedByLoss, LimitedByPerFlow},
		func(r *Result) *string { return &r.LimitedBy }),
}
