package validation_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/test/validation"
)

// TestDirection: every measured row has a direction, and a slowdown.
func TestDirection(t *testing.T) {
	t.Parallel()
	for _, row := range validation.Rows() {
		if row.Kind != validation.Measured {
			continue
		}
		predicted, err := row.Predicted()
		if err != nil {
			t.Fatal(err)
		}
		if slowdown, err := row.Slowdown(predicted); err != nil || slowdown <= 0 || math.IsInf(slowdown, 0) {
			t.Errorf("%s: slowdown %v: %v", row.ID, slowdown, err)
		}
		// Where the prediction is one number, "within ±15 %" is the same question as the row's rule.
		if row.Rule == validation.Within15 && row.Near(predicted) != row.Holds(predicted) {
			t.Errorf("%s: near: %v, holds: %v", row.ID, row.Near(predicted), row.Holds(predicted))
		}
	}
	for _, test := range []struct{ id, unit string }{
		{"vxpertise-routed", "GiB"}, // less data that a link carries is worse
		{"database-sent", "MiB/s"},  // a migration that sends more per second is better or worse
	} {
		row := find(t, test.id)
		row.Unit = test.unit
		if direction, err := row.Direction(); err == nil {
			t.Errorf("%s in %s: direction %d, want an error", test.id, test.unit, direction)
		}
	}
}

func find(t *testing.T, id string) validation.Row {
	t.Helper()
	for _, row := range validation.Rows() {
		if row.ID == id {
			return row
		}
	}
	t.Fatalf("no row is named %s", id)
	return validation.Row{}
}

// TestSlowdown checks directions and ends.
func TestSlowdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule                 validation.Rule
		unit                 string
		published, predicted []float64
		want                 float64
	}{
		{validation.Within15, "s", []float64{120}, []float64{100}, 1.2},
		{validation.Within15, "min", []float64{80}, []float64{100}, 0.8},
		{validation.Within15, "times", []float64{12}, []float64{10}, 1.2},
		{validation.Within15, "Mbit/s", []float64{80}, []float64{100}, 1.25},
		{validation.Within15, "requests/s", []float64{200}, []float64{100}, 0.5},
		// A predicted range: worse than its slow end, better than its fast end, and inside.
		{validation.Between, "s", []float64{150}, []float64{70, 100}, 1.5},
		{validation.Between, "s", []float64{35}, []float64{100, 70}, 0.5},
		{validation.Between, "s", []float64{90}, []float64{70, 100}, 1},
		{validation.Between, "Mbit/s", []float64{35}, []float64{100, 70}, 2},
		{validation.Between, "Mbit/s", []float64{200}, []float64{70, 100}, 0.5},
		// A published range.
		{validation.Between, "Mbit/s", []float64{5, 7}, []float64{5.5}, 1},
		{validation.Between, "Mbit/s", []float64{5, 7}, []float64{14}, 2},
		{validation.Between, "s", []float64{8, 6}, []float64{3}, 2},
		// An upper bound has no lower end.
		{validation.AtMost, "s", []float64{1}, []float64{100}, 1},
		{validation.AtMost, "s", []float64{150}, []float64{100}, 1.5},
	} {
		row := find(t, "vxpertise-routed") // a link
		row.Rule, row.Unit, row.Published = test.rule, test.unit, test.published
		got, err := row.Slowdown(test.predicted)
		if err != nil || math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: published %v %s, predicted %v: slowdown %v (%v), want %v", test.rule, test.published, test.unit,
				test.predicted, got, err, test.want)
		}
	}
}

// TestRow_slowdown finds slowdowns of three rows on the page: inside, outside, and of a row that is not measured.
func TestRow_slowdown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]string{
		"vxpertise-routed": " 1.02 |\n",           // 450.5 / 440 = 1.0239
		"database-stop":    " **0.05**, outside ", // 0.0153 / 0.289 = 0.053
		"dell-example-oc3": "  |\n",
	}
	for id, cell := range cells {
		line, err := find(t, id).Line()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), line+cell) {
			t.Errorf("the page does not have %q after\n%s", cell, line)
		}
	}
}

// TestOrigin: sources of one repository are left out together.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/owner/name/pull/491":               "owner/name",
		"https://github.com/owner/name/blob/0123456/docs/a.md": "owner/name",
		"https://github.com/owner":                             "owner",
		"http://example.com/a/b/c":                             "http://example.com/a/b/c",
	} {
		if got := (validation.Source{Address: address}).Origin(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// single are slowdowns of 1 to n, each of a source of its own.
func single(n int) []validation.Score {
	scores := make([]validation.Score, n)
	for i := range scores {
		// The highest first: Learn sorts.
		scores[i] = validation.Score{Origin: strconv.Itoa(i), Slowdown: float64(n - i)}
	}
	return scores
}

// of are slowdowns of one source.
func of(origin string, slowdowns ...float64) []validation.Score {
	scores := make([]validation.Score, len(slowdowns))
	for i, s := range slowdowns {
		scores[i] = validation.Score{Row: origin, Origin: origin, Slowdown: s}
	}
	return scores
}

func TestLearn(t *testing.T) {
	t.Parallel()
	const row, source = validation.ByRow, validation.BySource
	six := single(6) // 1 to 6, which are 10 to 60 below
	for i := range six {
		six[i].Slowdown *= 10
	}
	for name, test := range map[string]struct {
		scores []validation.Score
		tail   float64
		by     validation.Weighting
		want   validation.Span
	}{
		// ceil(0.95 * 20) = 19, floor(0.05 * 20) = 1
		"19 rows": {single(19), 0.05, row, validation.Span{Low: 1, High: 19}},
		// ceil(0.95 * 40) = 38, floor(0.05 * 40) = 2
		"39 rows": {single(39), 0.05, row, validation.Span{Low: 2, High: 38}},
		// ceil(0.95 * 41) = ceil(38.95) = 39, floor(0.05 * 41) = floor(2.05) = 2
		"40 rows": {single(40), 0.05, row, validation.Span{Low: 2, High: 39}},
		// ceil(0.95 * 19) = ceil(18.05) = 19, clamped to 18; floor(0.05 * 19) = 0, clamped to 1
		"18 rows, clamped": {single(18), 0.05, row, validation.Span{Low: 1, High: 18, Clamped: true}},
		// ceil(0.75 * 8) = 6, floor(0.25 * 8) = 2
		"7 rows, half": {single(7), 0.25, row, validation.Span{Low: 2, High: 6}},
		// Sources of one row each are rows.
		"39 sources": {single(39), 0.05, source, validation.Span{Low: 2, High: 38}},
		// 10 rows: ceil(0.75 * 11) = ceil(8.25) = 9, floor(0.25 * 11) = floor(2.75) = 2, of 1 2 3 4 10 20 30 40 50 60
		"a large source, by row": {append(of("a", 1, 2, 3, 4), six...), 0.25, row, validation.Span{Low: 2, High: 50}},
		// 7 sources and one to come, 0.75 * 8 = 6 of them: from below the large source and 10 to 50, from above 60 to 10.
		"a large source": {append(of("a", 1, 2, 3, 4), six...), 0.25, source, validation.Span{Low: 10, High: 50}},
		// From below: 2 quarters, 10 to 40 and a quarter at 45 are 4.75, with 50 5.75, with the last quarter, 55, 6. From
		// above: 60 to 20, with 2 quarters, are 5.5; with 10 6.5.
		"a source on both sides": {append(of("a", 1, 2, 45, 55), six...), 0.25, source, validation.Span{Low: 10, High: 55}},
		"nothing":                {nil, 0.25, source, validation.Span{Clamped: true}},
	} {
		if got := validation.Learn(test.scores, test.tail, test.by); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// TestLeaveOut has sources whose own rows would widen their interval so that all hold.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	var scores []validation.Score
	scores = append(scores, of("a", 1, 1.1)...)   // others: 0.9 to 5, both hold
	scores = append(scores, of("b", 0.9, 1.2)...) // others: 1 to 5, the second holds
	scores = append(scores, of("c", 5)...)        // others: 0.9 to 1.2
	got, err := validation.LeaveOut(scores, 0.05, validation.BySource)
	if err != nil {
		t.Fatal(err)
	}
	if want := (validation.Span{Low: 0.9, High: 5, Clamped: true}); got.Span != want {
		t.Errorf("learned from all: %+v, want %+v", got.Span, want)
	}
	for i, want := range []validation.Span{{0.9, 5, true}, {0.9, 5, true}, {1, 5, true}, {1, 5, true}, {0.9, 1.2, true}} {
		if got.Others[i] != want {
			t.Errorf("row %d: %+v, want %+v", i, got.Others[i], want)
		}
	}
	// 3 of 5 rows; of the sources' rows all, half and none, 0.5 on average.
	if got.Hold != 3 || math.Abs(got.Share-0.5) > 1e-12 {
		t.Errorf("%d rows hold, %v of an average source, want 3 and 0.5", got.Hold, got.Share)
	}
	if _, err := validation.LeaveOut(of("a", 1, 2), 0.05, validation.BySource); err == nil {
		t.Error("there is nothing to learn from but the source itself")
	}
}
