// Package setting chooses the RPO that vSphere Replication is configured with, so that a promised RPO is kept.
package setting

import "slices"

// Steps are the configured RPOs that are chosen, in minutes. People configure such numbers, and a setting that is used
// by many replications must not change with every gigabyte.
var Steps = []float64{
	1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 60, 75, 90, 120, 150, 180, 240, 300, 360, 480, 600, 720, 900,
	1080, 1200, 1440,
}

// Down returns the longest step of at most the given minutes, or the shortest step if there is none.
func Down(minutes float64) float64 {
	const rounding = 1 + 1e-9
	i, _ := slices.BinarySearchFunc(Steps, minutes*rounding, func(step, of float64) int {
		if step <= of {
			return -1
		}
		return 1
	})
	return Steps[max(0, i-1)]
}

// Up returns the shortest step of at least the given minutes, or the longest step if there is none.
func Up(minutes float64) float64 {
	i, _ := slices.BinarySearch(Steps, minutes)
	return Steps[min(i, len(Steps)-1)]
}

// below returns the step below the given one, which must not be the shortest.
func below(step float64) float64 { return Steps[slices.Index(Steps, step)-1] }
