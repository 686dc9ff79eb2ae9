// Package order defines the order of the simulated services' lists. No API documents an order, so it is neither by name
// nor by id, but the same for each call and page.
package order

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// Compare compares ids by their hashes.
func Compare(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) }

func hash(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))     // never fails
	const odd = 0x9e3779b97f4a7c15 // spreads the last byte, which FNV leaves in the low bits
	return h.Sum64() * odd
}

// By sorts a list by the hashes of its ids.
func By[T any](list []T, id func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return Compare(id(a), id(b)) })
}
