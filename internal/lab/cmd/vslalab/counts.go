// The request counts at the end.

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/lab/vcsim"
)

func printCounts(w io.Writer, labs []*vcsim.VCenter) {
	for i, lab := range labs {
		counts := lab.Traffic().Counts()
		fmt.Fprintf(w, "# vCenter %d: %d requests\n", i+1, lab.Traffic().Total())
		for _, kind := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(w, "%8d %s\n", counts[kind], kind)
		}
	}
}
