// Package draw returns pseudo-random numbers that are the same on every computer and in every release.
package draw

import "hash/fnv"

// Source is a SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014).
type Source struct{ state uint64 }

// New returns a source seeded with the FNV-1a-64 hash of a name.
func New(name string) *Source {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return Seeded(h.Sum64())
}

// Seeded returns a source with the given seed.
func Seeded(seed uint64) *Source { return &Source{state: seed} }

// Uint64 returns the next number.
func (s *Source) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Float64 returns the next number in [0, 1). It uses the upper 53 bits of Uint64.
func (s *Source) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }
