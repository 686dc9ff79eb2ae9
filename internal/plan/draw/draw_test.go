package draw_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan/draw"
)

// TestSource compares the numbers with the published sequences of SplitMix64 for two seeds.
func TestSource(t *testing.T) {
	t.Parallel()
	s := draw.Seeded(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		assert.Equal(t, want, s.Uint64(), "%+v", i)
	}
	s = draw.Seeded(987654321)
	bins := make([]int, 5)
	for range 100_000 {
		bins[int(s.Float64()*5)]++
	}
	assert.Equal(t, []int{20027, 19892, 20073, 19978, 20030}, bins)
}

// TestNew compares the seeds derived from two names with published FNV-1a-64 hashes.
func TestNew(t *testing.T) {
	t.Parallel()
	for name, seed := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c} {
		got, want := draw.New(name).Uint64(), draw.Seeded(seed).Uint64()
		assert.Equal(t, want, got, name)
	}
}
