// Links, latency and limits: results that a table shows.

package report

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

func linkKind() kind {
	return kind{
		name: "vsla_link_throughput", id: "links", title: "Link throughput",
		intro: "What a path carries, and what limits it.",
		fill:  fillLink, overview: linkOverview, shown: []string{"bandwidth_mbps", "rtt_ms"},
		source: "the link's calculation",
	}
}

func latencyKind() kind {
	return kind{
		name: "vsla_latency_impact", id: "latency", title: "Latency impact",
		intro: "What distance does to an application that is split from its database.",
		fill:  fillLatency, overview: latencyOverview,
		shown: []string{"rtt_before_ms", "rtt_after_ms", "round_trips_per_operation", "throughput_before"},
		promise: func(in *instance) string {
			return "at most " + format("_percent", in.inputOr("tolerance_percent")) + " less throughput"
		},
		options: func(in *instance) []string {
			return []string{
				"move the application with its database", "accept a change of " + in.format("throughput_change_percent"),
			}
		},
		rules: []rule{{
			"Users wait, think and ask again; each round trip of an operation is paid once more.",
			"the closed interactive law of queueing theory",
		}},
	}
}

func limitsKind() kind {
	return kind{
		name: "vsla_configuration_limits", id: "limits", title: "Configuration limits",
		intro: "Numbers in use, compared with published limits.", fill: fillLimits,
		promise: func(in *instance) string { return "the limits of " + in.text("product") + " " + in.text("version") },
		sure:    func(*instance) string { return "published" },
		options: func(in *instance) []string {
			return []string{"use fewer " + strings.ReplaceAll(strings.Join(in.texts("exceeded"), ", "), "_", " ")}
		},
	}
}

func fillLink(in *instance, s *Subject) {
	s.Facts = in.described("throughput_mbps", "per_stream_mbps", "limited_by", "streams_needed")
	// The one reason that a link has is its summary.
	s.Reasons = []Reason{}
}

func linkOverview(subjects []known) ([]Table, []Figure) {
	limited := column{
		title: "Limited by",
		cell:  func(k known) Cell { return Cell{Text: strings.ReplaceAll(k.text("limited_by"), "_", " ")} },
	}
	return []Table{
		overview(
			"Link throughput",
			subjects,
			numeric("Bandwidth", "bandwidth_mbps"),
			numeric("Round trip", "rtt_ms"),
			numeric("Carries", "throughput_mbps"),
			numeric("One stream", "per_stream_mbps"),
			limited,
			numeric("Streams that fill it", "streams_needed"),
		),
	}, []Figure{}
}

func fillLatency(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.described(
		"response_before_seconds",
		"response_after_seconds",
		"throughput_change_percent",
		"move_together",
	)
	if s.Level == Misses {
		s.Verdict = "move together"
	}
}

func latencyOverview(subjects []known) ([]Table, []Figure) {
	return []Table{
		overview(
			"Latency impact, throughput in operations per second",
			subjects,
			verdictColumn,
			numeric("Round trip before", "rtt_before_ms"),
			numeric("After", "rtt_after_ms"),
			numeric("Round trips of one operation", "round_trips_per_operation"),
			numeric("Throughput before", "throughput_before"),
			numeric("After", "throughput_after"),
			numeric("Change", "throughput_change_percent"),
			numeric("Answer before", "response_before_seconds"),
			numeric("After", "response_after_seconds"),
		),
	}, []Figure{}
}

func fillLimits(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.facts("product", "version")
	limits, counts, sources := in.object("limits"), in.object("counts"), in.object("sources")
	exceeded := in.texts("exceeded")
	t := newTable(
		"Limits of "+in.text("product")+" "+in.text("version"),
		"Limit",
		"Verdict",
		"#In use",
		"#Limit",
		"#Of the limit",
		"Source",
	)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		level, used, share := Neutral, none, none
		limit, _ := limits[name].(float64)
		if n, ok := counts[name].(float64); ok {
			level, used = Holds, decimal(n)
			if limit > 0 && !strings.HasPrefix(name, "min_") {
				share = plan.Thousands(n/limit*100, 2) + "%" // 2,001 of 2,000 are 100.05
			}
			if slices.Contains(exceeded, clean(name)) {
				level = Misses
			}
		}
		verdict := levelCell(level)
		if level == Neutral {
			verdict = Cell{Text: "no number given"}
		}
		t.Rows = append(
			t.Rows,
			[]Cell{
				{Text: clean(name)},
				verdict,
				{Text: used},
				{Text: decimal(limit)},
				{Text: share},
				{Text: format("", sources[name])},
			},
		)
	}
	s.Tables = append(s.Tables, t)
}
