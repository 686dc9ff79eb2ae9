package estate_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewReview_peak: estimate and schedule assume the same change. Weights of 5 from 8 to 18 and 1 else have a mean of
// (10*5 + 14*1) / 24 = 8/3: the busiest 600 minutes have 5 / (8/3) = 1.875 times the mean, and the busiest 720 minutes
// (600*5 + 120*1) / 720 / (8/3) = 1.625 times.
func TestNewReview_peak(t *testing.T) {
	t.Parallel()
	weights := "[" + strings.Repeat("1, ", 8) + strings.Repeat("5, ", 10) + strings.Repeat("1, ", 5) + "1]"
	r, err := review(t, `
throughput_mbps: 1000
defaults: {daily_change_percent: 5, peak_factor: 3, peak_start_hour: 20}
tiers:
  - {name: peak, match: {name: db-1}, rpo_minutes: 60}
  - {name: ten hours, match: {name: db-2}, rpo_minutes: 600, hourly_weights: `+weights+`}
  - {name: twelve hours, match: {name: web}, rpo_minutes: 720, hourly_weights: `+weights+`}
  - {name: day, match: {name: file}, rpo_minutes: 1440, hourly_weights: `+weights+`}
`)
	require.NoError(t, err)
	groups, _ := values(t, r, "replication_schedule", "all tiers")["groups"].(map[string]any)
	for name, want := range map[string]float64{"peak": 3, "ten hours": 1.875, "twelve hours": 1.625, "day": 1} {
		got, _ := values(t, r, "replication_estimate", name)["peak_factor"].(float64)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: a peak of %v in the estimate, want %v", name, got, want)
		}
		group, _ := groups[name].(map[string]any)
		if peak := name == "peak"; peak != (group["peak_factor"] == 3.0 && group["peak_start_hour"] == 20.0) ||
			peak != (group["hourly_weights"] == nil) {
			t.Errorf("%s: the group has %v", name, group)
		}
	}
}

// TestNewReview_hourly: the estimate has the least throughput of the hours of its busiest cycle, at its efficiency, and
// the migration the usable part of each hour.
func TestNewReview_hourly(t *testing.T) {
	t.Parallel()
	// 100 Mbit/s at 0:00, 200 at 1:00 and so on; nothing at 23:00.
	var hours []string
	for h := range 23 {
		hours = append(hours, strconv.Itoa(100*(h+1)))
	}
	hourly := "[" + strings.Join(hours, ", ") + ", 0]"
	weights := "[" + strings.Repeat("0, ", 12) + "4, 4, " + strings.Repeat("1, ", 9) + "1]"
	r, err := review(t, `
throughput_mbps: 10000
efficiency_percent: 50
schedule: {hourly_throughput_mbps: `+hourly+`}
defaults: {daily_change_percent: 5, rpo_minutes: 60}
migration: {window_hours: 8, window_start_hour: 0}
tiers:
  - {name: peak, match: {name: db-1}, peak_factor: 4}
  - {name: weights, match: {name: db-2}, hourly_weights: `+weights+`}
  - {name: whole day, match: {name: web}}
`)
	require.NoError(t, err)
	// The peak is from 8:00 to 14:00, and the greatest weights are from 12:00 to 14:00.
	for name, want := range map[string]float64{"peak": 900, "weights": 1300} {
		if got := values(t, r, "replication_estimate", name)["throughput_mbps"]; got != want {
			t.Errorf("%s: %v Mbit/s, want %v", name, got, want)
		}
	}
	got, _ := values(t, r, "migration_plan", "all moves")["hourly_throughput_mbps"].([]any)
	if len(got) != 24 || got[0] != 50.0 || got[22] != 1150.0 {
		t.Errorf("the migration has %v, want half of each hour", got)
	}
}

// TestNewReview_shared: the schedule grows by the greatest rate, and the migration has the usable throughput and the
// link's round trip, above 150 ms of which vSphere does not support it.
func TestNewReview_shared(t *testing.T) {
	t.Parallel()
	r, err := review(t, `
throughput_mbps: 1000
efficiency_percent: 70
defaults: {daily_change_percent: 5, rpo_minutes: 60, growth_percent_per_year: 20, horizon_months: 24}
migration: {}
tiers:
  - {name: slow, match: {name: db}}
  - {name: fast, match: {}, growth_percent_per_year: 40}
`)
	require.NoError(t, err)
	schedule := values(t, r, "replication_schedule", "all tiers")
	if schedule["growth_percent_per_year"] != 40.0 || schedule["horizon_months"] != 24.0 {
		t.Errorf("the schedule grows by %v %% for %v months, want 40 %% for 24", schedule["growth_percent_per_year"],
			schedule["horizon_months"])
	}
	if got := values(t, r, "migration_plan", "all moves")["throughput_mbps"]; got != 700.0 {
		t.Errorf("the migration has %v Mbit/s, want 700", got)
	}
	// 70 % of a migration's own throughput are usable too: 1,000 Mbit/s plan like 700 with an efficiency of 100 %.
	r, err = review(t, gold+"efficiency_percent: 70\nmigration: {throughput_mbps: 1000}\n")
	require.NoError(t, err)
	nominal := values(t, r, "migration_plan", "all moves")["duration_seconds"]
	r, err = review(t, gold+"migration: {throughput_mbps: 700}\n")
	require.NoError(t, err)
	if want := values(t, r, "migration_plan", "all moves")["duration_seconds"]; nominal != want {
		t.Errorf("the migration takes %v s with 70 %% of 1,000 Mbit/s, want %v as with 700", nominal, want)
	}
	r, err = review(t, strings.Replace(gold, "throughput_mbps: 1000",
		"link: {bandwidth_mbps: 10000, rtt_ms: 151, streams: 32}", 1)+"migration: {}\n")
	require.NoError(t, err)
	plan := values(t, r, "migration_plan", "all moves")
	if plan["rtt_ms"] != 151.0 || plan["verdict"] != "unsupported" {
		t.Errorf("the migration has a round trip of %v ms and is %v, want 151 and unsupported", plan["rtt_ms"],
			plan["verdict"])
	}
}

// TestNewReview_basis: estimates and schedule have the basis of the throughput. Transfers take up to 1.14 times as
// long, and those at a nominal rate 1.87 times at 70 % at most, to which 70 % of the link are not reduced again.
// A link whose windows limit it has no band.
func TestNewReview_basis(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		link   string
		factor float64 // of the initial sync; 0 for none
	}{
		"none":          {"throughput_mbps: 1000", 0},
		"transfer":      {"throughput_mbps: 1000\nthroughput_basis: transfer", 1.14},
		"nominal":       {"throughput_mbps: 1000\nthroughput_basis: nominal", 1.87 / 0.7},
		"nominal, 70 %": {"throughput_mbps: 1000\nefficiency_percent: 70\nthroughput_basis: nominal", 1.87},
		"link":          {"link: {bandwidth_mbps: 1000, efficiency_percent: 70, throughput_basis: nominal}", 1.87},
		"whole link":    {"link: {bandwidth_mbps: 1000, throughput_basis: nominal}", 1.87 / 0.7},
		"measured link": {"link: {bandwidth_mbps: 1000, throughput_basis: transfer}", 1.14},
		"windows": {
			"link: {bandwidth_mbps: 1000, throughput_basis: nominal, rtt_ms: 10, window_kib: 64, streams: 1}", 0,
		},
	} {
		r, err := review(t, strings.Replace(gold, "throughput_mbps: 1000", test.link, 1))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		estimate := values(t, r, "replication_estimate", "gold")
		initial, _ := estimate["initial_sync_seconds"].(float64)
		got, _ := estimate["initial_sync_seconds_80"].(float64)
		if math.Abs(got-test.factor*initial) > 1e-9*initial {
			t.Errorf("%s: got %v s in 4 of 5 cases, want %v times %v", name, got, test.factor, initial)
		}
		if _, has := values(t, r, "replication_schedule", "all tiers")["compliance_percent_80"].(float64); has !=
			(test.factor > 0) {
			t.Errorf("%s: the schedule has a band: %v, want %v", name, has, test.factor > 0)
		}
	}
}
