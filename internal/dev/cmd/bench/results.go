// The results as a page.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// results are the measurements of all latencies.
type results struct {
	cli     string
	options options
	list    []measurement
}

// write makes benchmark.md in a folder.
func (r *results) write(folder string) error {
	const everybody = 0o644
	return os.WriteFile(filepath.Join(folder, "benchmark.md"), []byte(r.page()), everybody)
}

func (r *results) page() string {
	o := r.options
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmark

Tagging against the simulated vCenter of this repository, with 32 hosts and %s VMs, made by

`+"```shell\nmake bench\n```"+`

with %s on a computer with two cores. The number of requests is exact, without logins. Seconds are of that
computer, which runs vCenter as well: compare them within a run. The second group of figures adds a delay to every
request, as a network and a real service do.

`, thousands(o.vms), r.cli)
	for _, latency := range o.latencies {
		title := "no delay"
		if latency > 0 {
			title = fmt.Sprintf("%d ms for each request", latency.Milliseconds())
		}
		fmt.Fprintf(&b, "## The life of an estate, %s\n\n", title)
		r.table(&b, latency, ours, bareCalls, newest)
		r.table(&b, latency, perTag)
	}
	fmt.Fprintf(&b, `- The vCenter is of release 8.0, except for **vsla, vCenter 9.1**: since 9.0 vCenter lists tags with
  their names.
- **vsla** is `+"`vsla_tag_category`, `vsla_tags` and `vsla_tag_association`"+`: %d categories of
  %s tags, and one association in each over all VMs.
- **bare govmomi calls** make, read, change and delete the same, ten at a time, with bulk calls for the associations,
  and keep nothing.
- **one resource for each tag** is `+"`vsla_tag`"+` with `+"`count`"+`, for %s tags only: Terraform's own cost grows
  faster than their number.
- Memory is the largest resident set of a process of that run, Terraform or provider.
`, o.categories, thousands(o.tags), thousands(o.perTag))
	return b.String()
}

// table writes the runs at one latency, a column for each way.
func (r *results) table(b *strings.Builder, latency time.Duration, ways ...string) {
	fmt.Fprintf(b, "| run | %s |\n| --- |%s\n", strings.Join(ways, " | "), strings.Repeat(" ---: |", len(ways)))
	var order []string
	cells := make(map[string][]string)
	for _, m := range r.list {
		if m.Latency != latency || !slices.Contains(ways, m.How) {
			continue
		}
		if cells[m.What] == nil {
			order = append(order, m.What)
		}
		cell := fmt.Sprintf("%s requests, %.1f s", thousands(m.Requests), m.Took.Seconds())
		if m.Memory > 0 {
			cell += fmt.Sprintf(", %d MiB", m.Memory)
		}
		cells[m.What] = append(cells[m.What], cell)
	}
	for _, what := range order {
		fmt.Fprintf(b, "| %s | %s |\n", what, strings.Join(cells[what], " | "))
	}
	b.WriteString("\n")
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
