package report

import (
	"slices"
	"testing"

	"terraform-provider-vsla/internal/report/chart"
)

// TestWavesFigure_windows: windows of two hours that follow each other end after 2 and 4 hours; by the clock, after 2
// and 26 hours.
func TestWavesFigure_windows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values map[string]any
		ends   []float64
	}{
		"end to end": {
			map[string]any{"window_hours": 2.0, "duration_seconds": 5.0 * 3600}, []float64{7200, 14400},
		},
		"by the clock": {
			map[string]any{"window_hours": 2.0, "window_start_hour": 0.0, "duration_seconds": 30.0 * 3600},
			[]float64{7200, 93600},
		},
	} {
		figure := wavesFigure(&instance{values: test.values}, []wave{{number: 1}})
		bars, ok := figure.Chart.(chart.Bars)
		if !ok {
			t.Fatalf("%s: the chart is a %T", name, figure.Chart)
		}
		var ends []float64
		for _, g := range bars.Guides {
			ends = append(ends, g.Value)
		}
		if !slices.Equal(ends, test.ends) {
			t.Errorf("%s: windows end at %v s, want %v", name, ends, test.ends)
		}
	}
}
