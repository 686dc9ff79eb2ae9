package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func printCounts(w io.Writer, labs []*vcsim.VCenter) {
	for i, lab := range labs {
		printRequests(w, fmt.Sprintf("vCenter %d", i+1), lab.Traffic())
	}
}

func printRequests(w io.Writer, of string, traffic *fault.Traffic) {
	counts := traffic.Counts()
	fmt.Fprintf(w, "# %s: %d requests\n", of, traffic.Total())
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%8d %s\n", counts[kind], kind)
	}
}
