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
	reasonWindow = calculator.NewReason("limited_by_window", "The throughput is %s of the usable %s, because a window of "+
		"%s KiB is sent once per round trip of %s ms, with %s.")
	reasonLoss = calculator.NewReason("limited_by_loss", "The throughput is %s of the usable %s, because %s%% of the "+
		"packets are lost at a round trip of %s ms, with %s.")
	reasonPerFlow = calculator.NewReason("limited_by_per_flow_limit", "The throughput is %s of the usable %s, because a "+
		"flow is limited to %s, with %s.")
	reasonLossTooLarge = calculator.NewReason("loss_above_25_percent", "A loss of %s%% is above the 25%% covered by the "+
		"model for Linux: connections mostly wait for timeouts. Repair the path, or measure it.")
	reasonWindowUnknown = calculator.NewReason("window_unknown", "The round-trip time of %s ms has no effect without "+
		"`window_kib` or `loss_percent`: set the window of one connection, or a loss of 0.")
	reasonUnequal = calculator.NewReason("unequal_shares", "The windows of %s allow %s, above 65%% of the usable %s. "+
		"The streams share it unequally, reach %s to %s in total, and the last one takes up to 1.2 times the mean duration.")
)

// Definition describes the link_throughput calculator.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "link_throughput",
		Function: "link_throughput",
		Command:  "link",
		Example:  "--bandwidth-mbps 1000 --rtt-ms 50 --window-kib 1024",
		Title:    "Link",
		Summary:  "Throughput of a network path",
		Description: "Calculates the throughput of a network path: the minimum of the limits set by bandwidth, TCP " +
			"window, loss and per-flow caps. Requires no connection and no credentials.\n\n" +
			"Example: a window of 64 KiB at 100 ms is 524,288 bit per 0.1 s, or 5.24 Mbit/s. 191 such streams fill 1 Gbit/s.",
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
	calculator.Required("bandwidth_mbps", RangeBandwidthMbps, "Nominal rate of the link, in Mbit/s (10^6 bit/s).",
		func(in *Input) *float64 { return &in.BandwidthMbps }).Better(calculator.Higher),
	calculator.Optional("efficiency_percent", RangeEfficiencyPercent,
		"Usable share of the link, in percent. 70 is a common planning value for a nominal rate.",
		func(in *Input) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Optional("share_percent", RangeSharePercent, "Share of the usable bandwidth available to this traffic, "+
		"in percent.",
		func(in *Input) *float64 { return &in.SharePercent }).Better(calculator.Higher),
	calculator.Absent("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds.",
		func(in *Input) **float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Absent("loss_percent", RangeLossPercent,
		"Packet loss, in percent. Requires `rtt_ms`. The models are conservative: at 155 Mbit/s and 5 ms, a loss of 0.1 % "+
			"cost 7 % in a measurement.",
		func(in *Input) **float64 { return &in.LossPercent }).Better(calculator.Lower),
	calculator.Choice("congestion_control", false, []string{Reno, Cubic, Linux},
		"Congestion control of the connections: `reno`, `cubic` (RFC 9438) or `linux` (CUBIC with the timeouts of Linux, "+
			"up to a loss of 25 %). `cubic` is faster than `reno` on long links. `linux` matches measurements best.",
		func(in *Input) *string { return &in.CongestionControl }).Either("a name"),
	calculator.Optional("mss_bytes", RangeMSSBytes, "Maximum segment size, in bytes. The default is the value for "+
		"Ethernet.",
		func(in *Input) *float64 { return &in.MSSBytes }).Better(calculator.Higher),
	calculator.Absent("window_kib", RangeWindowKiB,
		"Window of one connection, in KiB (2^10 bytes). Requires `rtt_ms`.",
		func(in *Input) **float64 { return &in.WindowKiB }).Better(calculator.Higher),
	calculator.Optional("streams", RangeStreams, "Number of parallel connections. The default is conservative.",
		func(in *Input) *float64 { return &in.Streams }).Better(calculator.Higher),
	calculator.Absent("per_flow_limit_mbps", RangePerFlowLimitMbps,
		"Bandwidth limit of the network per flow, in Mbit/s. For example, 5,000 for a vMotion stream across AWS "+
			"availability zones, and 1,250 for a VPN tunnel.",
		func(in *Input) **float64 { return &in.PerFlowLimitMbps }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"Source of `bandwidth_mbps`: `transfer` (measured transfers of the same kind), `network` (measured with iperf "+
			"or similar) or `nominal` (nominal rate of the line). Selects the factors for `throughput_mbps_80` and "+
			"`throughput_mbps_90`.",
		func(in *Input) *string { return &in.ThroughputBasis }).Neutral("it adds a band and changes no verdict"),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("throughput_mbps",
		"Throughput of the path, in Mbit/s. Null with `linux` above a loss of 25 %.",
		func(r *Result) **float64 { return &r.ThroughputMbps }).Better(calculator.Higher),
	calculator.Result("throughput_mbps_80",
		"Throughput reached in 4 of 5 measurements, in Mbit/s: `throughput_mbps` / 1.14 with the basis `transfer`, the "+
			"throughput at an efficiency of at most 70 % / 1.87 with `nominal`. Null with other bases, with packet loss, "+
			"and if "+
			"the windows of all streams allow more than 65 % of the usable link.",
		func(r *Result) **float64 { return &r.ThroughputMbps80 }),
	calculator.Result("throughput_mbps_90",
		"Throughput reached in 9 of 10 measurements, in Mbit/s: `throughput_mbps` / 1.32 with the basis `transfer`. Null "+
			"if `throughput_mbps_80` is null, and with `nominal`.",
		func(r *Result) **float64 { return &r.ThroughputMbps90 }),
	calculator.Result("per_stream_mbps", "Throughput of one stream, in Mbit/s. Null if `throughput_mbps` is null.",
		func(r *Result) **float64 { return &r.PerStreamMbps }),
	calculator.Result("bandwidth_delay_product_kib",
		"Data in flight on a full link, `bandwidth_mbps * rtt_ms`, in KiB. Null without `rtt_ms`.",
		func(r *Result) **float64 { return &r.BandwidthDelayProductKiB }),
	calculator.Result("streams_needed",
		"Number of streams that fill the usable bandwidth. Null if the throughput of a stream is 0 or unknown.",
		func(r *Result) **float64 { return &r.StreamsNeeded }),
	calculator.ResultOf("limited_by", "The limiting factor: `bandwidth`, `window`, `loss` or `per_flow_limit`.",
		[]string{LimitedByBandwidth, LimitedByWindow, LimitedByLoss, LimitedByPerFlow},
		func(r *Result) *string { return &r.LimitedBy }),
}
