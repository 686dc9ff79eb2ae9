// The results as a page and as a picture.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"terraform-provider-vsla/internal/report/chart"
)

// results are the measurements of all latencies.
type results struct {
	cli     string
	options options
	list    []measurement
}

// write makes benchmark.md and benchmark.svg in a folder.
func (r *results) write(folder string) error {
	const everybody = 0o644
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "benchmark.md"), []byte(r.page()), everybody),
		os.WriteFile(filepath.Join(folder, "benchmark.svg"), []byte(r.picture()), everybody),
	)
}

// find returns a measurement.
func (r *results) find(what, how string, latency time.Duration) (measurement, bool) {
	for _, m := range r.list {
		if m.What == what && m.How == how && m.Latency == latency {
			return m, true
		}
	}
	return measurement{}, false
}

// rows returns the distinct things that were done, in order.
func (r *results) rows() []string {
	var list []string
	seen := make(map[string]bool)
	for _, m := range r.list {
		if !seen[m.What] {
			seen[m.What] = true
			list = append(list, m.What)
		}
	}
	return list
}

func (r *results) page() string {
	o := r.options
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmark

Tagging against the simulated vCenter of this repository, with 32 hosts and %s VMs, made by

`+"```shell\nmake bench\n```"+`

with %s on a computer with two cores. The number of requests is exact, without logins. Seconds are of that
computer, which runs vCenter as well and is seldom idle: compare them within a run. The second group of figures adds a
delay to every request, as a network and a real service do.

![How long the life of %s tags takes](benchmark.svg)

`, thousands(o.vms), r.cli, thousands(o.categories*o.tags))
	r.estateTable(&b)
	fmt.Fprintf(&b, `
- The vCenter is of release 8.0, except for **vsla, vCenter 9.1**: since 9.0 vCenter lists tags with their names.
- **vsla** is `+"`vsla_tag_category`, `vsla_tags` and `vsla_tag_association`"+`: %d categories of
  %s tags, and one association in each over all VMs.
- **bare govmomi calls** make, read, change and delete the same, ten at a time, with bulk calls for the associations,
  and keep nothing.
- **Terraform alone** is Terraform with the same configuration and a provider that has the same schemas and sends
  nothing: what Terraform and its plugin protocol cost for that state. It writes the plugin framework's trace messages,
  as providers do by default; vsla writes them only when TF_LOG or one of its kind asks for logs.
- Empty plans of vCenter 9.1 and of Terraform alone are the median of %d.
- **one resource for each tag** is `+"`vsla_tag`"+` with `+"`count`"+`, for %s tags only: Terraform's own cost grows
  faster than their number.
- Memory is the largest resident set of a process of that run, Terraform or provider.
`, o.categories, thousands(o.tags), repeats, thousands(o.perTag))
	return b.String()
}

func (r *results) estateTable(b *strings.Builder) {
	for _, latency := range r.options.latencies {
		fmt.Fprintf(
			b,
			"## The life of an estate, %s\n\n| run | %s | %s | %s | %s | vsla, against bare calls and Terraform alone | "+
				"vCenter 9.1, against Terraform alone |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
			delay(latency),
			ours,
			newest,
			bareCalls,
			ownCost,
		)
		for _, what := range r.rows() {
			m, ok := r.find(what, ours, latency)
			if !ok {
				continue
			}
			bare, _ := r.find(what, bareCalls, latency)
			own, _ := r.find(what, ownCost, 0)
			late, _ := r.find(what, newest, latency)
			fmt.Fprintf(
				b,
				"| %s | %s, %s, %d MiB | %s, %s, %d MiB | %s, %s | %s, %d MiB | %.2f | %.2f |\n",
				what,
				requests(m.Requests),
				seconds(m.Took),
				m.Memory,
				requests(late.Requests),
				seconds(late.Took),
				late.Memory,
				requests(
					bare.Requests,
				),
				seconds(bare.Took),
				seconds(own.Took),
				own.Memory,
				m.Took.Seconds()/(bare.Took+own.Took).Seconds(),
				late.Took.Seconds()/own.Took.Seconds(),
			)
		}
		fmt.Fprintf(b, "\n| run | %s |\n| --- | ---: |\n", perTag)
		for _, what := range r.rows() {
			if m, ok := r.find(what, perTag, latency); ok {
				fmt.Fprintf(b, "| %s | %s, %s, %d MiB |\n", what, requests(m.Requests), seconds(m.Took), m.Memory)
			}
		}
		b.WriteString("\n")
	}
}

// colours are those of a light page, with an explicit background, because the reader's page may be dark.
const colours = `<style>svg{background:#fff}` +
	`text{fill:#1b1f24;font:12px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}.axis{fill:#57606a}` +
	`.grid{stroke:#d0d7de}.bar.plain{fill:#6e7781}.bar.good{fill:#1a7f37}.bar.warn{fill:#9a6700}</style>`

// picture shows seconds of each run at the largest latency.
func (r *results) picture() string {
	latency := r.options.latencies[len(r.options.latencies)-1]
	bars := chart.Bars{
		Scale: chart.Scale{
			Kind:   chart.Time,
			Label:  "duration, " + delay(latency),
			Format: func(s float64) string { return fmt.Sprintf("%g s", s) },
		},
	}
	for _, what := range r.rows() {
		for _, way := range []struct {
			how     string
			name    string
			latency time.Duration
			tone    chart.Tone
		}{
			{ours, ours, latency, chart.Good},
			{newest, newest, latency, chart.Good},
			{bareCalls, "bare calls", latency, chart.Plain},
			{ownCost, ownCost, 0, chart.Plain},
			{perTag, "a resource each", latency, chart.Warn},
		} {
			m, ok := r.find(what, way.how, way.latency)
			if !ok {
				continue
			}
			bars.Rows = append(
				bars.Rows,
				chart.Row{
					Label: strings.TrimSuffix(what, " tags") + ": " + way.name,
					To:    m.Took.Seconds(),
					Text:  seconds(m.Took),
					Tone:  way.tone,
				},
			)
			bars.Scale.Max = max(bars.Scale.Max, m.Took.Seconds())
		}
	}
	drawing := bars.Draw(chart.Wide)
	svg := drawing.SVG(
		"benchmark",
		"How long the life of an estate of tags takes",
		"Bars for each run of Terraform and each way; the table beside has the same figures.",
	)
	svg = strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
	return strings.Replace(svg, "<title", colours+"<title", 1) + "\n"
}

func delay(latency time.Duration) string {
	if latency == 0 {
		return "no delay"
	}
	return fmt.Sprintf("%d ms for each request", latency.Milliseconds())
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return thousands(n) + " requests"
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.3f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
