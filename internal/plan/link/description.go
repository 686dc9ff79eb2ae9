// The description of a link.

package link

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs; they keep every product finite.
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

// What limits a link.
const (
	LimitedByBandwidth = "bandwidth"
	LimitedByWindow    = "window"
	LimitedByLoss      = "loss"
	LimitedByPerFlow   = "per_flow_limit"
)

// How a connection answers to losses.
const (
	Reno  = "reno"
	Cubic = "cubic"
	Linux = "linux"
)

// The reasons: one for each limit but the bandwidth, and those that warn.
var (
	reasonWindow = calculator.Reason{
		Code: "limited_by_window",
		Sentence: "The link carries %s of a usable %s, because a window of %s KiB is sent once in a round trip of %s ms, " +
			"by %s.",
	}
	reasonLoss = calculator.Reason{
		Code: "limited_by_loss",
		Sentence: "The link carries %s of a usable %s, because %s%% of the packets are lost at a round trip of %s ms, " +
			"with %s.",
	}
	reasonPerFlow = calculator.Reason{
		Code:     "limited_by_per_flow_limit",
		Sentence: "The link carries %s of a usable %s, because one flow may take %s, with %s.",
	}
	reasonLossTooLarge = calculator.Reason{
		Code: "loss_above_25_percent",
		Sentence: "A loss of %s%% is above the 25%% up to which there is a formula for Linux: a connection mostly waits " +
			"for timeouts. Repair the path, or measure it.",
	}
	reasonWindowUnknown = calculator.Reason{
		Code: "window_unknown",
		Sentence: "A round trip of %s ms has no effect without `window_kib` or `loss_percent`: set the window of one " +
			"connection, or a loss of 0.",
	}
	reasonUnequal = calculator.Reason{
		Code: "unequal_shares",
		Sentence: "The windows of %s allow %s, above 65%% of a usable %s: they share it unequally, carry %s to %s " +
			"together, and the last one ends up to 1.2 times after the mean.",
	}
)

// Definition describes vsla_link_throughput.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "link_throughput",
		Function: "link_throughput",
		Command:  "link",
		Title:    "Link",
		Summary:  "What a network path carries",
		Description: "What a network path carries: the smallest of what its bandwidth, the window of its connections, " +
			"their losses and a limit for each flow allow. It needs no connection and no credentials.\n\n" +
			"By hand: a window of 64 KiB at 100 ms is 524,288 bit every 0.1 s, 5.24 Mbit/s; 191 such streams fill 1 Gbit/s.",
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
		"Usable part of the link, in percent; 70 is a common planning value for a nominal rate.",
		func(in *Input) *float64 { return &in.EfficiencyPercent }).Better(calculator.Higher),
	calculator.Optional("share_percent", RangeSharePercent, "Part of that which is for this traffic, in percent.",
		func(in *Input) *float64 { return &in.SharePercent }).Better(calculator.Higher),
	calculator.Absent("rtt_ms", RangeRTTMs, "Round-trip time, in milliseconds.",
		func(in *Input) **float64 { return &in.RTTMs }).Better(calculator.Lower),
	calculator.Absent("loss_percent", RangeLossPercent,
		"Packets that are lost, in percent. Needs `rtt_ms`. The models are cautious: at 155 Mbit/s and 5 ms, a loss of "+
			"0.1 % was measured to cost 7 %.",
		func(in *Input) **float64 { return &in.LossPercent }).Better(calculator.Lower),
	calculator.Choice("congestion_control", false, []string{Reno, Cubic, Linux},
		"How the connections answer to losses: `reno`, `cubic` (RFC 9438), which carries more on long links, or `linux`, "+
			"CUBIC as Linux runs it with its timeouts, up to a loss of 25 %. Measurements agree best with `linux`.",
		func(in *Input) *string { return &in.CongestionControl }).Either("a name"),
	calculator.Optional("mss_bytes", RangeMSSBytes, "Maximum segment size, in bytes. The default is Ethernet's.",
		func(in *Input) *float64 { return &in.MSSBytes }).Better(calculator.Higher),
	calculator.Absent("window_kib", RangeWindowKiB,
		"Window of one connection, in KiB (2^10 bytes). Needs `rtt_ms`.",
		func(in *Input) **float64 { return &in.WindowKiB }).Better(calculator.Higher),
	calculator.Optional("streams", RangeStreams, "Parallel connections. The default is the cautious assumption.",
		func(in *Input) *float64 { return &in.Streams }).Better(calculator.Higher),
	calculator.Absent("per_flow_limit_mbps", RangePerFlowLimitMbps,
		"What the network allows one flow, in Mbit/s: 5,000 for one vMotion stream across AWS availability zones, 1,250 "+
			"for one VPN tunnel.",
		func(in *Input) **float64 { return &in.PerFlowLimitMbps }).Better(calculator.Higher),
	calculator.Choice("throughput_basis", false, plan.Bases,
		"How `bandwidth_mbps` is known: `transfer` (measured with whole transfers of this kind), `network` (measured with "+
			"iperf or the like) or `nominal` (a line's rate). It sets `throughput_mbps_80` and `_90`.",
		func(in *Input) *string { return &in.ThroughputBasis }).Neutral("it adds a band and changes no verdict"),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("throughput_mbps",
		"What the path carries, in Mbit/s; null with `linux` above a loss of 25 %.",
		func(r *Result) **float64 { return &r.ThroughputMbps }).Better(calculator.Higher),
	calculator.Result("throughput_mbps_80",
		"What 4 of 5 measurements carried at least, in Mbit/s: with the basis `transfer` `throughput_mbps` / 1.14, with "+
			"`nominal` the throughput at an efficiency of at most 70 % / 1.87. Null with another basis, with a loss, and when "+
			"the windows of all streams allow more than 65 % of the usable link.",
		func(r *Result) **float64 { return &r.ThroughputMbps80 }),
	calculator.Result("throughput_mbps_90",
		"What 9 of 10 measurements carried at least, in Mbit/s: with the basis `transfer` `throughput_mbps` / 1.32. Null "+
			"where `throughput_mbps_80` is, and with `nominal`.",
		func(r *Result) **float64 { return &r.ThroughputMbps90 }),
	calculator.Result("per_stream_mbps", "What one stream gets of it, in Mbit/s; null without it.",
		func(r *Result) **float64 { return &r.PerStreamMbps }),
	calculator.Result("bandwidth_delay_product_kib",
		"Data under way on a full link, `bandwidth_mbps * rtt_ms`, in KiB; null without `rtt_ms`.",
		func(r *Result) **float64 { return &r.BandwidthDelayProductKiB }),
	calculator.Result("streams_needed",
		"Streams of this kind that fill what is usable of the link; null when they carry nothing or an unknown rate.",
		func(r *Result) **float64 { return &r.StreamsNeeded }),
	calculator.ResultOf("limited_by", "The smallest term: `bandwidth`, `window`, `loss` or `per_flow_limit`.",
		[]string{LimitedByBandwidth, LimitedByWindow, LimitedByLoss, LimitedByPerFlow},
		func(r *Result) *string { return &r.LimitedBy }),
}
