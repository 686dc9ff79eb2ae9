package draw_test

import (
	"slices"
	"testing"

	"terraform-provider-vsla/internal/plan/draw"
)

// TestSource compares with the published sequences of SplitMix64 for two seeds.
func TestSource(t *testing.T) {
	t.Parallel()
	s := draw.Seeded(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := s.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
	s = draw.Seeded(987654321)
	bins := make([]int, 5)
	for range 100_000 {
		bins[int(s.Float64()*5)]++
	}
	if want := []int{20027, 19892, 20073, 19978, 20030}; !slices.Equal(bins, want) {
		t.Errorf("bins %v, want %v", bins, want)
	}
}

// TestNew checks the seeds of two names with published FNV-1a-64 hashes.
func TestNew(t *testing.T) {
	t.Parallel()
	for name, seed := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c} {
		if got, want := draw.New(name).Uint64(), draw.Seeded(seed).Uint64(); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// TestShuffle checks a permutation by hand. With the seed 1234567 the numbers are 6457827717110365317 mod 4 = 1,
// 3203168211198807973 mod 3 = 1 and 9817491932198370423 mod 2 = 1: 0 1 2 3, then 0 3 2 1, then 0 2 3 1, then
// unchanged.
func TestShuffle(t *testing.T) {
	t.Parallel()
	list := []int{0, 1, 2, 3}
	draw.Shuffle(draw.Seeded(1234567), list)
	if want := []int{0, 2, 3, 1}; !slices.Equal(list, want) {
		t.Errorf("%v, want %v", list, want)
	}
}
