package replication

import (
	"slices"
	"testing"
)

// TestEach_order: the first run has a worker before the others, which wait for it.
func TestEach_order(t *testing.T) {
	t.Parallel()
	var called, want []int
	make(workers, 1).each(100, func(i int) { called = append(called, i) })
	for i := range 100 {
		want = append(want, i)
	}
	if !slices.Equal(called, want) {
		t.Errorf("called with %v, want 0 to 99 in order", called)
	}
}
