// Package order defines the order of lists returned by the simulated services. The order is undocumented in the real
// APIs, so the lists are deliberately sorted neither by name nor by ID. The order is the same for all calls and pages.
package order

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// Compare compares IDs by their hashes.
func Compare(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) }

func hash(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	const odd = 0x9e3779b97f4a7c15 // the last byte hardly affects the highest bits of an FNV hash
	return h.Sum64() * odd
}

// By sorts a list by the hashes of the IDs.
func By[T any](list []T, id func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return Compare(id(a), id(b)) })
}
