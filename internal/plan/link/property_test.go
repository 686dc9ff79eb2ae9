// Properties of a path over the whole ranges of its inputs.

package link_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
)

// TestThroughput_finite: over the whole ranges, corners included, every number is finite and above zero. 5e-324 is the
// smallest loss there is: its root is the smallest divisor of the loss term.
func TestThroughput_finite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, r plan.Range) float64 {
			v := rapid.OneOf(
				rapid.Just(r.Min),
				rapid.Just(r.Max),
				rapid.Float64Range(r.Min, r.Max),
				rapid.Just(max(r.Min, 5e-324)),
			).
				Draw(t, name)
			if r.Whole {
				v = math.Trunc(v)
			}
			return v
		}
		in := input(
			draw("bandwidth_mbps", link.RangeBandwidthMbps),
			efficient(draw("efficiency_percent", link.RangeEfficiencyPercent)),
			share(
				draw("share_percent", link.RangeSharePercent),
			),
			rtt(draw("rtt_ms", link.RangeRTTMs)),
			loss(min(draw("loss_percent", link.RangeLossPercent), 99.999)),
			window(draw("window_kib", link.RangeWindowKiB)),
			perFlow(draw("per_flow_limit_mbps", link.RangePerFlowLimitMbps)),
			streams(
				draw("streams", link.RangeStreams),
			),
			func(in *link.Input) {
				in.MSSBytes = draw("mss_bytes", link.RangeMSSBytes)
				in.CongestionControl = rapid.SampledFrom([]string{link.Reno, link.Cubic}).Draw(t, "congestion_control")
			},
		)
		r, err := link.Throughput(in)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(r)
		for i := range v.NumField() {
			field := v.Field(i)
			if field.Kind() == reflect.Pointer && !field.IsNil() {
				field = field.Elem()
			}
			if field.CanFloat() && (!(field.Float() > 0) || math.IsInf(field.Float(), 0)) {
				t.Errorf("%s is %v", v.Type().Field(i).Name, field.Float())
			}
		}
	})
}

// TestThroughput_monotone: more delay or loss never helps, more of anything else never hurts.
func TestThroughput_monotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		delay, lost, kib, flow := draw("rtt", 0.1, 300), draw("loss", 1e-6, 5), draw("window", 16, 1e5), draw("flow", 1, 1e4)
		half, usable := draw("share", 1, 50), draw("efficiency", 1, 50)
		in := input(
			draw("bandwidth", 1, 1e5),
			rtt(delay),
			loss(lost),
			window(kib),
			perFlow(flow),
			share(half),
			efficient(usable),
		)
		mbps := func(in link.Input) float64 {
			r, err := link.Throughput(in)
			if err != nil {
				t.Fatal(err)
			}
			return r.ThroughputMbps
		}
		before := mbps(in)
		for _, change := range []struct {
			name   string
			helps  bool
			double func(*link.Input)
		}{
			{"bandwidth_mbps", true, func(in *link.Input) { in.BandwidthMbps *= 2 }},
			{"mss_bytes", true, func(in *link.Input) { in.MSSBytes *= 2 }},
			{"share_percent", true, share(half * 2)},
			{"efficiency_percent", true, efficient(usable * 2)},
			{"streams", true, streams(2)},
			{"window_kib", true, window(kib * 2)},
			{"per_flow_limit_mbps", true, perFlow(flow * 2)},
			{"rtt_ms", false, rtt(delay * 2)},
			{"loss_percent", false, loss(lost * 2)},
		} {
			more := in
			change.double(&more)
			after := mbps(more)
			if (change.helps && after < before) || (!change.helps && after > before) {
				t.Errorf("%s doubled takes %v to %v Mbit/s", change.name, before, after)
			}
		}
	})
}

// TestThroughput_cubicIsNeverBelowReno: and the larger the loss, the less either carries.
func TestThroughput_cubicIsNeverBelowReno(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		delay, lost, more := draw("rtt", 0.1, 300), draw("loss", 1e-6, 50), draw("more", 1, 2)
		mbps := func(control string, lost float64) float64 {
			r, err := link.Throughput(
				input(1e6, rtt(delay), loss(lost), func(in *link.Input) { in.CongestionControl = control }),
			)
			if err != nil {
				t.Fatal(err)
			}
			return r.ThroughputMbps
		}
		reno, cubic := mbps(link.Reno, lost), mbps(link.Cubic, lost)
		if cubic < reno || mbps(link.Reno, lost*more) > reno || mbps(link.Cubic, lost*more) > cubic {
			t.Errorf("at a loss of %v %%: %v and %v Mbit/s", lost, reno, cubic)
		}
	})
}
